import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.report.study.json_report import validate_study_json
from workflow.people_runs import people_run

Run = Callable[..., Any]


@pytest.fixture
def run(evenhand: Run, tmp_path: Path) -> Path:
    """A finished run."""
    done = evenhand("audit", "--judge", "simulated:position=1.5", "--limit", 6, "--out", tmp_path / "run", "--quiet")
    assert done.code == 0
    return tmp_path / "run"


def test_the_report_is_written_again_into_the_run(evenhand: Run, run: Path) -> None:
    before = json.loads((run / "audit.json").read_text(encoding="utf-8"))
    (run / "report.html").unlink()
    done = evenhand("report", run, "--json")
    assert done.code == 0
    assert (run / "report.html").is_file()
    assert json.loads(done.out)["findings"] == before["findings"]


def test_or_elsewhere_and_then_the_run_is_left_alone(evenhand: Run, run: Path, tmp_path: Path) -> None:
    (run / "report.html").unlink()
    done = evenhand("report", run, "--out", tmp_path / "elsewhere")
    assert done.code == 0
    assert (tmp_path / "elsewhere" / "report.html").is_file()
    assert not (run / "report.html").exists()
    assert f"Report: {tmp_path / 'elsewhere' / 'report.html'}" in done.out


def test_level_and_resamples_may_be_others(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, "--json", "--level", 0.8, "--resamples", 150)
    assert done.code == 0
    audit = json.loads(done.out)
    assert (audit["intervals"]["level"], audit["intervals"]["resamples"]) == (0.8, 150)


def test_figures_come_in_the_formats_that_are_named(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, "--out", tmp_path / "out", "--figures", "pdf,png,svg", "--quiet")
    assert done.code == 0
    names = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    stems = {name.rsplit(".", 1)[0] for name in names}
    assert {"rates", "slots", "flow", "outcomes"} <= stems
    assert names == {f"{stem}.{form}" for stem in stems for form in ("svg", "pdf", "png")}


def test_an_unknown_format_is_bad_usage_and_writes_nothing(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, "--out", tmp_path / "out", "--figures", "svg,gif")
    assert (done.code, done.out) == (2, "")
    assert "figure format 'gif': expected svg, pdf or png" in done.err
    assert not (tmp_path / "out").exists()


def test_brief_is_shorter(evenhand: Run, run: Path) -> None:
    whole, brief = evenhand("report", run), evenhand("report", run, "--brief")
    assert 0 < len(brief.out) < len(whole.out)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_what_is_no_run_is_one_clear_line(evenhand: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    done = evenhand("report", tmp_path / name)
    assert done.code in (2, 3)
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert name in done.err


@pytest.fixture
def two(evenhand: Run, tmp_path: Path) -> tuple[Path, Path]:
    """Two finished runs of judges with and without a lean, on the same pairs."""
    for name, position in (("even", 0.0), ("lean", 3.0)):
        words = ("--judge", f"simulated:position={position}", "--limit", 24, "--out", tmp_path / name, "--quiet")
        assert evenhand("audit", *words).code == 0
    return tmp_path / "even", tmp_path / "lean"


def test_of_several_runs_the_judges_are_compared(evenhand: Run, two: tuple[Path, Path]) -> None:
    done = evenhand("report", *two, "--quiet")
    assert done.code == 0, done.err
    assert "more order-consistent than simulated (lean), beyond chance" in " ".join(done.out.split())
    assert (two[0] / "judges" / "judges.html").is_file()
    assert (two[0] / "judges" / "tables" / "judges-flip-differences.csv").is_file()


def test_of_several_runs_json_is_the_document_alone(evenhand: Run, two: tuple[Path, Path], tmp_path: Path) -> None:
    done = evenhand("report", *two, "--json", "--readout", "first-token", "--out", tmp_path / "out")
    assert done.code == 0
    tree = json.loads(done.out)
    assert tree["kind"] == "judges"
    assert json.loads((tmp_path / "out" / "judges.json").read_text(encoding="utf-8")) == tree
    assert "first-token readout" in tree["subtitle"]


def test_runs_that_share_nothing_are_exit_3(evenhand: Run, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "few"
    words = ("--judge", "simulated:position=0.1", "--limit", 4, "--out", other, "--quiet")
    assert evenhand("audit", *words).code == 0
    done = evenhand("report", run, other, "--out", tmp_path / "out", "--quiet")
    assert done.code == 3
    assert "nothing to compare" in done.err


def test_a_run_named_twice_is_bad_usage(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, run)
    assert done.code == 2
    assert "is named twice" in done.err
    assert "Traceback" not in done.err


def test_an_option_of_several_runs_has_no_effect_on_one_and_says_so(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, "--readout", "generated", "--brief")
    assert done.code == 0
    assert "--readout had no effect" in done.err


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people_run(tmp_path_factory.mktemp("people") / "run")


def test_labels_in_the_runs_folder_are_a_section_of_every_surface(
    evenhand: Run, labelled: Path, tmp_path: Path
) -> None:
    done = evenhand("report", labelled, "--out", tmp_path / "out", "--brief", "--resamples", 200)
    assert done.code == 0, done.err
    assert "Judge and humans" in done.out
    assert f"Humans: {tmp_path / 'out' / 'judge-and-humans.html'}" in done.out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '<h2 id="judge-and-humans">Judge and humans</h2>' in page
    assert '<li><a href="#judge-and-humans">' in page
    assert 'id="table-judge-and-humans-agreement"' in page
    assert "bob &lt;b&gt;|x&lt;/b&gt;" in page
    assert "<b>|x" not in page
    markdown = (tmp_path / "out" / "judge-and-humans.md").read_text(encoding="utf-8")
    assert "<b>|x" not in markdown
    assert "Pairs that flip, and people" in markdown
    validate_study_json(json.loads((tmp_path / "out" / "judge-and-humans.json").read_text(encoding="utf-8")))


def test_its_figures_are_those_of_evenhand_humans(evenhand: Run, labelled: Path, tmp_path: Path) -> None:
    assert evenhand("labels", "export", labelled, "--out", tmp_path / "people.csv").code == 0
    few = ("--resamples", 200)
    humans = evenhand("humans", labelled, "--labels", tmp_path / "people.csv", "--out", tmp_path / "h", "--json", *few)
    tables = {table["id"]: table for table in json.loads(humans.out)["tables"]}
    both = next(row for row in tables["agreement"]["rows"] if row["verdict"] == "both orders")
    found = []
    for given in ((), ("--labels", tmp_path / "people.csv"), ("--labels", labelled / "labels.sqlite")):
        done = evenhand("report", labelled, "--out", tmp_path / "out", "--json", *few, *given)
        assert done.code == 0, done.err
        found.append(json.loads(done.out)["humans"])
        assert found[-1] == json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))["humans"]
    (scope,) = found[0]["scopes"]
    assert scope["agreement"] == both["agreement"]
    assert scope["kappa"] == both["kappa"]
    assert scope["judge_minus_person"] == tables["ceiling"]["rows"][0]["gap"]
    people = tables["people"]["rows"]
    assert scope["people"]["alpha"] == people[0]["beyond_chance"]
    assert scope["people"]["one_person"] == people[1]["agreement"]
    assert found[0]["scopes"] == found[1]["scopes"] == found[2]["scopes"]


def test_a_run_without_labels_shows_nothing_of_people(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, "--out", tmp_path / "out")
    assert "Judge and humans" not in done.out
    assert "judge-and-humans" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert not list((tmp_path / "out").rglob("*humans*"))


def test_named_labels_that_are_none_of_the_runs_are_bad_input(evenhand: Run, run: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("pair_id,preference\nelsewhere,A\n", encoding="utf-8")
    done = evenhand("report", run, "--labels", tmp_path / "people.csv")
    assert (done.code, done.out) == (2, "")
    assert "people.csv" in done.err
    assert "none of its 1 labels is of a pair that was judged" in done.err


def test_labels_are_of_one_runs_report(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, run, "--labels", tmp_path / "people.csv")
    assert (done.code, done.out) == (2, "")
    assert "evenhand humans" in done.err
