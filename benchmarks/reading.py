"""Reading judges' texts: processor time a text and a thousand characters, by kind of text.

Run ``python benchmarks/reading.py [--seconds 0.5] [--log FILE.jsonl]``. Beside the parser, in the same run: *whole*,
all of its patterns tried one after another over the whole text without any test beforehand, which is the least that
finding the same matches costs without :mod:`evenhand.readouts.search`; and *naive*, one regular expression whose last
match is the verdict, as scripts have it, with whether it gives the same verdict. Times are the least of several
repeats, of this process alone. ``--log`` adds the judgments of a JudgeBench output file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.readouts.normalise import normalise
from evenhand.readouts.search import AtEnd, With
from evenhand.readouts.searches import Searches
from evenhand.records import LabelSet

REPEATS = 7

REASONING = (
    "Response A gives a clear account of the causes and cites two sources, which the user asked for. It explains the "
    "treaty of 1815 and its consequences in plain words. Response B is longer, but it repeats the question and drifts "
    "into a discussion of art. Some of its dates are wrong: the congress did not end in 1825. The structure of A helps "
    "a reader who knows little, while B assumes knowledge that most users do not have. Both are polite and neither of "
    "them invents sources. The instruction asked for three paragraphs; A keeps to that and B writes five, one of which "
    "only repeats what was said before. On style the two are close, and I would prefer shorter sentences in both. "
)
TEXTS = {
    "label alone": ["A"],
    "three lines": ["A keeps to the three paragraphs that were asked for, and B does not.\n85\nA"],
    "reasoning, sentence": [f"{REASONING}Overall, Response A is better."],
    "reasoning, brackets": [f"{REASONING}\n\nMy final verdict is [[A]]."],
    "reasoning, field": [f"{REASONING}\n\n**Verdict:** A"],
    "JSON": [json.dumps({"reason": REASONING, "winner": "A"})],
    "thinking": [f"<think>{REASONING}{REASONING}</think>\n\nResponse A is better."],
    "refusal": [f"{REASONING}\nI'm sorry, but I cannot judge which of them a patient should follow."],
    "no decision": [REASONING],
    "cut": [REASONING[: len(REASONING) * 4 // 5]],
    "long, 10,000": [f"{REASONING * 14}\n\nTherefore, Response A is better."],
    "hostile": ["[[A or <think the Response is better than the " * 40],
}

NAIVE = re.compile(
    r"\[\[([AB])\]\]|(?:verdict|winner|answer|choice|prefer|choose|pick)\W+(?:is\W+)?(?:response |assistant )?([AB])\b"
    r"|(?:response|assistant) ([AB]) is (?:\w+ )?(?:better|best)|^\W*([AB])\W*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Microseconds a text of each way, and the share of texts in which the naive verdict is the parser's."""

    kind: str
    characters: float
    ours: float
    whole: float
    naive: float
    same: float


def naive(text: str) -> str | None:
    """The last match's label."""
    last = None
    for found in NAIVE.finditer(text):
        last = found[found.lastindex or 0].upper()
    return last


def whole(text: str, grammar: DecisionGrammar) -> int:
    """How many matches all the patterns have in a text, each tried everywhere."""
    plain = normalise(text).text
    count = 0
    for field in fields(Searches):
        search = getattr(grammar.searches, field.name)
        if search is not None and not isinstance(search, With | AtEnd):
            count += sum(1 for _ in getattr(grammar.patterns, field.name).finditer(plain))
    return count


def microseconds(run: Callable[[str], object], texts: Sequence[str], seconds: float) -> float:
    """Least processor time a text, of repeats that take about so many seconds together."""
    begin = time.process_time()
    for text in texts:
        run(text)
    once = max(time.process_time() - begin, 1e-6)
    rounds = max(1, int(seconds / REPEATS / once))
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.process_time()
        for _ in range(rounds):
            for text in texts:
                run(text)
        best = min(best, (time.process_time() - begin) / rounds / len(texts))
    return best * 1e6


def measure(kind: str, texts: Sequence[str], grammar: DecisionGrammar, seconds: float) -> Timing:
    labels = {"first": "A", "second": "B", None: None}
    # Every text another one, so that no decision is taken from the cache of short ones; a label alone always is.
    different = texts if len(texts) > 1 else [f"{texts[0]}{' ' * more}" for more in range(8)]
    same = sum(labels.get(parse_decision(text, grammar).outcome) == naive(text) for text in texts)
    return Timing(
        kind=kind,
        characters=sum(map(len, texts)) / len(texts),
        ours=microseconds(lambda text: parse_decision(text, grammar), different, seconds),
        whole=microseconds(lambda text: whole(text, grammar), different, seconds),
        naive=microseconds(naive, different, seconds),
        same=same / len(texts),
    )


def logged(path: Path) -> list[str]:
    """The judgments of a JudgeBench output file."""
    with path.open(encoding="utf-8") as lines:
        raw = [each["judgment"] for line in lines for each in json.loads(line)["judgments"]]
    return [each["response"] if isinstance(each, dict) else each for each in raw]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="processor seconds for each time")
    parser.add_argument("--log", type=Path, help="a JudgeBench output file: its judgments, too")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print("| kind of text | characters | µs a text | µs per 1,000 | texts a second | whole | naive | naive agrees |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    ab = LabelSet.parse("A/B")
    cases = [(kind, texts, DecisionGrammar.of(ab)) for kind, texts in TEXTS.items()]
    if arguments.log is not None:
        arena = DecisionGrammar(labels=ab, comparison=True)
        cases.append(("JudgeBench, its brackets", logged(arguments.log), arena))
    for kind, texts, grammar in cases:
        row = measure(kind, texts, grammar, arguments.seconds)
        print(
            f"| {row.kind} | {row.characters:,.0f} | {row.ours:,.1f} | {row.ours / row.characters * 1000:,.0f} "
            f"| {1e6 / row.ours:,.0f} | {row.whole:,.0f} ({row.whole / row.ours:.1f}×) "
            f"| {row.naive:,.1f} ({row.naive / row.ours:.2f}×) | {row.same:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
