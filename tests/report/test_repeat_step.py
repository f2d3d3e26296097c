import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.repeat_step import repeat_step, repeats_of
from evenhand.report.scope import scopes_of
from evenhand.stats import Estimate, Interval, Refusal, clopper_pearson
from evenhand.store import PlanCounts
from report.findings import audit, finding


def flips(value, *, clusters):
    low, high = max(0.0, value - 0.1), min(1.0, value + 0.1)
    return Estimate(value=value, interval=Interval(low=low, high=high), n=clusters, clusters=clusters)


def scopes(rate, *, pairs, conditions=1, readouts=(Readout.GENERATED,)):
    return scopes_of(
        audit(
            *(
                finding(condition=f"c{i}", readout=readout, pairs=pairs, flip_rate=rate)
                for i in range(conditions)
                for readout in readouts
            )
        )
    )


def step(own, *, planned=400, from_log=False, more_pairs=False):
    counts = PlanCounts(planned=planned, finished=planned)
    return repeat_step(own, counts, from_log=from_log, more_pairs=more_pairs)


def test_the_larger_the_flip_rate_the_fewer_repeats_tell_it_from_noise():
    asked = [repeats_of(scopes(flips(rate, clusters=200), pairs=200)) for rate in (0.02, 0.1, 0.2, 0.4, 0.9)]
    assert [found.pairs for found in asked] == [72, 72, 36, 17, 7]
    assert all(found.enough for found in asked)
    assert [found.flips for found in asked] == [None, None, 0.2, 0.4, 0.9]


def test_the_step_says_what_it_costs_and_what_it_tells():
    own = scopes(flips(0.4, clusters=200), pairs=200, conditions=3)
    [text] = step(own, planned=1200)
    assert text == (
        "Add --repeat 17 to tell order from noise: about 51 calls more than the 1,200 of this run; "
        "if none changes, noise is below 19.5 %, less than half the 40.0 % that flip."
    )


@pytest.mark.parametrize(
    ("readouts", "ways"),
    [
        ((Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID), 1),
        ((Readout.FIRST_TOKEN, Readout.PREFILLED), 2),
        ((Readout.GENERATED, Readout.PREFILLED, Readout.CONSTRAINED), 3),
    ],
)
def test_readouts_of_one_answer_cost_one_call(readouts, ways):
    found = repeats_of(scopes(flips(0.4, clusters=200), pairs=200, readouts=readouts))
    assert found.calls == 17 * ways


@pytest.mark.parametrize("pairs", [1, 8, 29])
def test_on_a_tiny_run_more_pairs_come_first(pairs):
    own = scopes(flips(0.9, clusters=pairs), pairs=pairs)
    [text] = step(own, planned=2 * pairs)
    assert "--repeat" not in text
    assert text.startswith("Judge more pairs before asking any again")
    assert f"{clopper_pearson(0, pairs).high * 100:.1f} %" in text


def test_the_noise_that_could_hide_is_told_of_the_clusters_that_it_is_of():
    """Of 60 pairs 18 were generated for: 18.5 % is what 18 clusters can't rule out, and 60 pairs could."""
    [text] = step(scopes(flips(0.45, clusters=18), pairs=60), planned=156)
    assert "in 60 pairs (18 clusters of them entered the flip rate) is up to 18.5 %" in text
    [text] = step(scopes(flips(0.45, clusters=18), pairs=18), planned=36)
    assert "in 18 pairs is up to 18.5 %" in text


def test_where_more_pairs_are_asked_for_already_it_isn_t_said_twice():
    assert step(scopes(flips(0.5, clusters=8), pairs=8), more_pairs=True) == []
    assert len(step(scopes(flips(0.5, clusters=80), pairs=80), more_pairs=True)) == 1


def test_few_flips_in_few_pairs_ask_for_more_pairs_too():
    assert not repeats_of(scopes(flips(0.04, clusters=60), pairs=60)).enough
    assert repeats_of(scopes(flips(0.4, clusters=60), pairs=60)).enough


def test_pairs_of_one_question_count_as_one():
    assert repeats_of(scopes(flips(0.4, clusters=50), pairs=200)).pairs == 17 * 4
    assert not repeats_of(scopes(flips(0.4, clusters=12), pairs=200)).enough


def test_what_the_draw_may_miss_is_called_about_so_much():
    """Of 199 pairs in 100 clusters, one of them with half the pairs, 144 held less than 72 clusters in 35 of 100."""
    uneven = scopes(flips(0.04, clusters=100), pairs=199)
    assert not repeats_of(uneven).exact
    assert step(uneven)[0].endswith("noise is below about 5.0 %.")
    assert step(scopes(flips(0.04, clusters=100), pairs=100))[0].endswith("noise is below 5.0 %.")


def test_a_log_is_answered_by_whoever_has_its_judge():
    [text] = step(scopes(flips(0.4, clusters=200), pairs=200), from_log=True)
    assert "--repeat" not in text
    assert "answer 17 pairs again in the same order" in text


def test_without_a_flip_rate_the_noise_is_held_against_what_is_negligible():
    found = repeats_of(scopes(Refusal(reason="no pair"), pairs=100))
    assert (found.pairs, found.flips, found.enough) == (72, None, True)
    assert repeats_of(()) is None
    assert repeats_of(scopes_of(audit(finding(FindingKind.LOG)))) is None


def test_no_repeats_are_asked_for_that_would_have_no_interval():
    """200 pairs of 3 question groups: the rate of 72 repeats would be refused, as the flip rate is."""
    few = Refusal(reason="needs at least 5 clusters, has 3", n=200)
    assert repeats_of(scopes(few, pairs=200)) is None
    assert step(scopes(few, pairs=200)) == []


@given(rate=st.floats(0, 1), clusters=st.integers(5, 500), per=st.integers(1, 5), conditions=st.integers(1, 4))
def test_never_more_than_half_of_the_run_and_always_what_it_promises(rate, clusters, per, conditions):
    pairs = clusters * per
    found = repeats_of(scopes(flips(rate, clusters=clusters), pairs=pairs, conditions=conditions))
    assert 1 <= found.pairs <= pairs
    assert found.calls <= pairs * conditions  # the run asks twice that
    if found.enough:
        assert found.below <= max(0.05, rate / 2) + 1e-9
        assert found.pairs >= per  # at least a cluster
