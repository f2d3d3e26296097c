from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.workflow.even import UnevenJudgeError, assert_even, check_lines
from evenhand.workflow.settings import AuditSettings

FAIR = "simulated:position=0,compliance=1"
WAVERING = "simulated:position=0.5,compliance=1"
BIASED = "simulated:position=4,compliance=1"


def test_a_fair_judge_keeps_a_wide_limit(tmp_path: Path) -> None:
    check = assert_even(FAIR, "starter", max_flip_rate=0.9, min_compliance=0.9, readout="first-token", out=tmp_path)
    assert check.outcome == "pass"
    assert [line.split(":")[0] for line in check_lines(check)] == [
        "flip_rate@first-token<=0.9",
        "compliance_pairs@first-token>=0.9",
    ]


def test_a_biased_judge_is_told_with_figure_place_and_run(tmp_path: Path) -> None:
    with pytest.raises(UnevenJudgeError) as caught:
        assert_even(BIASED, "starter", max_flip_rate=0.1, readout="first-token", out=tmp_path)
    first, line, *_, last = str(caught.value).splitlines()
    assert first == f"the judge {BIASED} does not keep its limits on starter (fail)"
    assert line.startswith("  flip_rate@first-token<=0.1: FAIL: ")
    assert "first-token" in line
    assert str(tmp_path) in last
    assert isinstance(caught.value, AssertionError)


def test_undecided_fails_unless_it_is_allowed(tmp_path: Path) -> None:
    limit = _middle(tmp_path)
    with pytest.raises(UnevenJudgeError, match="undecided"):
        assert_even(WAVERING, "starter", max_flip_rate=limit, readout="first-token", out=tmp_path)
    check = assert_even(
        WAVERING, "starter", max_flip_rate=limit, readout="first-token", out=tmp_path, allow_undecided=True
    )
    assert check.outcome == "undecided"


def _middle(folder: Path) -> float:
    """The flip rate itself: its interval reaches to both sides."""
    import evenhand

    run = evenhand.audit(WAVERING, "starter", out=folder)
    finding = next(f for f in run.findings if f.readout == "first-token")
    estimate = finding.measure("flip_rate")
    assert 0 < estimate.value < 1
    return float(estimate.value)


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    import evenhand

    assert_even(FAIR, "starter", max_flip_rate=0.9, readout="first-token", out=tmp_path)
    again = evenhand.audit(FAIR, "starter", out=tmp_path)
    assert again.execution is not None
    assert (again.execution.asked, again.execution.reused) == (0, 120)


def test_no_limit_is_an_error_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs a limit"):
        assert_even(FAIR, "starter", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_limit_on_a_bias_needs_its_audit(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"max_sycophancy needs settings=AuditSettings\(biases=\('sycophancy',\)\)"):
        assert_even(FAIR, "starter", max_sycophancy=0.1, out=tmp_path / "run")
    with pytest.raises(UnevenJudgeError, match=r"sycophancy:net_shift@first-token<=0\.1: FAIL"):
        assert_even(
            "simulated:sycophancy=6",
            "starter",
            max_sycophancy=0.1,
            settings=AuditSettings(biases=("sycophancy",)),
            readout="first-token",
            out=tmp_path / "run",
        )


def test_a_judge_that_gives_no_verdict_never_passes(tmp_path: Path) -> None:
    with pytest.raises(UnevenJudgeError, match="flip_rate@generated<=1: not measured"):
        assert_even("simulated:refusal=1", "starter", limit=8, max_flip_rate=1.0, readout="generated", out=tmp_path)
