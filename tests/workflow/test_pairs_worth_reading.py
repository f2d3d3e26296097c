import json
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.audits.worth_reading import ReadingRule
from evenhand.workflow import AuditSettings
from evenhand.workflow.pairs_worth_reading import pairs_worth_reading


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> evenhand.AuditRun:
    settings = AuditSettings(resamples=100, repeat=5)
    judge = "simulated:position=1.5,compliance=0.6"
    return evenhand.audit(judge, "starter", settings=settings, out=tmp_path_factory.mktemp("read"))


def test_pairs_come_with_their_texts_and_what_decided(run: evenhand.AuditRun) -> None:
    pairs = run.pairs_worth_reading()
    assert ReadingRule.FIRST_TWICE.value in {pair.why for pair in pairs}
    assert len({pair.pair_id for pair in pairs}) == len(pairs) >= 3
    for pair in pairs:
        assert pair.instruction is not None
        assert pair.response_a is not None
        assert pair.verdict is not None
        assert pair.condition == "single-character, A/B"
        assert {verdict.readout for verdict in pair.verdicts} == {"first-token", "generated"}
    twice = next(pair for pair in pairs if pair.why == ReadingRule.FIRST_TWICE.value)
    assert twice.verdict is not None
    assert twice.verdict.ab.startswith("first (A)")
    assert twice.verdict.ba.startswith("first (B)")
    assert all(pair.answer_ab is not None and pair.answer_ab.decisive for pair in pairs)


def test_the_report_shows_them_and_the_file_for_programs_names_them(run: evenhand.AuditRun, tmp_path: Path) -> None:
    written = run.write_report(tmp_path)
    page = written.html.read_text(encoding="utf-8")
    assert page.count('<article class="pair">') == len(written.view.pairs) > 0
    found = json.loads(written.json.read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(run.to_json()))
    assert [pair["pair_id"] for pair in found["pairs"]] == [pair.pair_id for pair in written.view.pairs]
    assert "Response A" not in json.dumps(found["pairs"])
    assert found["headline"]["verdict"] == written.view.headline.verdict
    for kind in ("trust", "doubt", "next"):
        assert all(claim["basis"]["name"] and claim["basis"]["anchor"] for claim in found["headline"][kind])


def test_the_same_run_gives_the_same_pairs_opened_or_not(run: evenhand.AuditRun) -> None:
    assert evenhand.open_run(run.directory).pairs_worth_reading() == run.pairs_worth_reading()


def test_without_a_journal_pairs_stand_without_texts(run: evenhand.AuditRun, tmp_path: Path) -> None:
    pairs = pairs_worth_reading(tmp_path, run.manifest, run.to_polars())
    assert [pair.pair_id for pair in pairs] == [pair.pair_id for pair in run.pairs_worth_reading()]
    assert all(pair.instruction is pair.response_a is pair.answer_ab is None for pair in pairs)


def test_pairs_that_a_bias_audit_changed_are_left_to_its_study(tmp_path: Path) -> None:
    settings = AuditSettings(biases=("sycophancy",), resamples=100)
    run = evenhand.audit("simulated:position=1.5", "starter", limit=12, settings=settings, out=tmp_path / "biased")
    pairs = run.pairs_worth_reading()
    assert pairs
    assert {pair.condition for pair in pairs} == {"single-character, A/B"}


def test_a_failed_answer_says_why(tmp_path: Path, run: evenhand.AuditRun) -> None:
    from evenhand.records import Completion, FinishReason
    from evenhand.store import Journal

    with (
        Journal.open(run.directory, read_only=True) as whole,
        Journal.create(tmp_path / "failed", replace(whole.manifest, kind="live"), whole.pairs()) as part,
    ):
        part.set_plan(whole.plan())
        for index, entry in enumerate(whole.completions()):
            failed = Completion(text=None, finish_reason=FinishReason.ERROR, error="\u202eno route\x1b[2J")
            assert entry.completion is not None
            part.record(entry.presentation.key, failed if index < 4 else entry.completion)
    found = [
        p for p in evenhand.open_run(tmp_path / "failed").pairs_worth_reading() if p.why == ReadingRule.STATE.value
    ]
    assert found
    assert found[0].answer_ab is not None
    assert found[0].answer_ab.before == "(no answer: [U+202E]no route[U+001B][2J)"
    assert "error" in {verdict.ab for verdict in found[0].verdicts}
