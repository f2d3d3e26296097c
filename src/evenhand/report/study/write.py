"""Writing a study's files: each whole or not there, and none of an earlier study left beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from evenhand.analysis.study import Study
from evenhand.errors import StoreError
from evenhand.report.figure_files import FORMATS, check_formats
from evenhand.report.study.csv_table import study_csv
from evenhand.report.study.figures import write_study_figures
from evenhand.report.study.html import render_study_html
from evenhand.report.study.json_report import study_json, validate_study_json
from evenhand.report.study.markdown import study_markdown
from evenhand.report.study.model import StudyView
from evenhand.report.study.names import distinct_names
from evenhand.report.study.view import build_study_view
from evenhand.report.table_files import FORMS
from evenhand.report.tables import table_latex
from evenhand.report.write import json_text
from evenhand.store.atomic import write_text_atomically
from evenhand.store.remove import remove_files

__all__ = ["WrittenStudy", "remove_study", "write_study"]

_LARGEST = 64 * 2**20  # bytes of an earlier study's JSON that are read to know its files


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenStudy:
    """Where a study's files are, and the view they were made from.

    ``tables`` and ``figures`` are the files, in order: ``tables/KIND-ID.csv`` and ``.tex``, ``figures/KIND-ID.svg``.
    """

    json: Path
    html: Path
    markdown: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    view: StudyView


def write_study(
    directory: Path,
    study: Study,
    *,
    command: str | None = None,
    created: str | None = None,
    figure_formats: Sequence[str] = ("svg",),
) -> WrittenStudy:
    """Write ``KIND.json``, ``KIND.html``, ``KIND.md``, ``tables/`` and ``figures/``.

    Every file is written beside its place and renamed onto it, so that a killed process leaves no half file. The JSON
    is checked against its schema before anything is written. Tables and figures of an earlier study of this kind that
    lies in the folder, and that this one doesn't have, are removed: those that its own JSON names, nothing else.

    Parameters
    ----------
    directory
        Made where it is missing.
    command, created
        How and when (ISO 8601) the study was made; neither is invented here.
    figure_formats
        Of ``svg``, ``pdf`` and ``png``.

    Raises
    ------
    ConfigError
        An unknown figure format.
    DataError
        The JSON is not valid.
    StoreError
        The directory can't be written.
    """
    check_formats(figure_formats)
    view = build_study_view(study, command=command, created=created)
    document = study_json(study, command=command, created=created)
    validate_study_json(document)
    main = {form: directory / f"{view.kind}.{form}" for form in ("json", "html", "md")}
    tables = directory / "tables"
    texts = {main["html"]: render_study_html(view), main["md"]: study_markdown(view)}
    of_tables: dict[Path, str] = {}
    for source, table in zip(study.tables, view.tables, strict=True):
        of_tables[tables / f"{view.kind}-{table.id}.csv"] = study_csv(source)
        of_tables[tables / f"{view.kind}-{table.id}.tex"] = table_latex(table)
    try:
        earlier = _earlier_files(directory, view.kind)
        (tables if of_tables else directory).mkdir(parents=True, exist_ok=True)
        for path, text in {**of_tables, **texts}.items():
            write_text_atomically(path, text)
        figures = write_study_figures(view, directory / "figures", formats=figure_formats)
        remove_files(earlier - {*of_tables, *figures})
        write_text_atomically(main["json"], json_text(document))  # last: until then the earlier names are known
    except OSError as error:
        raise StoreError(f"can't write the study to {directory}: {error.strerror or error}") from error
    return WrittenStudy(
        json=main["json"], html=main["html"], markdown=main["md"], tables=tuple(of_tables), figures=figures, view=view
    )


def remove_study(directory: Path, kind: str, *, spare: str = "") -> None:
    """Remove an earlier study of a kind from a folder: the files that its own JSON names, nothing else.

    Nothing happens where ``KIND.json`` isn't there, can't be read, or is of no study of that kind.

    Parameters
    ----------
    spare
        A study that a command made which starts with these words is left.

    Raises
    ------
    StoreError
        A file can't be removed.
    """
    main = directory / f"{kind}.json"
    tree = _read(main)
    if not _is_study(tree, kind) or (spare and str(tree.get("command") or "").startswith(spare)):
        return
    remove_files(_earlier_files(directory, kind) | {directory / f"{kind}.{form}" for form in ("html", "md")})
    remove_files({main})  # last: until then the names are known


def _read(path: Path) -> object:
    with suppress(OSError, ValueError, RecursionError):
        if path.stat().st_size <= _LARGEST:
            return json.loads(path.read_text(encoding="utf-8"))
    return None


def _is_study(tree: object, kind: str) -> TypeGuard[dict[str, object]]:
    return isinstance(tree, dict) and tree.get("kind") == kind and "schema_version" in tree


def _earlier_files(directory: Path, kind: str) -> set[Path]:
    """Tables and figures that the study named whose JSON lies here; none where it can't be read or is of no study."""
    tree = _read(directory / f"{kind}.json")
    if not _is_study(tree, kind):
        return set()
    return {
        directory / folder / f"{kind}-{name}.{form}"
        for folder, forms in (("tables", FORMS), ("figures", FORMATS))
        for name in distinct_names(_ids(tree.get(folder)))
        for form in forms
    }


def _ids(parts: object) -> list[str]:
    if not isinstance(parts, list):
        return []
    return [part["id"] for part in parts if isinstance(part, dict) and isinstance(part.get("id"), str)]
