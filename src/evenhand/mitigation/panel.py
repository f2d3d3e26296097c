"""A panel of judges on the same pairs: each brings its own order-aggregated verdict, and the panel votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, Codes
from evenhand.errors import StatisticsError
from evenhand.mitigation.folds import FOLDS, cluster_folds, refuse_few_labels
from evenhand.mitigation.judged import NONE, TIE, A, Floats, JudgedPairs, preferred
from evenhand.mitigation.order import ASKED, ORDER_RULES, Mitigated, aggregate
from evenhand.stats import Refusal

__all__ = [
    "ONE_JUDGE",
    "Panel",
    "accuracy_weighted",
    "assemble",
    "judge_alone",
    "leaning",
    "majority",
    "one_judge",
    "take",
    "way_of",
]

ONE_JUDGE: Final = "one judge, drawn at random"
"""What a panel is compared with: picking its best judge afterwards would be picking by luck too."""

_SIGN: Final = np.array([1.0, -1.0, 0.0, 0.0])
"""Vote for A by code; the last is that of NONE (-1)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """Judges on the pairs that all of them were asked.

    Attributes
    ----------
    pairs
        The pairs with their labels and clusters; verdicts and costs there are the first judge's.
    names
        Of the judges.
    votes
        Shape (n, judges): each judge's own verdict, a tie where its two orders disagree; NONE where it has none.
    flips
        Shape (n, judges): pairs on which the judge's two orders prefer different responses.
    presentations, tokens
        Shape (n, judges): what the judge's own verdict costs.
    """

    pairs: JudgedPairs
    names: tuple[str, ...]
    votes: Codes
    flips: Booleans
    presentations: Floats
    tokens: Floats


def assemble(judges: Sequence[JudgedPairs], *, fewest: int = 2) -> Panel | Refusal:
    """Put judges side by side, on the pairs that all were asked.

    Returns
    -------
    Panel or Refusal
        Refused below ``fewest`` judges, and where no pair was asked of all.

    Raises
    ------
    StatisticsError
        Two judges have the same name, or different labels for one pair.
    """
    if len(judges) < fewest:
        return Refusal(reason=f"a panel needs runs of at least {fewest} judges, has {len(judges)}", n=len(judges))
    names = tuple(judge.judge for judge in judges)
    if len(set(names)) != len(names):
        raise StatisticsError(f"judges {', '.join(names)}: each needs a name of its own")
    places = [{pair_id: row for row, pair_id in enumerate(judge.ids) if judge.asked[row].any()} for judge in judges]
    shared = [pair_id for pair_id in judges[0].ids if all(pair_id in place for place in places)]
    if not shared:
        return Refusal(reason="no pair was asked of all judges", n=0)
    rows = [np.array([place[pair_id] for pair_id in shared]) for place in places]
    if any((judge.gold[row] != judges[0].gold[rows[0]]).any() for judge, row in zip(judges, rows, strict=True)):
        raise StatisticsError("the judges' runs have different labels for one pair")
    own = [_own_verdict(judge) for judge in judges]
    return Panel(
        pairs=replace(take(judges[0], rows[0]), judge=f"panel of {len(judges)}"),
        names=names,
        votes=np.column_stack([way.preference[row, 0] for way, row in zip(own, rows, strict=True)]),
        flips=np.column_stack([judge.flips[row] for judge, row in zip(judges, rows, strict=True)]),
        presentations=np.column_stack([way.presentations[row] for way, row in zip(own, rows, strict=True)]),
        tokens=np.column_stack([way.tokens[row] for way, row in zip(own, rows, strict=True)]),
    )


def take(pairs: JudgedPairs, rows: NDArray[np.int64]) -> JudgedPairs:
    """Some of the pairs, by index."""
    arrays = (
        *("clusters", "preference", "asked", "gold", "log_odds", "score_a", "score_b", "confidence", "tokens"),
        *("length_a", "length_b", "alone", "alone_tokens"),
    )
    return replace(
        pairs,
        ids=tuple(pairs.ids[row] for row in rows),
        authors=tuple(pairs.authors[row] for row in rows),
        **{name: getattr(pairs, name)[rows] for name in arrays},
    )


def _own_verdict(judge: JudgedPairs) -> Mitigated:
    for name in ("tie on conflict", ASKED):
        way = aggregate(ORDER_RULES[name], judge)
        if isinstance(way, Mitigated):
            return way
    raise StatisticsError(f"judge {judge.judge!r} was asked nothing")


def one_judge(panel: Panel) -> Mitigated:
    """The before: one of the judges, as likely each."""
    return Mitigated(
        name=ONE_JUDGE,
        how="What one judge of the panel gives on average when chance picks it, both its orders asked.",
        preference=np.where((panel.votes == NONE).any(axis=1)[:, None], np.int8(NONE), panel.votes),
        presentations=panel.presentations.mean(axis=1),
        tokens=panel.tokens.mean(axis=1),
        order_free=True,
        by_order=False,
    )


def judge_alone(panel: Panel, index: int) -> Mitigated:
    """One judge's own verdict, both its orders asked."""
    return Mitigated(
        name=f"{panel.names[index]} alone",
        how="The judge's own verdict, a tie where its two orders disagree.",
        preference=panel.votes[:, [index]],
        presentations=panel.presentations[:, index],
        tokens=panel.tokens[:, index],
        order_free=True,
        by_order=False,
    )


def way_of(panel: Panel, name: str, how: str, preference: Codes) -> Mitigated:
    """A panel's verdicts of shape (n,), at the cost of all its judges."""
    return Mitigated(
        name=name,
        how=how,
        preference=preference[:, None],
        presentations=panel.presentations.sum(axis=1),
        tokens=panel.tokens.sum(axis=1),
        order_free=True,
        by_order=False,
    )


def majority(panel: Panel) -> Mitigated:
    """More votes for A than for B, or the other way round; else a tie. A judge's tie is no vote for either.

    Examples
    --------
    >>> from evenhand.mitigation.examples import judged
    >>> judges = [judged(orders, gold="AAB", judge=str(i)) for i, orders in enumerate(
    ...     [["AA", "AA", "B-"], ["AA", "BB", "--"], ["BB", "AB", "--"]])]
    >>> majority(assemble(judges)).preference[:, 0].tolist()  # A; one each and a tie: a tie; nobody has a verdict
    [0, 2, -1]
    """
    return way_of(
        panel,
        "panel: majority",
        "Every judge has one vote, a tie where its two orders disagree; ties are no votes.",
        _by_weight(panel.votes, np.ones((1, len(panel.names)))),
    )


def accuracy_weighted(panel: Panel, *, sampler: Sampler) -> Mitigated | Refusal:
    """Votes weighted by the log-odds of each judge's accuracy on the labelled pairs of other questions.

    Returns
    -------
    Mitigated or Refusal
        Refused below 50 labelled pairs. A judge that is wrong more often than right weighs against its own vote.

    References
    ----------
    Nitzan and Paroush (1982), doi:10.2307/2526438: the weights that are best for independent judges.
    """
    pairs = panel.pairs
    labelled = pairs.labelled & (pairs.gold != TIE)
    refusal = refuse_few_labels(sampler.clusters[labelled], what="to weigh judges by")
    if refusal is not None:
        return refusal
    fold = cluster_folds(sampler.clusters, rng=sampler.stream("panel, folds"))
    decided = (panel.votes >= 0) & (panel.votes != TIE) & labelled[:, None]
    right = decided & (panel.votes == pairs.gold[:, None])
    weights = np.empty((FOLDS, len(panel.names)))
    for k in range(FOLDS):
        train = fold != k
        # Laplace's rule keeps the weight of a judge that was never wrong finite.
        share = (right[train].sum(axis=0) + 1) / (decided[train].sum(axis=0) + 2)
        weights[k] = np.log(share / (1 - share))
    return way_of(
        panel,
        "panel: weighted by accuracy",
        "Votes weigh the log-odds of the judge's accuracy, measured on the labelled pairs of other questions.",
        _by_weight(panel.votes, weights[fold]),
    )


def _by_weight(votes: Codes, weights: Floats) -> Codes:
    total = (_SIGN[votes] * weights).sum(axis=1)
    total = np.where(np.abs(total) < 1e-12, 0.0, total)  # weights that cancel may leave a last bit
    return preferred(np.where((votes == NONE).all(axis=1), np.nan, total))


def leaning(panel: Panel) -> Floats:
    """Share of the judges with a verdict that vote for A, a tie counting half; NaN without any. Shape (n,)."""
    value = np.where(panel.votes == A, 1.0, np.where(panel.votes == TIE, 0.5, 0.0))
    has = panel.votes != NONE
    with np.errstate(invalid="ignore"):
        return np.asarray((value * has).sum(axis=1) / np.where(has.any(axis=1), has.sum(axis=1), np.nan))
