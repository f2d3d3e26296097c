"""``evenhand probe transfer``: predictors frozen on one set, judged on another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import BriefOption, FiguresOption, JsonOption, LevelOption, QuietOption, ResamplesOption
from evenhand.cli.probe_options import (
    LayersOption,
    PredictorOption,
    WithoutOption,
    left_out,
    parse_layers,
    with_layers,
)
from evenhand.cli.progress import fit_progress
from evenhand.cli.targets import check_out, check_save

if TYPE_CHECKING:
    from evenhand.probes.saved import SavedProbe
    from evenhand.workflow.probe_settings import FitSettings
    from evenhand.workflow.probe_transfer import ProbeTransfer

__all__ = ["transfer_command"]


def transfer_command(
    *,
    apply: Annotated[
        Path,
        typer.Option("--apply", "-a", help="Directory of evenhand probe collect that the frozen predictors judge."),
    ],
    train: Annotated[
        Path | None,
        typer.Option("--train", "-t", help="Directory of evenhand probe collect to fit on, all of it."),
    ] = None,
    probe: Annotated[
        list[Path] | None,
        typer.Option(
            "--probe",
            "-p",
            help="A saved probe in place of --train, or the folder of evenhand probe fit; may be given again.",
            show_default="none",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where the report goes.", show_default="APPLY/transfer"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Where to save the probe fitted on --train (NAME.json).", show_default="not saved"),
    ] = None,
    allow_overlap: Annotated[
        bool, typer.Option("--allow-overlap", help="Go on where both sets share question groups, and say so.")
    ] = False,
    layers: LayersOption = None,
    predictor: PredictorOption = None,
    without: WithoutOption = None,
    seed: Annotated[
        int, typer.Option(help="Of the folds that choose layer and penalty, and of resampling.", min=0)
    ] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fit on all of one set, freeze with its standardisation, and judge another set without fitting anything there.

    Either --train (fitted here: probe, baselines and what goes beyond) or --probe (saved before). Another model, layer,
    prompt, readout or dtype is an error, and so are question groups that both sets have.

    Exit codes: 0 done; 2 bad usage or input; 3 could not finish.
    """
    from evenhand.cli.output import command_line, print_json
    from evenhand.cli.probe_output import print_written
    from evenhand.report.figure_files import formats_of
    from evenhand.report.probes.json_report import probe_json
    from evenhand.report.probes.write import write_probe_report
    from evenhand.workflow.probe_settings import FitSettings
    from evenhand.workflow.versions import now

    settings = FitSettings(
        seed=seed, without=left_out(predictor or (), without or ()), resamples=resamples, level=level
    )
    command, created = command_line(), now()
    target = apply / "transfer" if out is None else out
    if out is not None:
        check_out(out)
    check_save(save)
    if probe:
        _refuse_beside_probe(train=train, save=save, layers=layers, only=predictor or (), without=without or ())
        done = _apply_saved(probe, apply, settings=settings, allow_overlap=allow_overlap)
    else:
        done = _fit_and_apply(
            train, apply, settings=settings, layers=layers, allow_overlap=allow_overlap, created=created, quiet=quiet
        )
    formats = formats_of(figure_formats)
    written = write_probe_report(
        target, done.report, done.predictions, command=command, created=created, figure_formats=formats
    )
    cards = _saved(done.frozen, save)
    if as_json:
        print_json(probe_json(done.report, command=command, created=created))
    else:
        print_written(done.report, written, cards=cards, brief=brief)


def _refuse_beside_probe(
    *, train: Path | None, save: Path | None, layers: str | None, only: Sequence[str], without: Sequence[str]
) -> None:
    from evenhand.errors import ConfigError

    given = {
        "--train": train is not None,
        "--save": save is not None,
        "--layers": layers is not None,
        "--predictor": bool(only),
        "--without": bool(without),
    }
    for option, is_given in given.items():
        if is_given:
            raise ConfigError(f"{option} and --probe: a saved probe is not fitted again; give one of them")


def _apply_saved(files: Sequence[Path], apply: Path, *, settings: FitSettings, allow_overlap: bool) -> ProbeTransfer:
    from evenhand.probes.saved import load_probes
    from evenhand.workflow.probe_data import load_probe_data
    from evenhand.workflow.probe_transfer import transfer_saved

    probes = [each for file in files for each in load_probes(file)]
    return transfer_saved(probes, load_probe_data(apply), settings=settings, allow_overlap=allow_overlap)


def _fit_and_apply(
    train: Path | None,
    apply: Path,
    *,
    settings: FitSettings,
    layers: str | None,
    allow_overlap: bool,
    created: str,
    quiet: bool,
) -> ProbeTransfer:
    from evenhand.errors import ConfigError
    from evenhand.workflow.probe_data import load_probe_data
    from evenhand.workflow.probe_transfer import transfer_probes

    if train is None:
        raise ConfigError("nothing to apply: give --train DIR to fit on, or --probe FILE that was saved before")
    wanted = parse_layers(layers)
    known, other = (with_layers(load_probe_data(each), wanted) for each in (train, apply))
    with fit_progress(quiet=quiet) as progress:
        return transfer_probes(
            known, other, settings=settings, allow_overlap=allow_overlap, created=created, progress=progress
        )


def _saved(frozen: Sequence[SavedProbe], save: Path | None) -> tuple[Path, ...]:
    from evenhand.errors import ConfigError
    from evenhand.probes.predictors import PROBE
    from evenhand.probes.saved import save_probe

    if save is None:
        return ()
    probe = next((each for each in frozen if each.name == PROBE), None)
    if probe is None:
        raise ConfigError(f"--save {save}: the probe could not be fitted; evenhand probe fit says why")
    return (save_probe(save, probe),)
