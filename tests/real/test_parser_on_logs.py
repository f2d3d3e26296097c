"""Our parse of real judges' texts beside the parse that their logs carry.

Every disagreement is listed by id with the reason found by reading the text; a new one fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import LabelSet

SHARED = Path(os.environ.get("EVENHAND_SHARED", Path(__file__).parents[2].parent / "shared"))
LLMBAR = SHARED / "data" / "llmbar" / "verdicts" / "Natural"
JUDGEBENCH = SHARED / "data" / "judgebench" / "outputs"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not (LLMBAR.is_dir() and JUDGEBENCH.is_dir()), reason=f"no real verdict logs under {SHARED}"),
]

OUTPUT_AB = DecisionGrammar(labels=LabelSet.parse("a/b"), parenthesised=True)
ARENA_HARD = DecisionGrammar(labels=LabelSet.parse("A/B"), comparison=True)

# (evaluator, row, swapped): log's winner in slots, ours.
#
# PaLM2/CoT: each text says "Output (b) is better" in its first or last sentence and says it of no other; the log has
# Output (a), for no reason in the text. Row 35 begins with "Output (b) is better" and ends with "Therefore, Output (a)
# is better".
PALM2_ROWS = {
    *((row, True) for row in (0, 2, 6, 34, 64, 79, 85, 95)),
    *((row, False) for row in (7, 11, 13, 18, 32, 40, 50, 57, 68, 71, 74, 86, 95)),
}
LLMBAR_KNOWN: dict[tuple[str, int, bool], tuple[str | None, str | None]] = {
    **{("PaLM2/CoT", row, swapped): ("first", "second") for row, swapped in PALM2_ROWS},
    ("PaLM2/CoT", 35, True): ("second", "first"),
    # Falcon writes "Therefore, Output (a) is better" and later "Therefore, Output (b) is better": contradictory.
    ("Falcon/CoT", 7, False): ("first", None),
    # "In terms of the level of detail, Output (a) is better. … Therefore, Output (b) is better."
    ("Falcon/CoT", 74, False): ("first", "second"),
}

# (pair, judgment): the log has no decision since the text has two different brackets; ours, and why.
JUDGEBENCH_KNOWN = {
    ("663eb019-69ba-570f-bf87-f210f58e8cec", 1): "first",  # [[A>>B]] and [[A>B]]: the same side
    ("e507c24c-268f-57b3-ae82-115141c2cb01", 0): "first",  # [[A>B]] and [[A>>B]]: the same side
    # The last one is called the final verdict; those before it compare with the judge's own answer.
    ("4e42fb58-f8e7-5d33-9585-73aa84d37ba2", 0): "first",
    ("6bc9bd9d-322e-5e9d-9ef4-c949d73eeb75", 0): "first",
    ("c2d66af7-e981-5b4f-849d-00876452ae3e", 0): "first",
}


def llmbar_texts() -> Iterator[tuple[str, int, bool, str, str | None]]:
    for path in sorted(LLMBAR.glob("*/*/result.json")):
        for row, record in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            for result in record["results"]:
                for swapped in (False, True):
                    answer = result[f"swap = {swapped}"]
                    winner = answer["winner"]
                    slot = None if winner is None else ("second" if (winner == "1") is swapped else "first")
                    yield f"{path.parts[-3]}/{path.parts[-2]}", row, swapped, answer["completion"][0], slot


def test_llmbar_evaluators() -> None:
    disagreements = {}
    total = 0
    for name, row, swapped, text, theirs in llmbar_texts():
        total += 1
        ours = parse_decision(text, OUTPUT_AB).outcome
        if ours != theirs:
            disagreements[name, row, swapped] = (theirs, None if ours is None else str(ours))
    assert total >= 1600
    assert disagreements == LLMBAR_KNOWN
    assert 1 - len(disagreements) / total >= 0.98


def test_judgebench_outputs() -> None:
    slots = {"A>B": "first", "B>A": "second", "A=B": "tie", None: None}
    disagreements = {}
    total = 0
    for path in sorted(JUDGEBENCH.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                for number, judgment in enumerate(record["judgments"]):
                    raw = judgment["judgment"]
                    text = raw["response"] if isinstance(raw, dict) else raw
                    ours = parse_decision(text, ARENA_HARD).outcome
                    total += 1
                    if ours != slots[judgment["decision"]]:
                        disagreements[record["pair_id"], number] = None if ours is None else str(ours)
    assert total == 540
    assert disagreements == JUDGEBENCH_KNOWN
    assert 1 - len(disagreements) / total >= 0.99  # 535 of 540
