"""Small judges made of strings."""

from collections.abc import Mapping

from audits.tables import verdicts
from evenhand.audits.drift.measures import MeasuredOrders
from evenhand.audits.judges.lined_up import JudgeTable
from evenhand.records import Pair, Readout, Verdict, verdict_table

__all__ = ["judge", "pairs_of"]


def pairs_of(ids: Mapping[str, str], *, response: str = "b") -> list[Pair]:
    """Pairs of those ids, all with the same texts."""
    return [Pair(id=name, instruction="q", response_a="a", response_b=response) for name in ids]


def judge(
    name: str,
    codes: Mapping[str, str],
    *,
    repeats: Mapping[str, str] | None = None,
    response: str = "b",
    orders: MeasuredOrders = "both",
    gold: Mapping[str, str] | None = None,
    group: Mapping[str, str] | None = None,
) -> JudgeTable:
    """A judge whose outcomes are written as in :func:`audits.tables.verdicts`."""
    rows: list[Verdict] = verdicts(codes, gold=gold, group=group)
    rows += verdicts(repeats or {}, gold=gold, group=group, repeat=1)
    return JudgeTable(
        name=name,
        condition="c",
        readout=Readout.GENERATED,
        pairs=pairs_of(codes, response=response),
        orders=orders,
        table=verdict_table(rows),
    )
