from __future__ import annotations

import json
from pathlib import Path

from evenhand.datasets import load_pairs
from evenhand.judges import load_judge
from evenhand.perturbations.variants import load_variants
from evenhand.records import LabelSet
from evenhand.workflow import AuditSettings
from evenhand.workflow.bias_notes import announced_biases
from evenhand.workflow.plan import Plan, make_plan


def plan(settings: AuditSettings, *, variants: Path | None = None) -> Plan:
    pairs = load_pairs("starter", limit=6)
    rewrites = None if variants is None else load_variants(variants, pairs)
    with load_judge("simulated:position=0.5") as judge:
        return make_plan(judge, pairs, settings, variants=rewrites)


def test_without_bias_audits_nothing_is_said() -> None:
    assert announced_biases(plan(AuditSettings()), repeat_given=False) == ()


def test_audits_of_verdicts_as_they_are_ask_nothing() -> None:
    made = plan(AuditSettings(biases=("rationale",)))
    assert made.settings.repeat == 0
    assert announced_biases(made, repeat_given=False) == (
        "bias audits rationale: nothing is asked beside the control, they look at its verdicts",
    )


def test_what_is_asked_beside_the_control_and_how_noise_is_measured() -> None:
    made = plan(AuditSettings(biases=("tone",), labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y"))))
    asked, noise = announced_biases(made, repeat_given=False)
    # Two labels, two tones, two targets, six pairs, two orders; the control twice over, and each pair once again.
    assert asked == "bias audits tone: 96 presentations under 8 changed conditions beside the control's 36"
    assert noise.startswith("noise is measured on 6 of 6 pairs, asked again in the same order")


def test_the_users_own_number_of_repeats_is_not_explained_and_none_is() -> None:
    own = announced_biases(plan(AuditSettings(biases=("tone",), repeat=2)), repeat_given=True)
    assert len(own) == 1
    none = announced_biases(plan(AuditSettings(biases=("tone",), repeat=0)), repeat_given=True)
    assert none[1].startswith("noise is not measured (--repeat 0)")


def test_pairs_that_a_change_cannot_be_made_to_are_counted_once_a_change(tmp_path: Path) -> None:
    pair = load_pairs("starter", limit=1)[0]
    path = tmp_path / "mine.jsonl"
    rows = [
        {"pair_id": pair.id, "factor": "register", "level": "non-native", "target": target, "text": f"Me say {target}."}
        for target in "AB"
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    made = plan(AuditSettings(biases=("register",), variants=path), variants=path)
    said = [text for text in announced_biases(made, repeat_given=False) if text.startswith("register=non-native")]
    assert said == [
        "register=non-native can't be made to every one of 6 pairs (up to 5 for one response: no rewrite was supplied "
        "for this pair and response)"
    ]
