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
    turned = dict.fromkeys(EARLY, "SF")
    data = bias_data(PAIRS, {"format=bullets:B": turned, "format=plain:A": LATE, "format=plain:B": LATE})
    bullets, plain = AUDIT.analyse(data, sampler(data))
    assert (bullets.subset, plain.subset) == ("format=bullets", "format=plain")
    assert (bullets.pairs, value(bullets, "net_shift")) == (6, 1)
    assert value(plain, "net_shift") == 0
    assert any("markup helped" in note for note in plain.notes)


def test_rewrites_of_both_forms_are_compared_with_each_other() -> None:
    """The user supplied both: plain text turns all to B, bullets three fewer."""
    data = bias_data(
        PAIRS,
        {
            "format=plain:B": dict.fromkeys(PAIRS, "SF"),
            "format=bullets:B": {p: "FS" if i < 3 else "SF" for i, p in enumerate(PAIRS)},
        },
    )
    plain, bullets = AUDIT.analyse(data, sampler(data))
    assert bullets.subset == "format=bullets against format=plain"
    assert value(bullets, "net_shift") == pytest.approx(-3 / 12)
    assert value(plain, "net_shift") == 1


def test_a_run_without_formats_is_refused() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert "format=plain or format=bullets" in reason(found, "net_shift")
