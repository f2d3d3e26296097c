import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_the_schema_is_printed(evenhand: Run) -> None:
    assert json.loads(evenhand("schema").out)["$schema"].endswith("2020-12/schema")


def test_a_card_is_checked(evenhand: Run, tmp_path: Path) -> None:
    evenhand("audit", "--judge", "simulated:position=1", "--limit", 6, "--out", tmp_path, "--quiet")
    card = tmp_path / "card.json"
    assert evenhand("schema", "--check", card).code == 0
    broken = json.loads(card.read_text(encoding="utf-8"))
    del broken["judge"]
    card.write_text(json.dumps(broken), encoding="utf-8")
    done = evenhand("schema", "--check", card)
    assert done.code == 2
    assert "judge" in done.err
    assert done.err.count("\n") == 1


def test_what_is_no_card(evenhand: Run, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text("not json", encoding="utf-8")
    assert evenhand("schema", "--check", card).code == 2


def test_a_probe_report_is_checked_against_its_own_schema(evenhand: Run, tmp_path: Path) -> None:
    from evenhand.report.probes.json_report import probe_json
    from evenhand.report.write import json_text
    from report.probes.examples import make_report

    schema = json.loads(evenhand("schema", "probes").out)
    assert schema["$id"] == "urn:evenhand:schema:probe-report:1"
    document = tmp_path / "probes.json"
    document.write_text(json_text(probe_json(make_report())), encoding="utf-8")
    assert evenhand("schema", "probes", "--check", document).code == 0
    done = evenhand("schema", "--check", document)
    assert done.code == 2, "a probe report is no card"
    document.write_text("{", encoding="utf-8")
    done = evenhand("schema", "probes", "--check", document)
    assert done.code == 2
    assert "not a probe report" in done.err


def test_a_triage_is_checked_against_its_own_schema(evenhand: Run, tmp_path: Path) -> None:
    from evenhand.report.triage_json import triage_json
    from evenhand.report.write import json_text
    from report.triage_reports import triage_report

    assert json.loads(evenhand("schema", "triage").out)["$id"] == "urn:evenhand:schema:triage:1"
    document = tmp_path / "triage.json"
    document.write_text(json_text(triage_json(triage_report())), encoding="utf-8")
    assert evenhand("schema", "triage", "--check", document).code == 0
    assert evenhand("schema", "probes", "--check", document).code == 2
    document.write_text("{", encoding="utf-8")
    assert "not a triage (" in evenhand("schema", "triage", "--check", document).err


def test_an_unknown_document_is_bad_usage(evenhand: Run) -> None:
    assert evenhand("schema", "posters").code == 2


def test_a_study_is_checked_against_its_own_schema(evenhand: Run, tmp_path: Path) -> None:
    from evenhand.report.study.json_report import study_json
    from evenhand.report.write import json_text
    from report.study.examples import make_study

    assert json.loads(evenhand("schema", "study").out)["$id"] == "urn:evenhand:schema:study:1"
    document = tmp_path / "biases.json"
    document.write_text(json_text(study_json(make_study())), encoding="utf-8")
    assert evenhand("schema", "study", "--check", document).code == 0
    assert evenhand("schema", "triage", "--check", document).code == 2
    document.write_text("{", encoding="utf-8")
    assert "not a study (" in evenhand("schema", "study", "--check", document).err


def test_a_study_taken_for_a_card_is_told_what_it_is(evenhand: Run, tmp_path: Path) -> None:
    evenhand(
        "audit", "--judge", "simulated:position=1", "--limit", 6, "--bias", "sycophancy", "--out", tmp_path, "--quiet"
    )
    biases = tmp_path / "biases.json"
    assert evenhand("schema", "study", "--check", biases).code == 0
    done = evenhand("schema", "--check", biases)
    assert done.code == 2
    assert "is a study, not a card" in done.err
    assert "evenhand schema study --check" in done.err
    assert "is a card, not a study" in evenhand("schema", "study", "--check", tmp_path / "card.json").err
