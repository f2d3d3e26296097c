from dataclasses import replace

from audits.tables import many, verdicts
from evenhand.analysis.study import Study
from evenhand.audits.drift.bias_drift import BiasChange
from evenhand.audits.drift.comparison import ConditionPair, compare_tables
from evenhand.audits.drift.identity import IdentityDifference
from evenhand.audits.drift.matching import PairMatch
from evenhand.audits.drift.tolerance import decide_tolerances, tolerances_of
from evenhand.records import DataIdentity, JudgeIdentity, Readout, RunManifest, verdict_table
from evenhand.report.studies.comparison import ComparisonFacts, comparison_study
from evenhand.stats import Estimate, Interval, TestResult
from report.studies.tied import anchors_of

RUN = RunManifest(
    kind="live",
    judge=JudgeIdentity(spec="openai:m", model="m"),
    data=DataIdentity(spec="starter", pairs=60, sha256="a" * 64),
    conditions=(),
    readouts=("generated",),
)
STEADY = many(FS=40)
FLIPPING = {name: "FF" if i < 25 else "FS" for i, name in enumerate(STEADY)}
JUDGE = IdentityDifference(part="judge", what="revision", old="1", new="2")


def study(
    old: dict[str, str],
    new: dict[str, str],
    *tolerances: str,
    differences: tuple[IdentityDifference, ...] = (JUDGE,),
    most_changed: int = 5,
) -> Study:
    comparison = compare_tables(
        verdict_table(verdicts(old)),
        verdict_table(verdicts(new)),
        pairs=list(old),
        conditions=[ConditionPair(old="c", new="c")],
        decisions=len(tolerances),
        most_changed=most_changed,
    )
    facts = ComparisonFacts(
        old=RUN,
        new=replace(RUN, judge=replace(RUN.judge, revision="2")),
        old_place="runs/old",
        new_place="runs/new",
        match=PairMatch(shared=tuple(old), changed=("x",), only_old=2, only_new=0),
        differences=differences,
        compared=any(scope.agreement.agreement.n > 0 for scope in comparison.scopes),
        notes=("A note.",),
    )
    return comparison_study(comparison, decide_tolerances(comparison, tolerances_of(tolerances)), facts)


def test_the_tolerance_that_is_broken_is_the_title() -> None:
    made = study(STEADY, FLIPPING, "flip_rate=.1", "verdict_rate=.5")
    assert (made.kind, made.headline.status) == ("comparison", "bad")
    assert made.headline.verdict == "A tolerance is broken (1 kept, 1 broken)"
    table = made.table("tolerances")
    assert table is not None
    assert [row[2] for row in table.rows] == ["BROKEN", "kept"]


def test_without_tolerances_it_describes() -> None:
    made = study(STEADY, FLIPPING)
    assert made.headline.status == "described"
    assert "no tolerance was declared" in made.headline.verdict
    assert made.table("tolerances") is None
    assert any("flip rate 0 % [0, 8.8] → 62.5 %" in sentence for sentence in made.headline.meaning)


def test_nothing_changed_is_no_proof() -> None:
    made = study(STEADY, STEADY, "flip_rate=.5")
    assert made.headline.status == "good"
    assert made.headline.meaning[0].startswith("No measure is shown to have changed. That is no proof")
    assert made.table("verdicts") is None


def test_undecided_and_not_measured_are_said() -> None:
    assert study(STEADY, STEADY, "flip_rate=.01").headline.status == "undecided"
    unmeasured = study(STEADY, STEADY, "accuracy=.01")
    assert unmeasured.headline.status == "failed"
    assert unmeasured.headline.verdict == "A tolerance could not be looked at (1 not measured)"


def test_runs_without_a_verdict_in_common_are_a_failure() -> None:
    made = study(STEADY, dict.fromkeys(STEADY, "EE"), "flip_rate=1")
    assert made.headline.status == "failed"
    assert made.headline.verdict.startswith("Nothing to compare")


def test_what_is_compared_and_what_differs_is_said() -> None:
    lead = study(STEADY, STEADY).headline.lead
    assert "40 pairs are in both runs with the same content; 1 have changed content; 2 are in the old run only" in lead
    assert "By the manifests one thing differs: judge." in lead
    prompt = IdentityDifference(part="prompt", what="text", old="a", new="b")
    assert (
        "these differ: judge, prompt; a change can't be laid"
        in study(STEADY, STEADY, differences=(JUDGE, prompt)).headline.lead
    )
    assert "a model that was changed under its name" in study(STEADY, STEADY, differences=()).headline.lead


def test_changed_verdicts_are_listed_up_to_a_number() -> None:
    table = study(STEADY, FLIPPING).table("verdicts")
    assert table is not None
    assert len(table.rows) == 5
    assert table.notes == ("c, generated: 5 of 25 listed.",)
    assert table.rows[0][3:] == ("other response", "second", "first")


def test_figures_and_notes() -> None:
    made = study(STEADY, FLIPPING)
    (forest,) = made.figures
    assert forest.id == "differences"
    assert "A note." in made.notes


def test_right_verdicts_are_shown_by_source_where_there_are_several() -> None:
    gold, source = dict.fromkeys(STEADY, "A"), {name: f"s{i % 2}" for i, name in enumerate(STEADY)}
    comparison = compare_tables(
        verdict_table(verdicts(STEADY, gold=gold, source=source)),
        verdict_table(verdicts({**STEADY, "FS0": "FF"}, gold=gold, source=source)),
        pairs=list(STEADY),
        conditions=[ConditionPair(old="c", new="c")],
    )
    facts = ComparisonFacts(
        old=RUN,
        new=RUN,
        old_place="a",
        new_place="b",
        match=PairMatch(shared=tuple(STEADY), changed=(), only_old=0, only_new=0),
        differences=(),
        compared=True,
    )
    table = comparison_study(comparison, (), facts).table("sources")
    assert table is not None
    assert table.rows == (("c, generated", "s0", 40, 40, 39, -1 / 40), ("c, generated", "s1", 40, 40, 40, 0.0))


def test_biases_are_told_where_both_runs_have_them() -> None:
    rate = Estimate(value=0.2, interval=Interval(low=0.1, high=0.3), n=40)
    test = TestResult(name="sign-flip", p_value=0.001, log10_p=-3.0, n=9)
    bias = BiasChange(
        control="c",
        readout=Readout.GENERATED,
        subset="endorsement=user",
        old=rate,
        new=rate,
        difference=rate,
        surer=rate,
        test=test,
        adjusted=test,
        pairs=40,
    )
    comparison = replace(
        compare_tables(
            verdict_table(verdicts(STEADY)),
            verdict_table(verdicts(STEADY)),
            pairs=list(STEADY),
            conditions=[ConditionPair(old="c", new="c")],
        ),
        biases=(bias,),
    )
    facts = ComparisonFacts(
        old=RUN,
        new=RUN,
        old_place="a",
        new_place="b",
        match=PairMatch(shared=tuple(STEADY), changed=(), only_old=0, only_new=0),
        differences=(),
        compared=True,
    )
    made = comparison_study(comparison, decide_tolerances(comparison, tolerances_of({"net_shift": 0.05})), facts)
    table, tolerances = made.table("biases"), made.table("tolerances")
    assert table is not None
    assert tolerances is not None
    assert table.rows == (("c, generated", "endorsement=user", rate, rate, rate, test, 40),)
    assert tolerances.rows[0][1:3] == ("c, generated, endorsement=user", "BROKEN")
    assert made.headline.meaning[0].startswith("c, generated: net shift, endorsement=user +20.0 pp")


def test_every_sentence_rests_on_the_table_that_has_its_figures() -> None:
    made = study(STEADY, FLIPPING, "flip_rate=.1", "verdict_rate=.5")
    found = anchors_of(made)
    assert found[made.headline.lead] == "table-tolerances"
    assert {anchor for text, anchor in found.items() if " → " in text} == {"table-changes"}
    assert found["Look at the changed verdicts, and at what differs between the runs."] == "table-verdicts"
    assert set(anchors_of(study(STEADY, STEADY)).values()) == {"table-changes"}
