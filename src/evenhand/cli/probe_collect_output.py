"""What ``evenhand probe collect`` and ``evenhand probe shared`` print: usable pairs, flip rate, and what comes next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.probes.activation_meta import ActivationMeta
    from evenhand.probes.data import ProbeData, Retention
    from evenhand.records import Readout
    from evenhand.stats import Estimate, Refusal
    from evenhand.workflow.collect import CollectRun
    from evenhand.workflow.replaying import ReplayCheck

__all__ = [
    "another_readout",
    "compliance_rows",
    "flip_text",
    "kept_text",
    "print_collected",
    "replay_text",
    "size_text",
]


def print_collected(run: CollectRun, *, as_json: bool) -> None:
    """The run's retention, flip rate and files, and the commands that go on from here."""
    from evenhand.cli.output import print_json, terminal
    from evenhand.report.probes import print_retention
    from evenhand.report.text import visible, visible_tree

    if as_json:
        tree = visible_tree(run.to_json())
        print_json(tree if isinstance(tree, dict) else {})
        return
    console = terminal()
    print_retention(console, run.data.retention, readout=run.data.subject.readout)
    rows = [
        ("Flip rate", flip_text(run.flip_rate, run.data)),
        *compliance_rows(run.data),
        ("Activations", kept_text(run.meta, run.bytes)),
        *run_facts(run),
    ]
    if run.replay is not None:
        rows.append(("Replay", replay_text(run.replay, run.meta.readout)))
    rows.append(("Run", str(run.directory)))
    rows += [("Next", command) for command in next_commands(run)]
    width = max(len(name) for name, _ in rows) + 1
    for name, text in rows:
        console.print(
            f"{name + ':':{width}} {visible(text, limit=None)}", soft_wrap=True, highlight=False, markup=False
        )


def run_facts(run: CollectRun) -> Sequence[tuple[str, str]]:
    """What this call asked."""
    done = run.execution
    if not done.asked:
        return ()
    before = f"; {done.reused:,} answered before" if done.reused else ""
    return (("Asked now", f"{done.asked:,} presentations in {done.seconds:,.0f} s{before}"),)


def next_commands(run: CollectRun) -> tuple[str, ...]:
    """What to run now that there are activations."""
    where = shlex.quote(str(run.directory))
    if run.complete and (other := another_readout(run.data.retention, run.meta.readout)) is not None:
        return (other, f"evenhand report {where}")
    fit = (f"evenhand probe fit {where}",) if len(run.data) else ()
    return (*fit, f"evenhand report {where}")


def another_readout(kept: Retention, readout: Readout) -> str | None:
    """What to collect instead where hardly a pair can be used; None where enough can.

    Examples
    --------
    >>> from evenhand.probes.data import Retention
    >>> from evenhand.records import Readout
    >>> another_readout(Retention(planned=4, usable=4), Readout.GENERATED) is None
    True
    >>> print(another_readout(Retention(planned=4, usable=0, lost=(("verdict: tie", 4),)), Readout.PREFILLED))
    few pairs to fit on, most are lost: verdict: tie (4 of 4 pairs). Collect with another prompt, label set or judge
    """
    from evenhand.records import Readout

    why = kept.why()
    if why is None or not kept.few:
        return None
    lost = f"few pairs to fit on, most are lost: {why}."
    if readout is Readout.GENERATED:
        return (
            f"{lost} Collect into another directory with --readout first-token, which asks for one character and needs "
            "no format, or with another prompt or judge"
        )
    return f"{lost} Collect with another prompt, label set or judge"


def flip_text(rate: Estimate | Refusal, data: ProbeData) -> str:
    """``37.3 % [33.1, 41.7] of 573 pairs in 470 question groups (generated readout)``."""
    from evenhand.report.format import estimate_text, integer

    groups = len(set(data.groups))
    return (
        f"{estimate_text(rate)} of {integer(len(data))} {'pair' if len(data) == 1 else 'pairs'} in {integer(groups)} "
        f"question {'group' if groups == 1 else 'groups'} ({data.subject.readout} readout)"
    )


def compliance_rows(data: ProbeData, *, level: float = 0.95) -> Sequence[tuple[str, str]]:
    """What stands beside a flip rate of first tokens: how often the judge led with a label by itself."""
    from evenhand.report.format import estimate_text
    from evenhand.workflow.probe_data import pair_compliance

    found = pair_compliance(data, level=level)
    if found is None:
        return ()
    return (("Compliance", f"{estimate_text(found)} of the pairs led with a label in both orders"),)


def kept_text(meta: ActivationMeta, size: int) -> str:
    """Which activations, and how much room they take."""
    layers = ", ".join(map(str, meta.layers))
    positions = " and ".join(position.value for position in meta.positions)
    if len(meta.positions) == 1:
        positions += " (the prompt's last token: the verdict is the first token written)"
    named = "layer" if len(meta.layers) == 1 else "layers"
    return f"{positions} at {named} {layers} of {meta.blocks}, width {meta.size:,}, float32: {size_text(size)}"


def replay_text(check: ReplayCheck, readout: Readout) -> str:
    """What was replayed, and whether it agrees."""
    from evenhand.records import Readout

    part = "" if check.replayed == check.of else f" of {check.of:,}"
    # Where the first token is the verdict, the judge may have led with something else than a label.
    written = readout is Readout.GENERATED
    agree = (
        f"every {'verdict' if written else 'recorded first token'} is the greedy next token"
        if check.passed
        else f"{check.wrong_verdicts:,} other verdicts, {check.wrong_vectors:,} activations beyond {check.tolerance:g}"
    )
    if not check.replayed:
        return "nothing to replay: no presentation has a verdict token"
    return (
        f"{check.replayed:,}{part} presentations in {check.seconds:,.0f} s: {agree}; largest distance of an activation "
        f"{f'{check.largest:.1e}' if check.largest else 0} of its length"
    )


def size_text(size: int) -> str:
    """Bytes for people.

    Examples
    --------
    >>> [size_text(n) for n in (900, 160_500_000, 5_200_000_000)]
    ['900 bytes', '160.5 MB', '5.2 GB']
    """
    if size < 100_000:
        return f"{size:,} bytes"
    return f"{size / 1e6:,.1f} MB" if size < 1e9 else f"{size / 1e9:,.1f} GB"
