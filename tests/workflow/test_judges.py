import json
from pathlib import Path

import pytest

import evenhand
from evenhand.audits.judges.comparison import standings_of
from evenhand.errors import ConfigError, StoreError
from evenhand.records import LabelSet, Readout
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.judges import JudgesReport, report_runs
from evenhand.workflow.readout_choice import ReadoutChoice
from workflow.drift_runs import failed, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judges of planted position bias on the same pairs, and runs that differ in something else."""
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "even", "simulated:position=0.0,noise=0.3,repeat_noise=0.2", pairs=48, repeat=16)
    make_run(root / "mild", "simulated:position=0.6,repeat_noise=0.2", pairs=48, repeat=16)
    make_run(root / "strong", "simulated:position=3.0", pairs=48)
    make_run(root / "other-pairs", "simulated:position=0.0", pairs=8, skip=50)
    make_run(root / "xy", "simulated:position=0.0", pairs=24, labels=(LabelSet(first="X", second="Y"),))
    make_run(root / "token", "simulated:position=0.0", pairs=24, readout=ReadoutChoice.FIRST_TOKEN)
    make_run(root / "text", "simulated:position=0.0", pairs=24, readout=ReadoutChoice.GENERATED)
    failed(root / "even", root / "failed")
    return root


@pytest.fixture(scope="module")
def three(runs: Path) -> JudgesReport:
    return report_runs([runs / "even", runs / "mild", runs / "strong"], resamples=200)


def test_a_planted_difference_is_found_and_its_direction_is_right(three: JudgesReport) -> None:
    flips = three.comparison.difference("flip_rate", 0, 2)
    assert isinstance(flips.estimate, Estimate)
    assert flips.estimate.value < -0.5
    assert flips.shown
    even, _, strong = standings_of(three.comparison)
    assert (even.more, strong.less) == (0, 0)
    assert strong.more == 2


def test_runs_of_one_judge_are_told_apart_by_their_folders(three: JudgesReport) -> None:
    assert [run.name for run in three.runs] == ["simulated (even)", "simulated (mild)", "simulated (strong)"]


def test_what_the_judge_wrote_stands_for_it_and_every_readout_is_in_the_figures(three: JudgesReport) -> None:
    assert {run.readout for run in three.runs} == {Readout.GENERATED}
    for run in three.runs:
        assert {each.readout for each in run.figures.scopes} == {
            Readout.GENERATED,
            Readout.FIRST_TOKEN,
            Readout.HYBRID,
        }
        assert run.figures.scopes[0].readout is Readout.GENERATED


def test_a_run_without_repeats_is_not_compared_by_them(three: JudgesReport) -> None:
    both = three.comparison.difference("swap_minus_repeat", 0, 1)
    assert isinstance(both.estimate, Estimate)
    assert isinstance(three.comparison.difference("swap_minus_repeat", 0, 2).estimate, Refusal)


def test_a_run_against_its_copy_differs_in_nothing(runs: Path, tmp_path: Path) -> None:
    copy = failed(runs / "even", tmp_path / "copy", fails=lambda _: False)
    made = report_runs([runs / "even", copy], resamples=200)
    for family in made.comparison.measures:
        [only] = family.differences
        assert only.test is None, family.info.name
        if isinstance(only.estimate, Estimate):
            assert only.estimate.value == 0.0
    [agree] = made.comparison.agreements
    assert isinstance(agree.kappa, Estimate)
    assert agree.kappa.value == 1.0


def test_other_pairs_can_not_be_compared(runs: Path) -> None:
    made = report_runs([runs / "even", runs / "other-pairs"], resamples=200)
    assert made.comparison.in_all == 0
    assert not made.compared
    assert made.study().headline.status == "failed"


def test_a_run_that_failed_is_said_to_have_failed_and_is_no_judge_without_flips(runs: Path) -> None:
    made = report_runs([runs / "even", runs / "strong", runs / "failed"], resamples=200)
    assert any("run of simulated (failed) is incomplete" in note for note in made.notes)
    assert isinstance(made.comparison.difference("flip_rate", 0, 2).estimate, Refusal)
    assert isinstance(made.comparison.difference("flip_rate", 0, 1).estimate, Estimate)
    states = made.study().table("states")
    assert states is not None
    assert states.rows[2][-1] == made.runs[2].counts.errors - 32 / 2  # repeats apart: both orders of 48 pairs


def test_without_a_common_condition_each_has_its_own_and_it_is_said(runs: Path) -> None:
    made = report_runs([runs / "even", runs / "xy"], resamples=200)
    assert len({run.condition.id for run in made.runs}) == 2
    assert "no condition in common" in made.notes[0]
    judges = made.study().table("judges")
    assert judges is not None
    assert [column.name for column in judges.columns][:3] == ["judge", "condition", "readout"]


def test_without_a_common_readout_each_has_its_own_and_it_is_said(runs: Path) -> None:
    made = report_runs([runs / "token", runs / "text"], resamples=200)
    assert [run.readout for run in made.runs] == [Readout.FIRST_TOKEN, Readout.GENERATED]
    assert "Readouts measure different things" in made.notes[0]
    with pytest.raises(ConfigError, match="has no readout generated"):
        report_runs([runs / "token", runs / "text"], readout="generated")


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (("even",), {}, "two runs or more"),
        (("even", "even"), {}, "is named twice"),
        (("even", "mild"), {"condition": "none such"}, "no unchanged condition 'none such'"),
        (("even", "mild"), {"readout": "aloud"}, "readout 'aloud': expected"),
    ],
)
def test_bad_use_is_one_clear_line(runs: Path, names: tuple[str, ...], options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        report_runs([runs / name for name in names], **options)  # type: ignore[arg-type]


def test_a_single_directory_is_no_list_of_runs(runs: Path) -> None:
    with pytest.raises(ConfigError, match="two runs or more"):
        report_runs(str(runs / "even"))


def test_what_is_no_run_is_refused(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        report_runs([runs / "even", tmp_path])


def test_it_is_the_public_name() -> None:
    assert evenhand.report_runs is report_runs


@pytest.mark.parametrize("texts", [False, True])
def test_pairs_without_texts_are_said_to_be_the_same_by_their_names_alone(tmp_path: Path, texts: bool) -> None:
    places = []
    for name in "xy":
        rows = [
            {"pair_id": f"p{i}", "order": order, "outcome": "first"}
            | ({"instruction": f"q{i}", "response_a": "a", "response_b": "b"} if texts else {})
            for i in range(12)
            for order in ("AB", "BA")
        ]
        log = tmp_path / f"{name}.jsonl"
        log.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        places.append(evenhand.import_log("table", log, out=tmp_path / name).directory)
    made = report_runs(places, resamples=200)
    assert made.comparison.in_all == 12
    said = [note for note in made.notes if "no texts" in note]
    assert [note.split(",")[0] for note in said] == (
        [] if texts else ["12 pairs have no texts in two of the runs or more"]
    )
