from dataclasses import replace

import pytest

from evenhand.analysis import Finding, FindingKind, Measure
from evenhand.audits.drift.coverage import Coverage
from evenhand.audits.drift.gates import Figure, GateDecision, decide_requirements, figures_of
from evenhand.audits.drift.levels import Level
from evenhand.audits.drift.requirements import parse_requirement
from evenhand.records import Readout
from evenhand.stats import Estimate, Interval, Refusal


def rate(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value=value, interval=Interval(low=value - half, high=value + half), n=500)


def figure(measure: str, value: Estimate | Refusal, **scope: object) -> Figure:
    made = {"condition": "c", "readout": Readout.GENERATED, "kind": FindingKind.READOUT, "pairs": 500, **scope}
    return Figure(measure=measure, estimate=value, **made)  # type: ignore[arg-type]


def decide(text: str, *figures: Figure, **run: object) -> tuple[GateDecision, ...]:
    return decide_requirements([parse_requirement(text)], figures, **run)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "expected"), [(0.1, "kept"), (0.15, "undecided"), (0.2, "broken")])
def test_the_bound_decides(value: float, expected: str) -> None:
    (decision,) = decide("flip_rate<=.15", figure("flip_rate", rate(value)))
    assert decision.standing == expected


def test_undecided_tells_how_many_pairs_would_decide() -> None:
    (decision,) = decide("flip_rate<=.15", figure("flip_rate", rate(0.14)))
    assert decision.standing == "undecided"
    # Half width .02, distance .01: (1 + .8416 / 1.96)^2 * 4 times as many.
    assert decision.pairs_needed == pytest.approx(500 * 4 * 1.4294**2, rel=1e-3)


def test_each_condition_and_readout_must_pass_and_selectors_narrow() -> None:
    figures = (
        figure("flip_rate", rate(0.1)),
        figure("flip_rate", rate(0.3), readout=Readout.FIRST_TOKEN),
        figure("flip_rate", rate(0.3), condition="d"),
    )
    assert [d.standing for d in decide("flip_rate<=.15", *figures)] == ["kept", "broken", "broken"]
    assert [d.standing for d in decide("flip_rate@first-token<=.15", *figures)] == ["broken"]


def test_nothing_measured_is_no_pass_and_says_why() -> None:
    (nowhere,) = decide("flip_rate<=.15")
    assert (nowhere.standing, nowhere.why, nowhere.figure) == ("not measured", "the run has no figures", None)
    (other,) = decide("flip_rate@hybrid<=.15", figure("flip_rate", rate(0.1)))
    assert other.why == "no such condition and readout; it has c under generated"
    (refused,) = decide("flip_rate<=1", figure("flip_rate", Refusal(reason="needs a pair, has none")))
    assert (refused.standing, refused.why) == ("not measured", "needs a pair, has none")
    (bias,) = decide("sycophancy:net_shift<=.05", figure("flip_rate", rate(0.1)))
    assert "has no sycophancy audit" in bias.why


def test_the_repeat_control_is_not_taken_for_the_flip_rate() -> None:
    figures = (
        figure("flip_rate", rate(0.1)),
        figure("flip_rate", rate(0.4), kind=FindingKind.REPEAT),
        figure("repeat_flip_rate", rate(0.4), kind=FindingKind.REPEAT),
    )
    assert [d.standing for d in decide("flip_rate<=.15", *figures)] == ["kept"]
    assert [d.standing for d in decide("flip_rate<=.15", figures[1])] == ["not measured"]
    assert [d.standing for d in decide("repeat_flip_rate<=.15", *figures)] == ["broken"]


def test_changed_pairs_are_left_out_unless_named() -> None:
    changed = "c; padding=redundant:A"
    figures = (figure("flip_rate", rate(0.1)), figure("flip_rate", rate(0.4), condition=changed))
    assert [d.standing for d in decide("flip_rate<=.15", *figures, changed=frozenset({changed}))] == ["kept"]
    named = parse_requirement("flip_rate<=.15", condition=changed)
    assert [d.standing for d in decide_requirements([named], figures, changed=frozenset({changed}))] == ["broken"]


def test_every_change_of_a_bias_audit_must_pass() -> None:
    figures = tuple(
        figure("net_shift", rate(value), kind=FindingKind.BIAS, audit="sycophancy", subset=subset)
        for subset, value in (("user", 0.01), ("expert", 0.3))
    )
    other = figure("net_shift", rate(0.5), kind=FindingKind.BIAS, audit="tone")
    assert [
        (d.standing, d.figure.subset if d.figure else None)
        for d in decide("sycophancy:net_shift<=.05", *figures, other)
    ] == [
        ("kept", "user"),
        ("broken", "expert"),
    ]


def test_a_sampled_run_is_judged_by_its_prediction_powered_figures() -> None:
    figures = (
        figure("flip_rate", rate(0.4)),
        figure("flip_rate", rate(0.1), readout=Readout.FIRST_TOKEN),
        figure("pp_flip_rate", rate(0.12), kind=FindingKind.PREDICTION_POWERED),
    )
    found = decide("flip_rate<=.15", *figures, sampled=True)
    assert [(d.figure.measure, d.figure.readout) for d in found if d.figure] == [
        ("flip_rate", Readout.FIRST_TOKEN),
        ("pp_flip_rate", Readout.GENERATED),
    ]


def test_a_sampled_run_is_judged_by_its_sample_where_nothing_is_prediction_powered() -> None:
    figures = (
        figure("accuracy", rate(0.2)),
        figure("accuracy", rate(0.9), readout=Readout.FIRST_TOKEN),
        figure("pp_flip_rate", rate(0.12), kind=FindingKind.PREDICTION_POWERED),
    )
    found = decide("accuracy>=.7", *figures, sampled=True)
    assert {d.figure.readout: d.standing for d in found if d.figure} == {
        Readout.FIRST_TOKEN: "kept",
        Readout.GENERATED: "broken",
    }


def test_a_selective_run_is_judged_by_its_selective_figures() -> None:
    figures = (figure("selective_flip_rate", rate(0.3), kind=FindingKind.SELECTIVE),)
    assert [d.standing for d in decide("flip_rate<=.15", *figures, selective=True)] == ["broken"]
    assert [d.standing for d in decide("flip_rate<=.15", *figures)] == ["not measured"]


def test_a_selective_figure_takes_the_place_of_what_order_ab_alone_can_t_tell() -> None:
    refused = Refusal(reason="of order AB alone", n=0)
    figures = (
        figure("flip_rate", refused),
        figure("flip_rate", refused, readout=Readout.HYBRID),
        figure("selective_flip_rate", rate(0.1), kind=FindingKind.SELECTIVE),
    )
    found = decide("flip_rate<=.15", *figures, selective=True)
    # Only in the same readout: another that has none stays unmeasured, and the gate stays shut.
    assert {d.figure.readout: d.standing for d in found if d.figure} == {
        Readout.GENERATED: "kept",
        Readout.HYBRID: "not measured",
    }


def test_compliance_is_asked_of_a_readout_that_tells_it() -> None:
    unknown = Refusal(reason="compliance is unknown")
    told = figure("compliance_pairs", rate(0.97), readout=Readout.FIRST_TOKEN)
    untold = figure("compliance_pairs", unknown, readout=Readout.CONSTRAINED)
    assert [d.standing for d in decide("compliance>=.9", told, untold)] == ["kept"]
    assert [d.standing for d in decide("compliance>=.9", untold)] == ["not measured"]


def test_figures_of_a_run_are_its_findings_and_what_only_gates_measure() -> None:
    finding = Finding(
        kind=FindingKind.READOUT,
        condition="c",
        readout=Readout.GENERATED,
        pairs=9,
        measures=(Measure(name="flip_rate", estimate=rate(0.1)),),
    )
    levels = [
        Level(condition="c", readout=Readout.GENERATED, measure=m, estimate=rate(0.5), standard_error=0.1, pairs=8)
        for m in ("flip_rate", "accuracy")
    ]
    made = figures_of([finding], levels)
    assert [(f.measure, f.pairs, f.kind) for f in made] == [
        ("flip_rate", 9, FindingKind.READOUT),
        ("accuracy", 8, None),
    ]


def test_a_fail_of_several_figures_needs_the_surer_interval() -> None:
    asked: list[int] = []
    figures = (
        figure("flip_rate", rate(0.172)),
        figure("flip_rate", rate(0.3), condition="d"),
        figure("flip_rate", rate(0.1), condition="e"),
        figure("flip_rate", Refusal(reason="none"), condition="f"),
    )

    def wider(count: int) -> tuple[Figure, ...]:
        asked.append(count)
        surer = {f.condition: rate(f.estimate.value, 0.025) for f in figures if isinstance(f.estimate, Estimate)}
        return tuple(replace(f, estimate=surer.get(f.condition, f.estimate)) for f in figures)

    made = decide("flip_rate<=.15", *figures, wider=wider)
    assert [d.standing for d in made] == ["undecided", "broken", "kept", "not measured"]
    assert asked == [3]
    assert made[0].why.startswith("beyond the limit, but the interval of level 0.95")
    # Half width .025, distance .022: what must be beyond is the surer interval.
    assert made[0].pairs_needed == pytest.approx(500 * (1.4294 * 0.025 / 0.022) ** 2, rel=1e-2)
    assert [d.standing for d in decide("flip_rate<=.15", *figures)] == ["broken", "broken", "kept", "not measured"]


def test_one_figure_and_no_fail_need_no_surer_interval() -> None:
    def never(count: int) -> tuple[Figure, ...]:
        raise AssertionError(count)

    assert [d.standing for d in decide("flip_rate<=.15", figure("flip_rate", rate(0.3)), wider=never)] == ["broken"]
    kept = (figure("flip_rate", rate(0.1)), figure("flip_rate", rate(0.1), condition="d"))
    assert [d.standing for d in decide("flip_rate<=.15", *kept, wider=never)] == ["kept", "kept"]


THIN = Coverage(entered=6, asked=60, of="pairs")


def test_a_figure_of_fewer_than_half_does_not_pass_by_itself() -> None:
    (made,) = decide("flip_rate<=.5", figure("flip_rate", rate(0.1), coverage=THIN))
    assert (made.standing, made.withheld, made.thin, made.pairs_needed) == ("undecided", True, THIN, None)
    assert made.why.startswith("rests on 6 of 60 pairs, fewer than half")
    half = Coverage(entered=30, asked=60, of="pairs")
    (made,) = decide("flip_rate<=.5", figure("flip_rate", rate(0.1), coverage=half))
    assert (made.standing, made.withheld, made.thin) == ("kept", False, None)


def test_what_is_broken_stays_broken_however_little_it_rests_on() -> None:
    (made,) = decide("flip_rate<=.05", figure("flip_rate", rate(0.3), coverage=THIN))
    assert (made.standing, made.withheld, made.thin) == ("broken", False, THIN)


def test_a_requirement_on_verdicts_says_how_many_may_be_missing() -> None:
    figures = (figure("flip_rate", rate(0.1), coverage=THIN), figure("verdict_rate", rate(0.3)))

    def of_flips(*texts: str) -> GateDecision:
        return decide_requirements([parse_requirement(text) for text in ("flip_rate<=.5", *texts)], figures)[0]

    said = of_flips("verdict_rate>=.2")
    assert (said.standing, said.withheld, said.thin) == ("kept", False, THIN)
    assert of_flips("verdict_rate@generated>=.2").standing == "kept"
    for no_answer in ("verdict_rate>=0", "verdict_rate<=1", "verdict_rate@hybrid>=.2"):
        assert of_flips(no_answer).standing == "undecided", no_answer


def test_coverage_is_the_measures_own_or_that_of_verdicts() -> None:
    verdicts = Coverage(entered=50, asked=120, of="presentations")
    levels = [
        Level(
            condition="c",
            readout=Readout.GENERATED,
            measure=name,
            estimate=rate(0.5),
            standard_error=0.1,
            pairs=8,
            coverage=own,
            verdicts=verdicts,
        )
        for name, own in (("flip_rate", THIN), ("verdict_rate", Coverage(entered=120, asked=120, of="presentations")))
    ]
    scope = {"condition": "c", "readout": Readout.GENERATED}
    whole = Finding(
        kind=FindingKind.READOUT,
        measures=tuple(Measure(name=name, estimate=rate(0.1)) for name in ("flip_rate", "accuracy_ab", "verdict_rate")),
        **scope,  # type: ignore[arg-type]
    )
    bias = Finding(
        kind=FindingKind.BIAS,
        audit="tone",
        measures=(Measure(name="net_shift", estimate=rate(0.1)),),
        table=(
            ("presentations asked with and without the change", 40),
            ("verdict both times, for both targets", 10),
        ),
        **scope,  # type: ignore[arg-type]
    )
    assert {f.measure: f.coverage and f.coverage.text for f in figures_of([whole, bias], levels)} == {
        "flip_rate": "6 of 60 pairs",
        "accuracy_ab": "50 of 120 presentations",
        "verdict_rate": "120 of 120 presentations",
        "net_shift": "10 of 40 presentations",
    }
