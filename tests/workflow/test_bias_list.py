from evenhand.audits.bias.registry import BIAS_AUDITS
from evenhand.workflow.bias_list import listed_audits


def test_every_audit_is_listed_with_what_it_asks() -> None:
    listed = {audit.name: audit for audit in listed_audits()}
    assert list(listed) == [*BIAS_AUDITS, "self-preference"]
    tone = listed["tone"]
    assert (tone.conditions, tone.presentations, tone.runs) == (4, 8, 1)
    assert tone.asks == "8 presentations of each pair (4 changed conditions in both orders)"
    assert listed["rationale"].asks == "nothing"
    assert listed["self-preference"].asks == "nothing, but needs the runs of 2 judges or more"
