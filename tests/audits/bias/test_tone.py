"""Assertive against hedged, on the same response."""

import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.tone import ToneAudit
from evenhand.perturbations.registry import perturbations

AUDIT = ToneAudit()
PAIRS = {f"p{i}": "FS" for i in range(12)}


def test_plan() -> None:
    assert isinstance(AUDIT, BiasAudit)
    planned = [change for changes in AUDIT.plan(frozenset({("tone", "rude")})) for change in changes]
    assert [c.name for c in planned] == [f"tone={t}:{r}" for t in ("assertive", "hedged", "rude") for r in "AB"]
    assert {"assertive", "hedged"} <= {level.name for level in perturbations()["tone"].levels}


def test_the_contrast_holds_what_both_frames_share_constant() -> None:
    """Any frame around B makes the judge prefer it, but for six pairs when it is hedged."""
    framed = dict.fromkeys(PAIRS, "SF")
    hedged = {p: "FS" if i < 6 else "SF" for i, p in enumerate(PAIRS)}
    data = bias_data(
        PAIRS,
        {"tone=assertive:A": PAIRS, "tone=assertive:B": framed, "tone=hedged:A": PAIRS, "tone=hedged:B": hedged},
    )
    between, assertive, only_hedged = AUDIT.analyse(data, sampler(data))
    assert [f.subset for f in (between, assertive, only_hedged)] == [
        "tone=assertive against tone=hedged",
        "tone=assertive",
        "tone=hedged",
    ]
    assert value(between, "net_shift") == pytest.approx(6 / 24)
    assert value(assertive, "net_shift") == pytest.approx(12 / 24)
    assert value(only_hedged, "net_shift") == pytest.approx(6 / 24)
    assert between.tests[0].p_value == pytest.approx(2 / 2**6)


def test_one_tone_alone_has_no_contrast() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    assert [f.subset for f in AUDIT.analyse(data, sampler(data))] == ["tone=hedged"]


def test_a_run_without_tones_is_refused() -> None:
    data = bias_data(PAIRS, {"format=code:A": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert "tone=assertive or tone=hedged" in reason(found, "net_shift")
