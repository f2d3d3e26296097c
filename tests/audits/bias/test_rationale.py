from dataclasses import replace

import pytest

from audits.bias.changed import bias_data, sampler
from evenhand.analysis import MEASURES
from evenhand.audits.bias.base import BiasAudit, Rationale
from evenhand.audits.bias.rationale import RationaleAudit
from evenhand.stats import Refusal

AUDIT = RationaleAudit()
ABOUT = "Response {} keeps to the question and to the form it asks for, while Response {} adds what nobody wanted: {}."
OTHER = "I looked for errors of fact. The capital is wrong in one, and a date in the other; both are short enough, {}."


def run(verdicts, texts):
    """``texts`` of a pair: (order AB, order BA)."""
    data = bias_data(verdicts, {})
    rationales = tuple(
        Rationale(pair_id=name, condition="c", order=order, text=text)
        for name, both in texts.items()
        for order, text in zip(("AB", "BA"), both, strict=True)
    )
    return replace(data, rationales=rationales)


def finding(data):
    (found,) = AUDIT.analyse(data, sampler(data))
    return found


def twelve():
    """Six flips, of which three repeat themselves slot for slot; six consistent pairs that say the same of the same."""
    verdicts, texts = {}, {}
    for i in range(12):
        name = f"p{i:02d}"
        if i < 3:
            verdicts[name], texts[name] = "FF", (ABOUT.format("A", "B", "A"), ABOUT.format("A", "B", "A"))
        elif i < 6:
            verdicts[name], texts[name] = "FF", (ABOUT.format("A", "B", "A"), OTHER.format("so A"))
        else:
            verdicts[name], texts[name] = "FS", (ABOUT.format("A", "B", "A"), ABOUT.format("B", "A", "B"))
    return verdicts, texts


def test_it_is_a_bias_audit_that_asks_nothing():
    assert isinstance(AUDIT, BiasAudit)
    assert AUDIT.plan(frozenset({("tone", "hedged")})) == ()


def test_flips_that_repeat_themselves_are_counted():
    found = finding(run(*twelve()))
    table = dict(found.table)
    assert table["flips with two rationales"] == 6
    assert table["flips nearly the same by slot"] == 3
    assert table["consistent pairs nearly the same"] == 6
    assert found.measure("near_identical_flips").value == 0.5
    assert found.measure("rationale_similarity_consistent").value == pytest.approx(1.0)
    slot, response = (
        found.measure(name).value for name in ("rationale_slot_similarity_flips", "rationale_similarity_flips")
    )
    assert slot > response
    difference = found.measure("rationale_similarity_difference")
    assert difference.value == pytest.approx(response - 1.0)
    assert difference.interval.high < 0
    assert {m.name for m in found.measures} <= {m.name for m in MEASURES}


def test_bare_verdicts_are_no_rationales_and_missing_texts_are_counted():
    verdicts, texts = twelve()
    texts["p00"] = ("[[A]]", "[[A]]")
    del texts["p07"]
    found = finding(run(verdicts, texts))
    assert dict(found.table)["of these with two rationales"] == 10
    assert "Without a text in each order: 1 of 12 pairs decided in both orders (8.3 %)." in found.notes
    assert found.notes[-1].endswith("1 of 12 pairs decided in both orders (8.3 %).")


def test_ties_are_no_flips():
    verdicts, texts = twelve()
    verdicts["p00"] = "FT"
    assert dict(finding(run(verdicts, texts)).table)["pairs decided in both orders"] == 11


def test_a_run_without_texts_is_told_so():
    found = finding(run(twelve()[0], {}))
    reason = "needs the judge's own words in both orders: the run keeps none"
    assert found.measure("rationale_similarity_flips") == Refusal(reason=reason)
    assert found.tests == ()


def test_no_flip_is_said_and_not_zero():
    verdicts, texts = twelve()
    found = finding(run(dict.fromkeys(verdicts, "FS"), texts))
    assert isinstance(found.measure("near_identical_flips"), Refusal)
    assert found.measure("near_identical_flips").reason == "no flip has two rationales"
