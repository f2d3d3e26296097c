import pytest

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.next_steps import next_steps
from evenhand.report.scope import scopes_of
from evenhand.stats import Refusal
from evenhand.store import PlanCounts
from report.findings import audit, estimate, finding

DONE = PlanCounts(planned=200, finished=200)


def steps(*findings, counts=DONE, **more):
    result = audit(*findings)
    settings = {"swaps": False, "undecided": False, "ties": False, "from_log": False, "grid": None, **more}
    return next_steps(result, scopes_of(result), counts, **settings)


def test_what_is_missing_comes_first_and_noise_last():
    counts = PlanCounts(planned=200, finished=150, errors=20, pending=30)
    made = steps(finding(flip_rate=(0.06, 0.2)), counts=counts, swaps=True)
    assert [claim.text.split(" ")[0] for claim in made] == ["Mend", "Resume", "Ask", "Add"]
    assert made[0].rests_on == ("figure-outcomes", "table-outcomes")
    assert "undecided: 13.0 % of the pairs decided in both (generated)" in made[2].text


def test_of_readouts_that_flip_alike_the_step_names_the_one_that_the_doubt_names():
    both = [finding(readout=readout, flip_rate=(0.06, 0.2)) for readout in (Readout.FIRST_TOKEN, Readout.GENERATED)]
    [step] = [claim.text for claim in steps(*both, swaps=True) if claim.text.startswith("Ask")]
    assert "undecided: up to 13.0 % of the pairs decided in both (generated)" in step


@pytest.mark.parametrize("from_log", [True, False])
def test_a_logs_judge_is_not_asked_by_our_command(from_log):
    [claim] = steps(finding(flip_rate=(0.0, 0.04)), from_log=from_log)
    assert ("--repeat" in claim.text) is not from_log
    counts = PlanCounts(planned=200, finished=150, errors=20, pending=30)
    told = " ".join(claim.text for claim in steps(finding(), counts=counts, from_log=from_log))
    assert ("import" in told.lower()) is from_log


def test_repeats_that_there_are_aren_t_asked_for():
    assert steps(finding(flip_rate=(0.0, 0.04)), finding(FindingKind.REPEAT, repeat_flip_rate=(0.0, 0.1))) == ()


def test_repeats_that_are_too_few_are_asked_for():
    few = finding(FindingKind.REPEAT, repeat_flip_rate=Refusal(reason="needs at least 5 clusters, has 4", n=4))
    [claim] = steps(finding(flip_rate=(0.0, 0.04)), few)
    assert "--repeat" in claim.text


def test_a_tiny_run_is_told_to_judge_more_pairs_once_and_to_repeat_nothing():
    tiny = finding(flip_rate=(0.0, 0.3), pairs=8)
    texts = [claim.text for claim in steps(tiny, undecided=True, counts=PlanCounts(planned=16, finished=16))]
    assert len(texts) == 1
    assert texts[0].startswith("Judge more pairs")


def test_what_the_adjustment_left_open_asks_for_more_pairs_and_says_so():
    barely = estimate(0.053, 0.12, value=0.08)
    open_ones = [finding(condition=f"c{i}", flip_rate=(0.02, 0.09)) for i in range(3)]
    first = steps(finding(flip_rate=barely), *open_ones, undecided=True)[0].text
    assert first.startswith("Judge more pairs: adjusted for 4 flip rates, none is shown to be above 5.0 %")


def test_where_flips_are_rare_and_answers_are_missing_more_pairs_would_not_help():
    first = steps(finding(flip_rate=(0.0, 0.04)), undecided=True)[0].text
    assert first.startswith("Look at the answers without a verdict")


@pytest.mark.parametrize(("ties", "words"), [(True, "Look at the ties"), (False, "Judge more pairs")])
def test_what_is_open_asks_for_what_would_close_it(ties, words):
    assert steps(finding(flip_rate=(0.0, 0.2)), undecided=True, ties=ties)[0].text.startswith(words)
