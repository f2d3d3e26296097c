"""The same words in another dress."""

import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.formatting import FormattingAudit
from evenhand.perturbations.registry import perturbations

AUDIT = FormattingAudit()
PAIRS = {f"p{i}": "FS" for i in range(12)}
EARLY = {p: codes for i, (p, codes) in enumerate(PAIRS.items()) if i < 6}
LATE = {p: codes for p, codes in PAIRS.items() if p not in EARLY}


def test_plan_has_plain_text_first() -> None:
    assert isinstance(AUDIT, BiasAudit)
    planned = [change for changes in AUDIT.plan(frozenset({("format", "table")})) for change in changes]
    assert [c.level for c in planned[::2]] == ["plain", "bullets", "markdown", "code", "table"]
    assert {"plain", "bullets", "markdown", "code"} <= {level.name for level in perturbations()["format"].levels}


def test_rules_dress_plain_responses_and_undress_the_others() -> None:
    """No response has both forms made by rule: each is compared with the control."""
    turned = {"format=bullets:A": EARLY, "format=bullets:B": dict.fromkeys(EARLY, "SF")}
    data = bias_data(PAIRS, turned | {"format=plain:A": LATE, "format=plain:B": LATE})
    bullets, plain = AUDIT.analyse(data, sampler(data))
    assert (bullets.subset, plain.subset) == ("format=bullets", "format=plain")
    assert (bullets.pairs, value(bullets, "net_shift")) == (6, 0.5)
    assert value(plain, "net_shift") == 0
    assert any("markup helped" in note for note in plain.notes)


def test_rewrites_of_both_forms_are_compared_with_each_other() -> None:
    """The user supplied both: plain text of B turns all to B, its bullets three fewer; A wins in either form."""
    data = bias_data(
        PAIRS,
        {
            "format=plain:A": PAIRS,
            "format=plain:B": dict.fromkeys(PAIRS, "SF"),
            "format=bullets:A": PAIRS,
            "format=bullets:B": {p: "FS" if i < 3 else "SF" for i, p in enumerate(PAIRS)},
        },
    )
    plain, bullets = AUDIT.analyse(data, sampler(data))
    assert bullets.subset == "format=bullets against format=plain"
    assert value(bullets, "net_shift") == pytest.approx(-3 / 24)
    assert value(plain, "net_shift") == 0.5


def test_a_form_that_only_one_response_of_each_pair_can_take_shows_nothing() -> None:
    """Markup is taken off A in half of the pairs and off B in the others: with the change the judge ties more."""
    tied = dict.fromkeys(PAIRS, "TT")
    one_each = {
        "format=plain:A": {p: tied[p] for p in EARLY},
        "format=plain:B": {p: tied[p] for p in LATE},
    }
    data = bias_data({**EARLY, **dict.fromkeys(LATE, "SF")}, one_each)  # the target is always the better one
    [found] = AUDIT.analyse(data, sampler(data))
    assert reason(found, "net_shift").endswith("has none (12 pairs have them for one target alone)")
    assert (found.pairs, found.presentations, found.tests) == (0, 0, ())
    assert value(found, "net_shift_any_target") == -1
    first = next(iter(EARLY))
    [alone] = AUDIT.analyse(
        bias_data({first: "FS"}, {"format=plain:A": {first: "TT"}, "format=plain:B": {}}), sampler(data)
    )
    assert reason(alone, "net_shift").endswith("has none (1 pair has them for one target alone)")


def test_a_run_without_formats_is_refused() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert "format=plain or format=bullets" in reason(found, "net_shift")
