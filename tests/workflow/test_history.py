from pathlib import Path

import pytest

import evenhand
from audits.history_examples import history
from evenhand.errors import ConfigError, DataError
from evenhand.stats import Estimate
from evenhand.store.history_file import add_entry, read_history
from evenhand.workflow.history import MOST_DRAWN, add_to_history, show_history
from workflow.drift_runs import failed, make_run, redated


def file_of(path: Path, *later: float | None) -> Path:
    for each in history(*later):
        add_entry(path, each)
    return path


def test_a_run_s_figures_are_those_of_its_audit(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "simulated:position=1", pairs=40)
    entry = add_to_history(tmp_path / "h.jsonl", run, note="first", baseline=True)
    assert read_history(tmp_path / "h.jsonl") == (entry,)
    assert (entry.note, entry.baseline, entry.planned, entry.finished) == ("first", True, 80, 80)
    for finding in evenhand.open_run(run).findings:
        if finding.kind == "readout":
            estimate = finding.measure("flip_rate")
            figure = entry.figure("flip_rate", condition=str(finding.condition), readout=str(finding.readout))
            assert isinstance(estimate, Estimate)
            assert estimate.interval is not None
            assert figure is not None
            assert (figure.value, figure.low, figure.high) == (
                estimate.value,
                estimate.interval.low,
                estimate.interval.high,
            )
            assert (figure.n, figure.clusters) == (estimate.n, estimate.clusters)
            assert figure.standard_error is not None


def test_the_same_run_is_refused_and_another_day_s_is_another_run(tmp_path: Path) -> None:
    path, run = tmp_path / "h.jsonl", make_run(tmp_path / "run")
    first = add_to_history(path, run)
    with pytest.raises(DataError, match="in the history already"):
        add_to_history(path, evenhand.open_run(run))
    assert add_to_history(path, run, replace=True, note="again").run == first.run
    assert add_to_history(path, redated(run, "2027-01-01T00:00:00+00:00")).run != first.run
    assert [entry.note for entry in read_history(path)] == ["again", ""]
    judges = {entry.judge_hash for entry in read_history(path)}
    assert len(judges) == 1


def test_a_run_without_an_answer_is_not_added(tmp_path: Path) -> None:
    down = failed(make_run(tmp_path / "run", pairs=3), tmp_path / "failed")
    with pytest.raises(ConfigError, match="no presentation has an answer"):
        add_to_history(tmp_path / "h.jsonl", down)
    assert not (tmp_path / "h.jsonl").exists()


def test_changed_pairs_and_samples_are_not_among_the_figures(tmp_path: Path) -> None:
    biased = make_run(tmp_path / "biased", biases=("tone",), pairs=10)
    entry = add_to_history(tmp_path / "h.jsonl", biased)
    assert {figure.condition for figure in entry.figures} == {"single-character, A/B"}
    sampled = make_run(tmp_path / "sampled", budget=0.5, pairs=20)
    entry = add_to_history(tmp_path / "h.jsonl", sampled)
    assert "generated" not in {figure.readout for figure in entry.figures}


def test_charts_of_what_is_measured(tmp_path: Path) -> None:
    quiet = show_history(file_of(tmp_path / "quiet.jsonl", 0.11))
    assert [series.measure for series in quiet.series] == ["flip_rate"]
    assert quiet.signals == ()
    loud = show_history(file_of(tmp_path / "loud.jsonl", 0.11, 0.5))
    assert [series.measure for series in loud.signals] == ["flip_rate"]


def test_a_newest_run_without_the_figure_is_a_signal(tmp_path: Path) -> None:
    assert show_history(file_of(tmp_path / "h.jsonl", 0.11, None)).signals


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    path = file_of(tmp_path / "h.jsonl")
    with pytest.raises(ConfigError, match="no such condition and readout; it has c, generated"):
        show_history(path, readout="hybrid")
    with pytest.raises(ConfigError, match="no measure 'vibes'"):
        show_history(path, measures=["vibes"])
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(ConfigError, match="has no run yet"):
        show_history(tmp_path / "empty.jsonl")
    asked = show_history(path, measures=["accuracy"])
    assert [series.has_figures for series in asked.series] == [False]


def test_they_are_the_package_s_own_functions() -> None:
    assert evenhand.add_to_history is add_to_history
    assert evenhand.show_history is show_history


def test_a_share_that_is_none_is_refused_with_its_row_and_field(tmp_path: Path) -> None:
    path = file_of(tmp_path / "h.jsonl", 0.1, 1.5)
    rows = len(read_history(path))
    with pytest.raises(DataError, match=r"1\.5 is no flip rate: expected 0 to 1") as caught:
        show_history(path)
    assert (caught.value.row, caught.value.field) == (rows, "figures, 1, value")


def test_all_charts_are_judged_and_few_are_drawn_unless_named(tmp_path: Path) -> None:
    path = file_of(tmp_path / "h.jsonl", 0.1)
    assert show_history(path).most_drawn == MOST_DRAWN
    assert show_history(path, measures=["flip_rate"]).most_drawn is None
