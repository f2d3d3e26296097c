from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.remedies import remedy_sentences
from evenhand.report.scope import scopes_of
from evenhand.stats import Interval


def test_each_remedy_has_a_sentence_of_figures(remedied):
    prefilled, constrained = remedy_sentences(remedied.audit, scopes_of(remedied.audit))
    assert prefilled.startswith("A prefill makes the judge go on with a verdict token on 80.0 % [")
    assert "instead of 51.7 % [" in prefilled
    assert "against what the judge writes, flips differ by +3.3 pp [" in prefilled
    assert "not clear of 0, and accuracy differs by −3.3 pp [" in prefilled
    assert constrained.startswith("Held to a label, the judge gave a verdict on 100 % [")
    assert "flips differ by 0.0 pp [" in constrained
    for sentence in (prefilled, constrained):
        assert ",." not in sentence
        assert ",," not in sentence


def test_a_clear_difference_is_not_called_unclear(remedied):
    def clear(finding):
        if finding.kind is not FindingKind.READOUTS:
            return finding
        interval = Interval(low=0.1, high=0.3)
        return replace(
            finding,
            measures=tuple(
                replace(m, estimate=replace(m.estimate, value=0.2, interval=interval)) for m in finding.measures
            ),
        )

    audit = replace(remedied.audit, findings=tuple(map(clear, remedied.audit.findings)))
    for sentence in remedy_sentences(audit, scopes_of(audit)):
        assert "flips differ by +20.0 pp [+10.0, +30.0] and accuracy differs by +20.0 pp [+10.0, +30.0]." in sentence


def test_without_the_generated_readout_the_figures_stand_alone(remedied):
    findings = tuple(f for f in remedied.audit.findings if f.kind is not FindingKind.READOUTS)
    audit = replace(remedied.audit, findings=findings)
    prefilled, _ = remedy_sentences(audit, scopes_of(audit))
    assert "against" not in prefilled


def test_no_remedy_no_sentence(audit):
    assert remedy_sentences(audit, scopes_of(audit)) == []


def test_of_several_conditions_the_largest_is_told(remedied):
    again = tuple(
        replace(f, condition="other, A/B")
        for f in remedied.audit.findings
        if f.condition is not None and f.readout in (Readout.PREFILLED, Readout.GENERATED)
    )
    audit = replace(remedied.audit, findings=(*remedied.audit.findings, *again))
    prefilled, _ = remedy_sentences(audit, scopes_of(audit))
    assert "the largest of 2 conditions, 0 of them clear of 0" in prefilled
