"""Several judges' verdicts on the same pairs, lined up: one row a pair, one column an order, one layer a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import FIRST, SECOND, PairFacts, WideTable
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.families import family_of
from evenhand.audits.bias.features import log_length_ratio
from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair, Preference, Readout

__all__ = ["ComparedJudges", "JudgeVerdicts", "compare_judges", "judge_verdicts"]

_READOUTS: Final = (Readout.GENERATED, Readout.LOGGED, Readout.HYBRID, Readout.CONSTRAINED, Readout.FIRST_TOKEN)
"""What a judge's verdict is where none is named: what it wrote, before what was read for it."""
_PREFERENCES: Final = tuple(Preference)
_GOLD_SIDE: Final = {Preference.A: 1.0, Preference.B: -1.0, Preference.TIE: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeVerdicts:
    """One judge's verdicts under one condition and readout.

    Attributes
    ----------
    name
        The model's name, by which its family is found; distinct.
    """

    name: str
    wide: WideTable
    pairs: Mapping[str, Pair]
    condition: str
    readout: Readout


def judge_verdicts(
    data: BiasData, *, name: str | None = None, condition: str | None = None, readout: Readout | None = None
) -> JudgeVerdicts:
    """Choose what of a run stands for its judge.

    Parameters
    ----------
    name
        The run's own judge where None.
    condition
        Needed where the run has several unchanged conditions.
    readout
        What the judge wrote, or else what the log says, where None.

    Raises
    ------
    ConfigError
        The condition has to be named, or isn't there.
    """
    unchanged = [c.id for c in data.conditions if not c.changes]
    if condition is None and len(unchanged) != 1:
        raise ConfigError(f"a run with the conditions {', '.join(unchanged)}: name the one to compare judges by")
    chosen = unchanged[0] if condition is None else condition
    wanted = _READOUTS if readout is None else (readout,)
    found = next((r for r in wanted if data.wide.find(chosen, r) is not None), None)
    if chosen not in unchanged or found is None:
        raise ConfigError(f"no verdicts under condition {chosen!r} (there are: {', '.join(unchanged) or 'none'})")
    return JudgeVerdicts(
        name=data.judge if name is None else name, wide=data.wide, pairs=data.pairs, condition=chosen, readout=found
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparedJudges:
    """All judges on all pairs that any of them judged and whose two authors are known.

    Attributes
    ----------
    facts
        Question groups, sources and gold of the pairs, sorted by id.
    chose
        +1 A was chosen, -1 B, 0 no slot (a tie, no verdict, not asked); shape (judges, pairs, 2).
    own
        +1 where the judge's family wrote A and not B, -1 where B and not A, else 0; shape (judges, pairs).
    neutral
        Whether the judge's family wrote neither; shape (judges, pairs).
    length, gold
        Log length ratio of A to B and gold side, NaN where unknown; shape (pairs,).
    unknown
        Pairs left out because an author is not known.
    """

    judges: tuple[JudgeVerdicts, ...]
    families: tuple[str, ...]
    facts: PairFacts
    chose: NDArray[np.int8]
    own: NDArray[np.int8]
    neutral: NDArray[np.bool_]
    length: NDArray[np.float64]
    gold: NDArray[np.float64]
    unknown: int


def compare_judges(judges: Sequence[JudgeVerdicts], *, families: Mapping[str, str] | None = None) -> ComparedJudges:
    """Line up the verdicts of several judges by pair id.

    Raises
    ------
    ConfigError
        Two judges have one name, or there is none.
    DataError
        Two runs mean different texts by one pair id.
    """
    names = [judge.name for judge in judges]
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"judges need names of their own: {', '.join(names) or 'there are none'}")
    pairs: dict[str, Pair] = {}
    for judge in judges:
        for pair_id in judge.wide.facts.ids:
            _add(pairs, pair_id, judge.pairs.get(pair_id))
    known = {name: pair for name, pair in pairs.items() if pair.author_a and pair.author_b}
    ids = sorted(known)
    rows = [known[name] for name in ids]
    place = {name: row for row, name in enumerate(ids)}
    kinds = tuple(family_of(name, families) for name in names)
    wrote_a = np.array([family_of(pair.author_a or "", families) for pair in rows], dtype=object)
    wrote_b = np.array([family_of(pair.author_b or "", families) for pair in rows], dtype=object)
    by_a = np.array([wrote_a == kind for kind in kinds], dtype=np.bool_).reshape(len(kinds), len(rows))
    by_b = np.array([wrote_b == kind for kind in kinds], dtype=np.bool_).reshape(len(kinds), len(rows))
    texts = [bool(pair.response_a or pair.response_b) for pair in rows]
    return ComparedJudges(
        judges=tuple(judges),
        families=kinds,
        facts=_facts(ids, rows),
        chose=np.stack([_chosen(judge, place) for judge in judges]),
        own=by_a.astype(np.int8) - by_b.astype(np.int8),
        neutral=~by_a & ~by_b,
        length=np.array(
            [
                log_length_ratio(len(pair.response_a), len(pair.response_b)) if there else np.nan
                for pair, there in zip(rows, texts, strict=True)
            ],
            dtype=np.float64,
        ),
        gold=np.array([np.nan if p.gold is None else _GOLD_SIDE[p.gold] for p in rows], dtype=np.float64),
        unknown=len(pairs) - len(known),
    )


def _add(pairs: dict[str, Pair], pair_id: str, pair: Pair | None) -> None:
    """Keep a pair under its id in the table, which may write it otherwise (escaped)."""
    if pair is None:
        return
    before = pairs.setdefault(pair_id, pair)
    if (before.response_a, before.response_b) != (pair.response_a, pair.response_b):
        raise DataError(
            f"two runs mean different responses by pair {pair.id!r}",
            remedy="compare judges that saw the same pairs",
        )


def _facts(ids: list[str], rows: Sequence[Pair]) -> PairFacts:
    groups = {name: code for code, name in enumerate(sorted({pair.group for pair in rows}))}
    sources = {name: code for code, name in enumerate(sorted({pair.source for pair in rows}))}
    gold = [-1 if pair.gold is None else _PREFERENCES.index(pair.gold) for pair in rows]
    return PairFacts(
        ids=tuple(ids),
        group=np.array([groups[pair.group] for pair in rows], dtype=np.int64),
        source=np.array([sources[pair.source] for pair in rows], dtype=np.int64),
        gold=np.array(gold, dtype=np.int8),
        n_groups=len(groups),
        n_sources=len(sources),
    )


def _chosen(judge: JudgeVerdicts, place: Mapping[str, int]) -> NDArray[np.int8]:
    chose = np.zeros((len(place), 2), dtype=np.int8)
    scope = judge.wide.find(judge.condition, judge.readout)
    if scope is None:
        raise ConfigError(f"judge {judge.name!r} has no {judge.readout} verdicts under {judge.condition!r}")
    ids = list(judge.wide.facts.ids)
    rows = np.array([place.get(ids[pair], -1) for pair in scope.pairs.tolist()], dtype=np.int64)
    # A is first in AB and second in BA.
    side = (scope.outcome == FIRST).astype(np.int8) - (scope.outcome == SECOND).astype(np.int8)
    chose[rows[rows >= 0]] = (side * np.array([1, -1], dtype=np.int8))[rows >= 0]
    return chose
