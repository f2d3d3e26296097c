"""Judged and labelled pairs from short strings: the judge's preferences in AB and BA, then one letter an annotator."""

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT
from evenhand.audits.humans.labelled import Asked, LabelledPairs
from evenhand.datasets.labels import Label
from evenhand.records import Preference

CODES = {"A": 0, "B": 1, "t": 2, "-": ABSENT}
LETTERS = {"A": Preference.A, "B": Preference.B, "t": Preference.TIE}


def labelled(
    *rows: str,
    authors: list[tuple[str | None, str | None]] | None = None,
    clusters: list[int] | None = None,
    dates: list[str] | None = None,
    asked: Asked = "both",
) -> LabelledPairs:
    """``AB|A-t``: order AB prefers A, BA prefers B; the first annotator said A, the second nothing, the third a tie."""
    pairs = [row.split("|") for row in rows]
    labels = tuple(
        tuple(
            Label(
                pair_id=f"p{i}",
                preference=LETTERS[letter],
                annotator=f"h{k}",
                date=None if dates is None else dates[i],
                row=i,
            )
            for k, letter in enumerate(said)
            if letter != "-"
        )
        for i, (_, said) in enumerate(pairs)
    )
    return LabelledPairs(
        judge="j",
        ids=tuple(f"p{i}" for i in range(len(pairs))),
        clusters=np.array(range(len(pairs)) if clusters is None else clusters, dtype=np.int64),
        ab=np.array([CODES[calls[0]] for calls, _ in pairs], dtype=np.int8),
        ba=np.array([CODES[calls[1]] for calls, _ in pairs], dtype=np.int8),
        labels=labels,
        authors=tuple(authors or [(None, None)] * len(pairs)),
        asked=asked,
    )


def sampler(pairs: LabelledPairs, *, resamples: int = 200) -> Sampler:
    return Sampler(clusters=pairs.clusters, seed=0, resamples=resamples, level=0.95)
