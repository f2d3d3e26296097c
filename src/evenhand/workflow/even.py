"""``assert_even``: an audit and its gate in one call, for a test suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from evenhand.audits.drift.requirements import SHORTHANDS, Requirement
from evenhand.errors import ConfigError
from evenhand.judges import Judge
from evenhand.records import Pair, Readout
from evenhand.report.studies.gate_checks import decision_text
from evenhand.runner import SpendLimit
from evenhand.workflow.gate import GateCheck, check_gates
from evenhand.workflow.live import audit
from evenhand.workflow.opened import JudgeSetup
from evenhand.workflow.settings import AuditSettings

__all__ = ["UnevenJudgeError", "assert_even", "check_lines"]


class UnevenJudgeError(AssertionError):
    """A judge that does not keep its limits. ``check`` has every decision and where the run lies."""

    def __init__(self, check: GateCheck) -> None:
        self.check = check
        super().__init__("\n".join(_failure_lines(check)))


def assert_even(
    judge: str | Judge,
    pairs: str | Path | Sequence[Pair],
    *,
    max_flip_rate: float | None = None,
    min_compliance: float | None = None,
    min_verdict_rate: float | None = None,
    max_position_bias: float | None = None,
    min_accuracy: float | None = None,
    max_sycophancy: float | None = None,
    max_verbosity: float | None = None,
    require: Iterable[str | Requirement] = (),
    gates: str | Path | None = None,
    condition: str | None = None,
    readout: str | Readout | None = None,
    max_failures: float | None = None,
    allow_undecided: bool | None = None,
    setup: JudgeSetup | None = None,
    settings: AuditSettings | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    spend: SpendLimit | None = None,
) -> GateCheck:
    """Audit a judge, or go on with its run in ``out``, and assert that it keeps the limits.

    Each limit is decided on the bound of its interval, as ``evenhand gate`` does: kept where the whole interval keeps
    it, broken where none of it does, and undecided between the two. What is undecided fails, unless allowed: few pairs
    prove nothing. So does what was not measured, and a run in which too many calls failed.

    Parameters
    ----------
    judge, pairs, setup, settings, limit, out, spend
        As in :func:`evenhand.audit`. What ``out`` has answered already is not asked again, so that a test that passed
        yesterday costs nothing today, unless judge, prompt, data or decoding changed.
    max_flip_rate, min_compliance, min_verdict_rate, max_position_bias, min_accuracy
        Shares from 0 to 1, of every condition and readout that ``condition`` and ``readout`` leave.
    max_sycophancy, max_verbosity
        Largest net shift toward an endorsed or a padded response; the audits must be among ``settings.biases``.
    require, gates, max_failures, allow_undecided
        As in :func:`evenhand.check_gates`.

    Returns
    -------
    GateCheck
        Every decision, where the judge keeps all limits.

    Raises
    ------
    UnevenJudgeError
        An AssertionError: a limit is broken, undecided or not measured, or answers are missing.
    ConfigError
        No limit was given, or one of a bias audit that the settings don't ask for.
    JudgeError, DataError, StoreError
        The audit could not be made. That is no verdict on the judge.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check = assert_even("simulated:fair", "starter", max_flip_rate=0.9, readout="first-token", out=folder)
    >>> check.outcome
    'pass'
    """
    __tracebackhide__ = True  # a failing test shows its own line and what was decided
    shorthands = {
        "max_flip_rate": max_flip_rate,
        "min_compliance": min_compliance,
        "min_verdict_rate": min_verdict_rate,
        "max_position_bias": max_position_bias,
        "min_accuracy": min_accuracy,
        "max_sycophancy": max_sycophancy,
        "max_verbosity": max_verbosity,
    }
    wanted = settings or AuditSettings()
    asked = [*_requirements(shorthands, wanted), *require]
    if not asked and gates is None:  # said before the judge is asked anything
        raise ConfigError("assert_even needs a limit, such as max_flip_rate=.15")
    run = audit(judge, pairs, setup=setup, settings=wanted, limit=limit, out=out, spend=spend)
    check = check_gates(
        run,
        asked,
        file=gates,
        condition=condition,
        readout=readout,
        max_failures=max_failures,
        allow_undecided=allow_undecided,
    )
    if not check.passed:
        raise UnevenJudgeError(check)
    return check


def check_lines(check: GateCheck) -> tuple[str, ...]:
    """One line a decision, such as ``flip_rate<=0.15: pass: 4.2 % [2.0, 8.6] (single-character, generated)``."""
    return tuple(f"{decision.requirement.text}: {decision_text(decision)}" for decision in check.decisions)


def _requirements(limits: Mapping[str, float | None], settings: AuditSettings) -> Iterator[Requirement]:
    for name, value in limits.items():
        if value is None:
            continue
        short = SHORTHANDS[name]
        if short.audit is not None and short.audit not in settings.biases:
            raise ConfigError(f"{name} needs settings=AuditSettings(biases=({short.audit!r},)): pairs must be changed")
        yield short.requirement(value)


def _failure_lines(check: GateCheck) -> Iterator[str]:
    judge, data = check.manifest.judge.spec, check.manifest.data.spec
    yield f"the judge {judge} does not keep its limits on {data} ({check.outcome})"
    if not check.answered:
        yield (
            f"  {check.counts.finished:,} of {check.counts.planned:,} presentations have an answer: "
            f"at most {check.max_failures:.0%} may lack one"
        )
    for line in check_lines(check):
        yield f"  {line}"
    yield f"  the run: {check.directory} (evenhand report {check.directory})"
