from evenhand.report.bias_found import bias_found
from evenhand.report.headline import build_headline
from evenhand.store import PlanCounts
from report.findings import audit, finding


def test_biases_are_sorted_as_their_study_sorts_them(biased):
    found = bias_found(biased.biases)
    study = biased.bias_study()
    assert f"Bias is shown in {found.shown} of" in study.headline.verdict
    assert found.shown >= 1
    assert len(found.doubt) == min(found.shown, 3)
    assert all("[" in claim.text for claim in found.doubt)
    assert [claim.text for claim in found.steps] == list(study.headline.next_steps)
    assert all(claim.rests_on[0] == "figure-biases" for claim in (*found.doubt, *found.steps, *found.more))


def test_a_judge_that_is_even_in_order_alone_gets_no_clean_title(biased):
    even = audit(finding(flip_rate=(0.0, 0.04)))
    counts = PlanCounts(planned=200, finished=200)
    assert build_headline(even, counts=counts, single_order=False).status == "steady"
    found = build_headline(even, counts=counts, single_order=False, biases=biased.biases)
    assert found.status == "sensitive"
    assert found.verdict.startswith("Bias beside order is shown in ")
    assert found.verdict.endswith("of the order: no order effect above 5.0 % on these pairs")
    biased_order = audit(finding(flip_rate=(0.3, 0.6)))
    own = build_headline(biased_order, counts=counts, single_order=False, biases=biased.biases)
    assert own.verdict == build_headline(biased_order, counts=counts, single_order=False).verdict


def test_no_findings_add_nothing():
    empty = bias_found(audit())
    assert (empty.shown, empty.trust, empty.doubt, empty.more) == (0, (), (), ())
