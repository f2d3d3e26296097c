"""The end of every command that makes a study: its files, then what the terminal shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.analysis.study import Study
    from evenhand.report.study.write import WrittenStudy

__all__ = ["finish_study"]


def finish_study(
    study: Study,
    *,
    directory: Path,
    as_json: bool,
    brief: bool = False,
    quiet: bool = False,
    command: str | None,
    figures: str | Sequence[str] = "svg",
) -> WrittenStudy:
    """Write the study's files, then print it: as JSON alone, or as tables with the paths of the files at the end.

    Parameters
    ----------
    directory
        Where the files go; made where it is missing.
    as_json
        Print the JSON document, and nothing else, on stdout.
    brief
        Print the headline and the first table alone; every file is written all the same.
    quiet
        Show no spinner while the files are written.
    command
        The call, as a shell would take it again.
    figures
        Formats of the figures' files, as ``--figures`` has them or one by one.

    Raises
    ------
    ConfigError
        An unknown format of a figure.
    StoreError
        The directory can't be written.
    """
    from evenhand.cli.output import print_json, terminal
    from evenhand.cli.progress import spinner
    from evenhand.cli.streams import reader_may_leave
    from evenhand.report.figure_files import formats_of
    from evenhand.report.study.json_report import study_json
    from evenhand.report.study.terminal import print_study
    from evenhand.report.study.write import write_study
    from evenhand.report.text import visible
    from evenhand.workflow.versions import now

    created, formats = now(), formats_of(figures) if isinstance(figures, str) else figures
    with spinner("writing the report", quiet=quiet):
        written = write_study(directory, study, command=command, created=created, figure_formats=formats)
    with reader_may_leave():
        if as_json:
            print_json(study_json(study, command=command, created=created))
            return written
        console = terminal()
        print_study(study, console, brief=brief)
        for name, path in (("Report", written.html), ("JSON", written.json)):
            text = f"{name + ':':8}{visible(str(path), limit=None)}"
            console.print(text, soft_wrap=True, highlight=False, markup=False)
    return written
