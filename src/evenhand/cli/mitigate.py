"""``evenhand mitigate``: what each mitigation buys on a run's own verdicts, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    FiguresOption,
    JsonOption,
    LevelOption,
    ResamplesOption,
    complete_readout,
)
from evenhand.cli.targets import check_out, check_save

if TYPE_CHECKING:
    from evenhand.analysis.unit import ClusterBy

__all__ = ["mitigate_command"]


def _complete_kind(incomplete: str) -> list[str]:
    from evenhand.mitigation.all_effects import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


def mitigate_command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Directories of runs; several judges on the same pairs are a panel.", metavar="RUN"),
    ],
    *,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            help="Human labels (pair_id, preference[, annotator, date]) in place of the pairs' own gold.",
            show_default="the pairs' gold",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Kinds, separated by commas: order, selection, length-control, length-penalty, truncation, panel, "
            "recalibration.",
            autocompletion=_complete_kind,
            show_default="all",
        ),
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            help="Whose verdicts; first-token has probabilities.",
            show_default="generated, where there is",
            autocompletion=complete_readout,
        ),
    ] = None,
    condition: Annotated[
        str | None, typer.Option(help="Id of the run's condition.", show_default="the first without changes")
    ] = None,
    write_truncated: Annotated[
        Path | None,
        typer.Option(
            "--write-truncated",
            help="Only write the run's pairs with the longer response cut (.jsonl), to look at and to judge again.",
            show_default="no",
        ),
    ] = None,
    truncated: Annotated[
        Path | None,
        typer.Option("--truncated", help="The first run's judge on those truncated pairs.", show_default="none"),
    ] = None,
    alone: Annotated[
        Path | None,
        typer.Option(
            "--alone",
            help="Scores of each response by itself (pair_id, score_a, score_b[, tokens]).",
            show_default="none",
        ),
    ] = None,
    ask_alone: Annotated[
        str | None,
        typer.Option(
            "--ask-alone",
            help="Only ask the run's judge (its spec) for those scores, and keep them in --alone FILE (.jsonl).",
            show_default="no",
        ),
    ] = None,
    review_queue: Annotated[
        Path | None,
        typer.Option(
            "--review-queue",
            help="Where the pairs go that a person should label (.csv or .jsonl), without the judges' votes.",
            show_default="nowhere",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/mitigation")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of folds and resampling.", min=0)] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure mitigations against gold or human labels: how much closer verdicts come, at which cost.

    Order aggregation, post-hoc length penalty, length-controlled win rates, truncation, panels of judges and
    recalibration, each before and after on the same pairs; and how much of a gain is only the choice of easy pairs.

    Exit codes: 0 done, whatever was found; 2 bad usage or input; 3 could not finish.
    """
    from evenhand.cli.output import command_line
    from evenhand.cli.study_output import finish_study
    from evenhand.workflow.mitigate import mitigate

    target = runs[0] / "mitigation" if out is None else out
    if write_truncated is not None:
        _truncate(runs, write_truncated)
        return
    if ask_alone is not None:
        _ask_alone(runs, ask_alone, alone)
        return
    if out is not None:
        check_out(out)
    check_save(review_queue, reads=[path for path in (labels, alone) if path is not None], option="--review-queue")
    kinds = [name.strip() for text in only or () for name in text.split(",") if name.strip()]
    done = mitigate(
        runs,
        labels=labels,
        only=kinds,
        readout=readout,
        condition=condition,
        truncated=truncated,
        alone=alone,
        review=review_queue,
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cast("ClusterBy", cluster),
    )
    finish_study(
        done.study(), directory=target, as_json=as_json, brief=brief, command=command_line(), figures=figure_formats
    )
    if review_queue is not None and not as_json:
        _say(f"Queue:  {review_queue} ({len(done.queue):,} pairs)")


def _truncate(runs: list[Path], path: Path) -> None:
    from evenhand.errors import ConfigError
    from evenhand.workflow.mitigate import truncate_run

    if len(runs) != 1:
        raise ConfigError(f"--write-truncated is of one run, got {len(runs)}")
    check_save(path, option="--write-truncated")
    done = truncate_run(runs[0], path)
    ends = ", ".join(f"{count:,} at a {at}" for at, count in done.at if at != "nothing")
    _say(f"Cut {done.cut:,} of {done.pairs:,} pairs{f' ({ends})' if ends else ''}: {path}")
    _say("Look at them, judge them with the same judge and prompt, and name that run with --truncated.")


def _ask_alone(runs: list[Path], judge: str, path: Path | None) -> None:
    from evenhand.cli.output import note_line
    from evenhand.errors import ConfigError
    from evenhand.workflow.score_alone import score_alone

    if len(runs) != 1:
        raise ConfigError(f"--ask-alone is of one run, got {len(runs)}")
    if path is None:
        raise ConfigError("--ask-alone needs a file for the scores: add --alone FILE.jsonl")
    check_save(path, option="--alone")
    done = score_alone(runs[0], judge, path, told=lambda n, total: note_line(f"{n:,} of {total:,} pairs"))
    failed = f", {done.failed:,} with a failed call" if done.failed else ""
    _say(f"Scored {done.scored:,} of {done.pairs:,} pairs ({done.asked:,} asked now{failed}): {path}")


def _say(text: str) -> None:
    from evenhand.cli.output import terminal
    from evenhand.report.text import visible

    terminal().print(visible(text, limit=None), soft_wrap=True, highlight=False, markup=False)
