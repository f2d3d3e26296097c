"""What only the runs of several judges show together: self-preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.analysis import AuditResult
from evenhand.analysis.unit import ClusterBy
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.families import family_of
from evenhand.audits.bias.judges_compared import judge_verdicts
from evenhand.audits.bias.self_preference import ONE_JUDGE, self_preference
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout
from evenhand.records.regular_file import why_never

__all__ = ["JudgedRun", "across_judges", "read_families", "why_not_across"]

_NO_AUTHORS: Final = "needs pairs whose two responses have known authors, none of the {pairs:,} pairs has"
_LARGEST: Final = 16 * 2**20  # bytes of a file of families: one line a model


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRun:
    """One judge's run, under a name of its own."""

    name: str
    data: BiasData


def why_not_across(runs: Sequence[JudgedRun]) -> str | None:
    """Why judges can't be compared at all; None where it is worth trying."""
    if len(runs) < 2:
        return ONE_JUDGE
    pairs = {pair.id: pair for run in runs for pair in run.data.pairs.values()}
    if not any(pair.author_a and pair.author_b for pair in pairs.values()):
        return _NO_AUTHORS.format(pairs=len(pairs))
    return None


def across_judges(
    runs: Sequence[JudgedRun],
    *,
    families: str | Path | Mapping[str, str] | None = None,
    readout: Readout | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> AuditResult:
    """Self-preference over the pairs that the runs share.

    A run of several conditions is compared under the first one that all runs have.

    Raises
    ------
    ConfigError
        A run has several conditions, and none that all have.
    DataError
        The file of families can't be read, or two runs mean different responses by one pair id.
    """
    known = read_families(families) if isinstance(families, str | Path) else families
    shared = _shared_condition(runs)
    judges = [
        judge_verdicts(
            run.data, name=run.name, condition=shared if len(_unchanged(run.data)) > 1 else None, readout=readout
        )
        for run in runs
    ]
    return self_preference(
        judges,
        families=_with_names(known or {}, runs),
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
    )


def _unchanged(data: BiasData) -> list[str]:
    return [condition.id for condition in data.conditions if not condition.changes]


def _shared_condition(runs: Sequence[JudgedRun]) -> str | None:
    first = _unchanged(runs[0].data)
    return next((name for name in first if all(name in _unchanged(run.data) for run in runs)), None)


def _with_names(families: Mapping[str, str], runs: Sequence[JudgedRun]) -> Mapping[str, str]:
    """Families also under the names of runs, which have a folder in them where two runs are of one judge.

    A run's family is that of its judge whatever the folder is called, so that the judge's own texts are known as its.
    """
    own = {run.name: family_of(run.data.judge, families) for run in runs if run.data.judge}
    return {**own, **families}


def read_families(path: str | Path) -> Mapping[str, str]:
    """Read which family each model is of: a JSON object, or a CSV file with the columns ``model`` and ``family``.

    Raises
    ------
    ConfigError
        The extension is another.
    DataError
        The file can't be read, or a value is no text.
    """
    path = Path(path)
    if path.suffix.lower() not in (".json", ".csv"):
        raise ConfigError(f"families {path}: expected FILE.json or FILE.csv")
    if (problem := why_never(path)) is not None:
        raise DataError(problem, path=path)
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(f"has more than {_LARGEST:,} bytes", path=path)
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"can't be read ({error.strerror or error})", path=path) from error
    except UnicodeDecodeError as error:
        raise DataError("is not UTF-8 text", path=path) from error
    found = _from_json(text, path) if path.suffix.lower() == ".json" else _from_csv(text, path)
    if not found:
        raise DataError("names no model", path=path)
    return found


def _from_json(text: str, path: Path) -> dict[str, str]:
    import json

    def unique(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        if len(found) != len(items):
            raise DataError("names a model twice", path=path)
        return found

    try:
        value: object = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise DataError("is not valid JSON", path=path) from error
    if not isinstance(value, dict):
        raise DataError("is no JSON object of models and their families", path=path)
    for model, family in value.items():
        if not isinstance(family, str) or not family.strip():
            raise DataError(f"is {family!r}, expected the name of a family", path=path, field=str(model)[:80])
    return value


def _from_csv(text: str, path: Path) -> dict[str, str]:
    import csv
    import io

    found: dict[str, str] = {}
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if not {"model", "family"} <= set(reader.fieldnames or ()):
            raise DataError("lacks the columns model and family", path=path)
        for number, row in enumerate(reader, start=2):
            if None in row:
                raise DataError("has more cells than the header", path=path, row=number)
            model, family = row["model"], row["family"]
            if not (model and model.strip() and family and family.strip()):
                raise DataError("names no model or no family", path=path, row=number)
            if found.setdefault(model, family) != family:
                raise DataError(f"gives {model[:80]!r} a second family", path=path, row=number)
    except csv.Error as error:
        raise DataError(f"is not valid CSV ({error})", path=path) from error
    return found
