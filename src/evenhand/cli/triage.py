"""``evenhand triage``: which pairs to judge in both orders, and what that would have missed and saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import BriefOption, FiguresOption, JsonOption, LevelOption, QuietOption, ResamplesOption
from evenhand.cli.progress import fit_progress
from evenhand.cli.targets import check_out, check_save

if TYPE_CHECKING:
    from evenhand.probes.triage_report import TriageReport
    from evenhand.report.triage import WrittenTriage
    from evenhand.workflow.triage import TriageRun

__all__ = ["triage_command"]


def _complete_score(incomplete: str) -> list[str]:
    from evenhand.probes.triage_scores import RAW

    return [name for name in ("probe", "combined", "absolute-margin", *RAW) if name.startswith(incomplete)]


def triage_command(
    run: Annotated[Path, typer.Argument(help="A directory of evenhand probe collect.", metavar="RUN")],
    *,
    probe: Annotated[
        Path | None, typer.Option("--probe", help="A saved probe, best of other questions: promises are then exact.")
    ] = None,
    fit: Annotated[
        Path | None,
        typer.Option("--fit", help="A directory of evenhand probe fit on this run: its held-out predictions."),
    ] = None,
    score: Annotated[
        str,
        typer.Option(
            help="Whose policy to look at: probe, combined, absolute-margin, confidence, small-margin, random, or "
            "another of --fit.",
            autocompletion=_complete_score,
        ),
    ] = "probe",
    budget: Annotated[
        float | None, typer.Option(help="Swap this share of the pairs, riskiest first.", show_default="none")
    ] = None,
    max_missed: Annotated[
        float | None,
        typer.Option(help="Swap as few pairs as miss at most this share of the flips.", show_default="none"),
    ] = None,
    confidence_level: Annotated[
        float | None,
        typer.Option(
            help="Promise it with this probability over the calibration, such as .9.",
            show_default="a promise in expectation",
        ),
    ] = None,
    floor: Annotated[
        float, typer.Option(help="Share of the other pairs that the saved policy swaps at random.", min=0.0, max=1.0)
    ] = 0.1,
    largest_group: Annotated[
        int | None,
        typer.Option(
            help="Pairs that a question may have where the saved policy is used.", min=1, show_default="as here"
        ),
    ] = None,
    splits: Annotated[int, typer.Option(help="Random splits into calibration and test.", min=1)] = 50,
    plain: Annotated[
        Path | None,
        typer.Option("--plain", help="The same run without activations, for the net time.", show_default="none"),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Where the policy goes (NAME.json).", show_default="nowhere")
    ] = None,
    require_saving: Annotated[
        float | None,
        typer.Option(
            help="A gate: exit 1 unless this share of the judgments is saved.", min=0.0, max=0.5, show_default="none"
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/triage")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of splits, folds, ties and resampling.", min=0)] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Choose which pairs to judge in both orders: under a budget, or as few as keep a promise on missed flips.

    Without --budget and --max-missed it prints the trade-off: flips missed under budgets of 10 to 90 %, and the
    smallest budgets with a promise, for the probe, the combined features, the margin, confidence and chance; what
    selective swapping does to win rates; and the net time, extraction included.

    Exit codes: 0 done; 1 less is saved than --require-saving, or that can't be told; 2 bad usage or input; 3 could not
    finish.
    """
    from evenhand.cli.output import command_line, print_json
    from evenhand.cli.streams import reader_may_leave
    from evenhand.probes.policy_file import policy_path
    from evenhand.probes.triage_question import TriageQuestion
    from evenhand.report.figure_files import formats_of
    from evenhand.report.triage import triage_json, write_triage
    from evenhand.workflow.triage import triage_run
    from evenhand.workflow.versions import now

    _check(budget=budget, max_missed=max_missed, confidence_level=confidence_level, require_saving=require_saving)
    if out is not None:
        check_out(out)
    check_save(save, reads=_files(probe))  # its name first
    save = None if save is None else policy_path(save)
    check_save(save, reads=_files(probe))
    question = TriageQuestion(
        score=score,
        budget=budget,
        max_missed=max_missed,
        delta=None if confidence_level is None else round(1 - confidence_level, 12),
        splits=splits,
        seed=seed,
        level=level,
        resamples=resamples,
    )
    with fit_progress(quiet=quiet) as progress:
        made = triage_run(
            run,
            question=question,
            probe=probe,
            fit=fit,
            floor=floor,
            largest=largest_group,
            save=save,
            plain=plain,
            progress=progress,
        )
    command, created = command_line(), now()
    written = write_triage(
        run / "triage" if out is None else out,
        made.report,
        command=command,
        created=created,
        figure_formats=formats_of(figure_formats),
    )
    with reader_may_leave():
        if as_json:
            print_json(triage_json(made.report, command=command, created=created))
        else:
            _print(made, written, brief=brief)
    if require_saving is not None:
        _gate(made.report, require_saving)


def _check(
    *,
    budget: float | None,
    max_missed: float | None,
    confidence_level: float | None,
    require_saving: float | None,
) -> None:
    from evenhand.errors import ConfigError

    if confidence_level is not None and not 0.0 < confidence_level < 1.0:
        raise ConfigError(f"--confidence-level {confidence_level}: expected a probability between 0 and 1")
    if confidence_level is not None and not 0.0 < round(1 - confidence_level, 12) < 1.0:
        raise ConfigError(
            f"--confidence-level {confidence_level}: too near {round(confidence_level)} to calculate with"
        )
    if confidence_level is not None and budget is not None:
        raise ConfigError("--confidence-level is of a promise, and a budget makes none: use --max-missed")
    if require_saving is not None and budget is None and max_missed is None:
        raise ConfigError("--require-saving needs a policy: add --budget or --max-missed")


def _files(probe: Path | None) -> tuple[Path, ...]:
    """The two files of a saved probe, which a policy must not replace."""
    from evenhand.probes.saved import card_path

    if probe is None:
        return ()
    card = card_path(probe / "probe.json" if probe.is_dir() else probe)
    return card, card.with_name(f"{card.name.removesuffix('.json')}.safetensors")


def _print(made: TriageRun, written: WrittenTriage, *, brief: bool) -> None:
    from evenhand.cli.output import terminal
    from evenhand.report.text import visible
    from evenhand.report.triage import print_triage

    console = terminal()
    print_triage(made.report, console, brief=brief)
    lines = [("Report", written.html), ("JSON", written.json), ("Figure", written.figure)]
    lines += [("Policy", made.policy), ("Probe", made.probe), ("Removed", made.removed)]
    for name, path in lines:
        if path is not None:
            text = f"{name + ':':8}{visible(str(path), limit=None)}"
            console.print(text, soft_wrap=True, highlight=False, markup=False)


def _gate(report: TriageReport, least: float) -> None:
    from evenhand.cli.output import note_line

    if report.in_sample:
        note_line(
            "gate failed: nothing can be told of a probe on the questions that it was fitted on: leave --probe out"
        )
        raise typer.Exit(1)
    saved = report.saving
    if saved is None or saved < least:
        shown = "nothing that could be tested" if saved is None else f"{saved * 100:.1f} % of the judgments"
        note_line(f"gate failed: the policy saves {shown}, less than {least * 100:g} %")
        raise typer.Exit(1)
