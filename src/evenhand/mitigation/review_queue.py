"""Which pairs a person should look at: where the panel splits, judges flip, or nobody has a verdict. Ranked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.mitigation.judged import NONE, TIE, A, B
from evenhand.mitigation.panel import Panel, leaning, majority

__all__ = ["ReviewItem", "review_queue"]

_WORDS = {A: "A", B: "B", TIE: "tie", NONE: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A pair for human review.

    Attributes
    ----------
    priority
        Split plus flips, 0 to 2: the higher, the less the panel can be relied on.
    split
        0 where all judges with a verdict vote alike, 1 where as many vote for A as for B.
    flips
        Share of the judges whose two orders prefer different responses.
    votes
        Each judge's own verdict: A, B, tie, or empty for none.
    verdict
        The majority's.
    reason
        In words.
    """

    pair_id: str
    priority: float
    split: float
    flips: float
    votes: tuple[tuple[str, str], ...]
    verdict: str
    reason: str


def review_queue(panel: Panel) -> tuple[ReviewItem, ...]:
    """Pairs on which the panel splits or a judge flips or has no verdict, the least reliable first.

    Pairs on which every judge prefers the same response in both orders are left out. Pairs of equal priority keep their
    order.

    Examples
    --------
    >>> from evenhand.mitigation.examples import judged
    >>> from evenhand.mitigation.panel import assemble
    >>> judges = [judged(["AA", "AB", "AA"], gold="...", judge="x"), judged(["AA", "BB", "BB"], gold="...", judge="y")]
    >>> [(item.pair_id, item.priority, item.reason) for item in review_queue(assemble(judges))]
    [('p2', 1.0, 'judges split 1 to 1'), ('p1', 1.0, 'judges split 1 to 0, 1 tie; 1 judge flips')]
    """
    lean, verdicts = leaning(panel), majority(panel).preference[:, 0]
    split = np.where(np.isnan(lean), 1.0, 1 - np.abs(2 * np.nan_to_num(lean) - 1))
    flips = panel.flips.mean(axis=1)
    missing = (panel.votes == NONE).any(axis=1)
    # A tie is no flip, and yet it is no agreement either: any vote that isn't the same decided one is looked at.
    undecided = (panel.votes != panel.votes[:, [0]]).any(axis=1) | (panel.votes[:, 0] == TIE)
    rows = np.flatnonzero(undecided | panel.flips.any(axis=1) | missing)
    priority = split + flips
    exact = [tuple(map(float, (-priority[row], -split[row], row))) for row in rows]
    return tuple(
        ReviewItem(
            pair_id=panel.pairs.ids[row],
            priority=float(priority[row]),
            split=float(split[row]),
            flips=float(flips[row]),
            votes=tuple((name, _WORDS[int(vote)]) for name, vote in zip(panel.names, panel.votes[row], strict=True)),
            verdict=_WORDS[int(verdicts[row])],
            reason=_reason(panel, int(row)),
        )
        for row in (int(key[2]) for key in sorted(exact))
    )


def _reason(panel: Panel, row: int) -> str:
    counts = {code: int((panel.votes[row] == code).sum()) for code in (A, B, TIE, NONE)}
    if len(panel.names) == 1:
        return "flips" if panel.flips[row, 0] else "no verdict" if counts[NONE] else "tie"
    parts = []
    if counts[A] or counts[B]:
        # Without saying which: the file is for people who label blind.
        more, fewer = max(counts[A], counts[B]), min(counts[A], counts[B])
        parts.append(f"judges split {more} to {fewer}" if fewer or counts[TIE] else "judges agree")
    else:
        parts.append("no judge prefers a response")
    if counts[TIE]:
        parts[0] += f", {counts[TIE]} tie{'s' if counts[TIE] > 1 else ''}"
    if counts[NONE]:
        parts[0] += f", {counts[NONE]} without a verdict"
    flipping = int(panel.flips[row].sum())
    if flipping:
        parts.append(f"{flipping} judge{' flips' if flipping == 1 else 's flip'}")
    return "; ".join(parts)
