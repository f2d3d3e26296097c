"""``evenhand labels``: what people said on the page of ``evenhand serve``, as a file and at a glance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import JsonOption, LevelOption, QuietOption, ResamplesOption

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["labels_app", "labels_export_command", "labels_status_command"]

labels_app = typer.Typer(name="labels", help="Labels that people gave blind in the browser.", no_args_is_help=True)

SourceArgument = Annotated[
    Path, typer.Argument(help="A run's directory, or the file that labels went into.", metavar="RUN|FILE")
]
SourcesArgument = Annotated[
    list[Path],
    typer.Argument(help="Runs' directories, or files that labels went into.", metavar="RUN|FILE"),
]
RunsOption = Annotated[
    list[Path] | None,
    typer.Option("--run", help="A run with the labelled pairs, where FILE is named; more than once.", metavar="RUN"),
]


@labels_app.command("export")
def labels_export_command(
    source: SourceArgument,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The label file, .csv or .jsonl.", show_default="stdout")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv or jsonl.",
            show_default="by the file's name, else csv",
            autocompletion=lambda: ["csv", "jsonl"],
        ),
    ] = None,
    runs: RunsOption = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--annotator", help="Only this one's labels; more than once.", show_default="everybody's"),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also labels that were changed later, and repeats; they don't count.")
    ] = False,
) -> None:
    """Write labels as a file that `evenhand humans RUN --labels FILE` and `evenhand mitigate` read.

    Rows without a preference say in `state` why: the annotator could not tell, or the pair has other texts by now.

    Exit codes: 0 done; 2 bad usage; 3 the labels or a run can't be read, or the file not written.
    """
    import sys

    from evenhand.cli.output import note_line
    from evenhand.cli.targets import check_save
    from evenhand.report.format import how_many
    from evenhand.workflow.labelling_export import export_labels, store_path

    if out is not None:
        check_save(out, reads=(store_path(source),), option="--out")
    made = export_labels(source, out, runs=runs or (), annotators=annotator or (), history=history, form=form)
    if made.path is None:
        sys.stdout.write(made.text)
        return
    others = ", ".join(f"{count:,} {state.value}" for state, count in made.counts.items() if state.value != "label")
    note_line(f"wrote {how_many(made.labels, 'label')} to {made.path}{f' (and {others})' if others else ''}")


@labels_app.command("status")
def labels_status_command(
    sources: SourcesArgument,
    *,
    runs: RunsOption = None,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show who labelled how much, how far they agree, and whether the place of a response sways them.

    Several have one block each, in the order given; with --json, a list of the documents that each has alone.

    Exit codes: 0 done; 2 bad usage; 3 the labels or a run can't be read.
    """
    from evenhand.cli.output import command_line, print_json, terminal
    from evenhand.cli.progress import spinner
    from evenhand.report.study.json_report import study_json
    from evenhand.report.study.terminal import print_study
    from evenhand.workflow.labelling_study import labelling_study, labels_status
    from evenhand.workflow.versions import now

    _refuse_twice(sources)
    with spinner("measuring the labels", quiet=quiet):
        made = [labels_status(source, runs=runs or (), resamples=resamples, level=level) for source in sources]
    studies = [_named(labelling_study(each), source) for each, source in zip(made, sources, strict=True)]
    if as_json:
        command, created = command_line(), now()
        documents = [study_json(study, command=command, created=created) for study in studies]
        print_json(documents[0] if len(documents) == 1 else documents)
        return
    for study, source in zip(studies, sources, strict=True):
        if len(studies) > 1:
            study = replace(study, title=f"{study.title}: {source.name}", subtitle=f"{source}: {study.subtitle}")
        print_study(study, terminal())


def _refuse_twice(sources: list[Path]) -> None:
    from evenhand.errors import ConfigError

    places = [source.resolve() for source in sources]
    twice = next((one for one, place in zip(sources, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice} is named twice")


def _named(study: Study, source: Path) -> Study:
    """The study with what its labels are of, so that each of several documents says so."""
    return replace(study, facts=(("Labels of", str(source)), *study.facts))
