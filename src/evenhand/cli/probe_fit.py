"""``evenhand probe fit``: how well flips are predicted, cross-validated, and the probe to keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from evenhand.probes import ProbeData
    from evenhand.workflow.probe_fit import FitProgress
    from evenhand.workflow.probe_settings import FitSettings

__all__ = ["fit_command"]


def fit_command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Directories of evenhand probe collect, one a judge: several are judged on shared pairs."),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Where report and probes go; with several runs, a folder for each in there.",
            show_default="RUN/fit; with several runs RUN/fit-shared",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Where to save the probe itself (NAME.json).", show_default="OUT/probe.json"),
    ] = None,
    layers: LayersOption = None,
    predictor: PredictorOption = None,
    without: WithoutOption = None,
    shuffles: Annotated[int, typer.Option(help="Fits on shuffled labels, the control.", min=1)] = 10,
    learning_curve: Annotated[
        bool, typer.Option("--learning-curve/--no-learning-curve", help="Fit on fewer pairs too.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Of the folds, the shuffles and the resampling.", min=0)] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Predict flips from one order: the probe, the baselines and what goes beyond, by nested grouped cross-validation.

    Writes the report, every pair's held-out predictions, and the probe and the linear baselines fitted on all pairs,
    frozen for evenhand probe transfer, evenhand triage and selective swapping. Of several runs, only pairs that are
    usable for every judge are taken, and folds are the same.

    Exit codes: 0 done; 2 bad usage or input; 3 could not finish.
    """
    from evenhand.workflow.probe_settings import FitSettings

    settings = FitSettings(
        seed=seed,
        without=left_out(predictor or (), without or ()),
        shuffles=shuffles,
        learning_curve=learning_curve,
        resamples=resamples,
        level=level,
    )
    targets = _targets(runs, out, save)
    datas = _load(runs, layers)
    for target in targets:
        check_out(target)
    check_save(save)
    documents: list[dict[str, Any]] = []
    with fit_progress(quiet=quiet) as progress:
        for run, target, data in zip(runs, targets, datas, strict=True):
            if len(runs) > 1 and not as_json:
                typer.echo(f"{_visible(run)}:")
            documents.append(
                _fit(
                    data,
                    target,
                    save=save,
                    settings=settings,
                    progress=progress,
                    figure_formats=figure_formats,
                    quiet=quiet or as_json,
                    brief=brief,
                    shown=not as_json,
                )
            )
    if as_json:
        from evenhand.cli.output import print_json

        print_json(documents[0] if len(documents) == 1 else {"reports": documents})


def _targets(runs: Sequence[Path], out: Path | None, save: Path | None) -> list[Path]:
    from evenhand.errors import ConfigError

    if len({run.resolve() for run in runs}) < len(runs):
        raise ConfigError("a run is named twice")
    if len(runs) == 1:
        return [runs[0] / "fit" if out is None else out]
    if save is not None:
        raise ConfigError("--save names one probe, and there are several runs: each is saved in its own folder")
    if out is None:
        return [run / "fit-shared" for run in runs]
    names = [run.resolve().name for run in runs]
    if len(set(names)) < len(names):
        raise ConfigError(f"--out {out}: two runs are named alike ({', '.join(names)}); leave --out out")
    return [out / name for name in names]


def _load(runs: Sequence[Path], layers: str | None) -> list[ProbeData]:
    from evenhand.errors import DataError
    from evenhand.workflow.probe_data import load_probe_data, shared_pairs

    wanted = parse_layers(layers)
    datas = [with_layers(load_probe_data(run), wanted) for run in runs]
    if len(datas) == 1:
        return datas
    shared = shared_pairs(datas)
    if not shared:
        raise DataError("no pair is usable for every judge")
    return [data.only(shared) for data in datas]


def _fit(
    data: ProbeData,
    target: Path,
    *,
    save: Path | None,
    settings: FitSettings,
    progress: FitProgress | None,
    figure_formats: str,
    quiet: bool,
    brief: bool,
    shown: bool,
) -> dict[str, Any]:
    """Fit, write the report, save what is frozen, print. Returns the report as JSON."""
    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.probe_output import print_written
    from evenhand.report.figure_files import formats_of
    from evenhand.report.probes.json_report import probe_json
    from evenhand.report.probes.write import write_probe_report
    from evenhand.workflow.probe_fit import fit_probes
    from evenhand.workflow.probe_freeze import freeze_predictors, save_frozen
    from evenhand.workflow.versions import now

    command, created = command_line(), now()
    fit = fit_probes(data, settings=settings, progress=progress)
    frozen = freeze_predictors(data, settings=settings, report=fit.report, created=created, progress=progress)
    written = write_probe_report(
        target,
        fit.report,
        fit.predictions,
        command=command,
        created=created,
        figure_formats=formats_of(figure_formats),
    )
    cards = save_frozen(frozen, target, probe=save)
    if not quiet:
        for name, refusal in frozen.refused:
            note_line(f"{name} is not saved: {refusal.reason}")
    if shown:
        print_written(fit.report, written, cards=cards, brief=brief)
    return probe_json(fit.report, command=command, created=created)


def _visible(path: Path) -> str:
    from evenhand.report.text import visible

    return visible(str(path), limit=None)
