from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.report.probabilities import mass_sentences, probability_table


def test_readable_measures_stand_by_readout(remedied):
    table = probability_table(remedied.audit)
    assert [column.label for column in table.columns] == ["condition", "measure", "first-token", "prefilled"]
    rows = {row[1].text: row for row in table.rows}
    assert {"label mass", "label mass below half", "accuracy, averaged orders", "decisive flips"} <= rows.keys()
    assert len(rows) == len(table.rows) == 10
    assert not rows["Brier score, averaged orders"][2].text.startswith(("+", "−")), "a score is no difference"
    assert rows["label mass"][2].interval


def test_little_mass_on_the_labels_is_a_warning_with_its_figure(remedied):
    (sentence,) = mass_sentences(remedied.audit)
    assert sentence.startswith("On 30.8 % [")
    assert "(first-token, the most of 2)" in sentence


def test_enough_mass_is_no_warning(remedied, audit):
    def full(finding):
        if finding.kind is not FindingKind.PROBABILITY:
            return finding
        measures = tuple(
            replace(m, estimate=replace(m.estimate, value=0.05)) if m.name == "low_mass_rate" else m
            for m in finding.measures
        )
        return replace(finding, measures=measures)

    enough = replace(remedied.audit, findings=tuple(map(full, remedied.audit.findings)))
    assert mass_sentences(enough) == []
    assert mass_sentences(audit) == []
    assert probability_table(audit) is None
