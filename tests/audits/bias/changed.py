"""Runs with changed conditions, written as strings: what :class:`BiasData` holds for a few pairs."""

from collections.abc import Mapping, Sequence

from audits.tables import verdicts
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData
from evenhand.records import Change, Condition, LabelSet, Preference, Readout, Verdict, verdict_table

CONTROL = "c"


def changes(name: str) -> tuple[Change, ...]:
    """``padding=redundant:A + endorsement=user:B`` as changes."""
    found = []
    for part in name.split(" + "):
        factor, _, rest = part.partition("=")
        level, _, target = rest.rpartition(":")
        found.append(Change(factor=factor, level=level, target=Preference(target)))
    return tuple(found)


def condition(identity: str, change: str = "", control: str | None = None) -> Condition:
    """A condition with or without changes."""
    return Condition(
        id=identity,
        prompt="p",
        prompt_hash="h",
        labels=LabelSet.parse("A/B"),
        changes=changes(change) if change else (),
        control=control,
    )


def bias_data(
    control: Mapping[str, str],
    changed: Mapping[str, Mapping[str, str]],
    *,
    repeats: Sequence[Mapping[str, str]] = (),
    gold: Mapping[str, str] | None = None,
    group: Mapping[str, str] | None = None,
    readouts: Sequence[Readout] = (Readout.GENERATED,),
    left_out: Mapping[str, tuple[tuple[str, int], ...]] | None = None,
    name: str = CONTROL,
) -> BiasData:
    """``changed`` has a table of outcomes per change, such as ``{"tone=hedged:A": {"p": "FS"}}``."""
    ids = {change: f"{name}; {change}" for change in changed}
    rows: list[Verdict] = []
    for readout in readouts:
        common = {"gold": gold, "group": group, "readout": readout}
        rows += verdicts(control, condition=name, **common)
        for number, again in enumerate(repeats, start=1):
            rows += verdicts(again, condition=name, repeat=number, **common)
        for change, pairs in changed.items():
            rows += verdicts(pairs, condition=ids[change], **common)
    table = verdict_table(rows)
    return BiasData(
        table=table,
        wide=widen(table),
        conditions=(condition(name), *(condition(ids[change], change, name) for change in changed)),
        pairs={},
        left_out={ids[change]: reasons for change, reasons in (left_out or {}).items()},
    )


def sampler(data: BiasData, *, seed: int = 1) -> Sampler:
    """Resamples by question group."""
    return Sampler(clusters=data.wide.facts.group, seed=seed, resamples=200, level=0.95)
