"""``evenhand rank``: leaderboards of the authors, and what position bias did to them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    FiguresOption,
    JsonOption,
    LevelOption,
    QuietOption,
    complete_readout,
)

__all__ = ["rank_command"]


def rank_command(
    runs: Annotated[
        list[Path], typer.Argument(help="Directories of runs whose pairs name their authors.", metavar="RUN")
    ],
    *,
    model: Annotated[
        str,
        typer.Option(
            help="davidson (ties have a parameter) or bradley-terry (a tie is half a win).",
            autocompletion=lambda: ["davidson", "bradley-terry"],
        ),
    ] = "davidson",
    condition: Annotated[
        str | None, typer.Option(help="Rank this condition only.", show_default="every one without changes")
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            help="Rank by this readout only.",
            show_default="every one asked of all pairs",
            autocompletion=complete_readout,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/ranking")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the resampling.", min=0)] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples; each is a fit of every view.", min=100)] = 1000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Rank the authors of the responses by the judge's verdicts: order AB alone, BA alone, both, and debiased.

    Every view ranks the same pairs, so that a change of ranks is of the order alone. Ranks and strengths have intervals
    over resampled question groups.

    Exit codes: 0 done; 2 bad usage or input, such as a run without authors; 3 could not finish.
    """
    from typing import Literal, cast

    from evenhand.cli.output import command_line
    from evenhand.cli.progress import fit_progress
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.errors import DataError
    from evenhand.mitigation.leaderboard import LeaderboardAudit
    from evenhand.workflow.rank import rank_authors

    target = runs[0] / "ranking" if out is None else out
    if out is not None:
        check_out(out)
    with fit_progress(quiet=quiet) as progress:
        made = rank_authors(
            runs,
            condition=condition,
            readout=readout,
            model=model,
            seed=seed,
            resamples=resamples,
            level=level,
            cluster=cast("Literal['auto', 'group', 'source']", cluster),
            progress=progress,
        )
    if not made.ranked:
        reasons = {scope.found.reason for scope in made.scopes if not isinstance(scope.found, LeaderboardAudit)}
        remedy = "who wrote what is told by author_a and author_b in the pair file"
        raise DataError(f"nothing to rank: {'; '.join(sorted(reasons))}", path=runs[0], remedy=remedy)
    check_out(target)
    finish_study(
        made.study(),
        directory=target,
        as_json=as_json,
        brief=brief,
        quiet=quiet,
        command=command_line(),
        figures=figure_formats,
    )
