"""``evenhand probe shared``: usable pairs of several collected runs, judge by judge, and those that all share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import JsonOption, LevelOption

if TYPE_CHECKING:
    from evenhand.probes.data import ProbeData

__all__ = ["shared_command"]


def shared_command(
    runs: Annotated[list[Path], typer.Argument(help="Directories of evenhand probe collect on the same pairs.")],
    *,
    level: LevelOption = 0.95,
    as_json: JsonOption = False,
) -> None:
    """Print each run's usable pairs and flip rate, and how many pairs are usable for every judge.

    evenhand probe fit RUN RUN … fits on exactly these shared pairs. Exit codes: 0 done; 2 the runs are on different
    pairs; 3 not such a run, or a damaged one.
    """
    from evenhand.workflow.probe_data import load_probe_data, shared_pairs

    datas = [load_probe_data(run, places=()) for run in runs]
    shared = shared_pairs(datas)
    if as_json:
        from evenhand.cli.output import print_json

        print_json(_json(runs, datas, shared, level))
        return
    _print(runs, datas, shared, level)


def _print(runs: Sequence[Path], datas: Sequence[ProbeData], shared: Sequence[str], level: float) -> None:
    from evenhand.cli.output import terminal
    from evenhand.cli.probe_collect_output import compliance_rows, flip_text
    from evenhand.report.probes import print_retention
    from evenhand.report.text import visible
    from evenhand.workflow.collect import flip_rate

    console = terminal()

    def line(text: str) -> None:
        console.print(visible(text, limit=None), soft_wrap=True, highlight=False, markup=False)

    for run, data in zip(runs, datas, strict=True):
        line(f"{run}: {data.subject.model}, {data.subject.prompt}, {data.subject.labels}")
        print_retention(console, data.retention, readout=data.subject.readout)
        line(f"Flip rate: {flip_text(flip_rate(data, level=level), data)}")
        for name, text in compliance_rows(data, level=level):
            line(f"{name}: {text}")
        console.print()
    if len(datas) == 1:
        return
    line(f"Usable for every judge: {len(shared):,} of {datas[0].retention.planned:,} pairs. Flip rates on them:")
    for run, data in zip(runs, datas, strict=True):
        part = data.only(shared)
        beside = "".join(f"; {text}" for _, text in compliance_rows(part, level=level))
        line(f"  {run}: {flip_text(flip_rate(part, level=level), part)}{beside}")


def _json(runs: Sequence[Path], datas: Sequence[ProbeData], shared: Sequence[str], level: float) -> dict[str, Any]:
    from evenhand.report.encode import encode_estimate
    from evenhand.report.probes.encode import encode_retention, encode_subject
    from evenhand.report.text import visible_json
    from evenhand.workflow.collect import flip_rate

    data: dict[str, Any] = {
        "spec": datas[0].spec,
        "sha256": datas[0].sha256,
        "pairs": datas[0].retention.planned,
    }
    return visible_json(
        {
            "data": data,
            "runs": [
                {
                    "directory": str(run),
                    "subject": encode_subject(each.subject),
                    "retention": encode_retention(each.retention),
                    "flip_rate": encode_estimate(flip_rate(each, level=level)),
                    "compliance": _compliance(each, level),
                    "compliance_shared": _compliance(each.only(shared), level),
                    "flip_rate_shared": encode_estimate(flip_rate(each.only(shared), level=level)),
                }
                for run, each in zip(runs, datas, strict=True)
            ],
            "shared": list(shared),
        }
    )


def _compliance(data: ProbeData, level: float) -> dict[str, Any] | None:
    from evenhand.report.encode import encode_estimate
    from evenhand.workflow.probe_data import pair_compliance

    found = pair_compliance(data, level=level)
    return None if found is None else encode_estimate(found)
