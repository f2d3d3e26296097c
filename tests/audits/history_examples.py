"""Entries of a history with one figure each."""

from evenhand.store.history_file import HistoryEntry, HistoryFigure


def figure(
    value: float | None, *, measure: str = "flip_rate", n: int = 200, readout: str = "generated"
) -> HistoryFigure:
    known = value is not None
    return HistoryFigure(
        condition="c",
        readout=readout,
        measure=measure,
        value=value,
        low=None if value is None else max(0.0, value - 0.05),
        high=None if value is None else min(1.0, value + 0.05),
        standard_error=0.02 if known else None,
        n=n if known else 0,
        clusters=n if known else None,
        pairs=n if known else 0,
        reason=None if known else "needs a pair, has none",
    )


def entry(
    number: int, value: float | None, *, baseline: bool = False, data: str = "d", judge: str = "m"
) -> HistoryEntry:
    return HistoryEntry(
        run=f"run{number}",
        created=f"2026-01-{number + 1:02d}T00:00:00+00:00",
        added="2026-02-01T00:00:00+00:00",
        judge=judge,
        judge_hash=f"hash of {judge}",
        data="starter",
        data_hash=data,
        settings_hash="s",
        planned=400,
        finished=400,
        level=0.95,
        figures=(figure(value),),
        baseline=baseline,
    )


STEADY = [0.10, 0.12, 0.09, 0.11, 0.10, 0.12, 0.11, 0.10]


def history(*later: float | None) -> list[HistoryEntry]:
    """Eight steady runs and what comes after."""
    return [entry(number, value) for number, value in enumerate([*STEADY, *later])]
