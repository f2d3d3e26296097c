"""A run whose pairs name their authors, judged by a simulated judge with a bias toward the first slot."""

import random
from pathlib import Path

from evenhand.records import Pair, Preference
from evenhand.workflow import AuditSettings, ReadoutChoice, audit

QUALITY = {"alpha": 1.0, "beta": 0.4, "gamma": -0.2, "delta": -1.0}


def authored_pairs(count: int = 120) -> list[Pair]:
    """``gamma`` always writes response A where it takes part."""
    draw = random.Random(1)  # noqa: S311 - no secret
    pairs = []
    for i in range(count):
        a, b = draw.sample(list(QUALITY), 2)
        if b == "gamma":
            a, b = b, a
        texts = [f"Answer <quality:{QUALITY[name] + draw.gauss(0, 0.5):.3f}> text" for name in (a, b)]
        pairs.append(
            Pair(
                id=f"p{i}",
                instruction=f"Question {i // 2}",
                response_a=texts[0],
                response_b=texts[1],
                author_a=a,
                author_b=b,
                gold=Preference.A if QUALITY[a] > QUALITY[b] else Preference.B,
            )
        )
    return pairs


def ranked_run(directory: Path, *, position: float = 1.5, pairs: list[Pair] | None = None) -> Path:
    """Judge them."""
    audit(
        f"simulated:position={position},noise=0.5",
        authored_pairs() if pairs is None else pairs,
        settings=AuditSettings(readout=ReadoutChoice.FIRST_TOKEN),
        out=directory,
    )
    return directory
