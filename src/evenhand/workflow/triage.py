"""From a collected run to a triage: what selective swapping would have done on it, and the policy to use elsewhere."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError, DataError
from evenhand.probes.data import ProbeData
from evenhand.probes.policy import (
    CalibratedOn,
    PolicyRule,
    SwapPolicy,
    budget_size,
    guarantee_text,
)
from evenhand.probes.policy_file import policy_path, save_policy
from evenhand.probes.predictors import PROBE
from evenhand.probes.saved import SavedProbe, card_path, load_probe, save_probe
from evenhand.probes.transfer import Freezing, freeze
from evenhand.probes.triage import TriageProgress, triage
from evenhand.probes.triage_guarantee import calibrate, largest_group, split_groups
from evenhand.probes.triage_question import TriageQuestion
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_scores import MARGIN, RAW, RiskScore, ScoreKind
from evenhand.probes.triage_time import Overhead, PairSeconds
from evenhand.records import file_sha256
from evenhand.stats import Refusal, RiskControl
from evenhand.workflow.probe_data import load_probe_data
from evenhand.workflow.triage_facts import RunFacts, read_facts, writing_seconds
from evenhand.workflow.triage_scores import Scored, gather_scores, linear_predictor, without_trained
from evenhand.workflow.versions import now

__all__ = ["TriageRun", "triage_run"]

_OLD_MARGIN = "margin"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRun:
    """What was found, and what was saved.

    Attributes
    ----------
    policy, probe
        Files; ``probe`` only where one was fitted for the policy.
    removed
        A probe that an earlier policy of the same name brought: this one's is another, and the two don't go together.
    """

    report: TriageReport
    policy: Path | None = None
    probe: Path | None = None
    removed: Path | None = None


def triage_run(
    directory: str | Path,
    *,
    question: TriageQuestion | None = None,
    probe: str | Path | None = None,
    fit: str | Path | None = None,
    floor: float = 0.1,
    largest: int | None = None,
    save: str | Path | None = None,
    plain: str | Path | None = None,
    progress: TriageProgress | None = None,
) -> TriageRun:
    """Evaluate selective swapping on a run that judged every pair in both orders.

    Parameters
    ----------
    directory
        Of ``evenhand probe collect``.
    question
        None: the trade-off of the probe.
    probe
        A saved probe, best of other questions: then promises calibrated here are exact. Questions that it was trained
        on are left out; where too few others are left, nothing is said of it.
    fit
        A directory of ``evenhand probe fit`` on this run, whose held-out predictions are taken.
    floor
        Of the policy that is saved.
    largest
        Pairs that a question of the target may have at most, for the saved policy; None: as many as here.
    save
        Where the policy goes (``.json`` is added). A policy of a fitted score saves a probe beside it,
        ``NAME.probe.json``; where it needs none, one that lies there from before is removed.
    plain
        The same run without activations, for exact net times.
    progress
        See :data:`evenhand.probes.triage.TriageProgress`.

    Raises
    ------
    ConfigError
        A score that there isn't, a probe of another judge, or a policy that can't be saved: without a budget or
        promise, of a raw score, or with a promise that would be calibrated on the probe's training questions.
    DataError
        No usable pair, or files that don't fit the run.
    StoreError
        The run can't be read, or the policy not written.
    """
    directory, question = Path(directory), question or TriageQuestion()
    probe, fit, save, plain = (None if each is None else Path(each) for each in (probe, fit, save, plain))
    if save is not None and question.budget is None and question.max_missed is None:
        raise ConfigError("a policy needs a budget or a largest share of missed flips: add --budget or --max-missed")
    if probe is not None and fit is not None:
        raise ConfigError("--probe and --fit: give one of them")
    save = None if save is None else policy_path(save)
    began = perf_counter()
    load_probe_data(directory, places=())
    middle = perf_counter()
    data = load_probe_data(directory)
    reading = max(0.0, (perf_counter() - middle) - (middle - began))
    if not len(data):
        raise DataError(f"{directory}: no pair was judged in both orders in the format asked for")
    facts = read_facts(directory, data, plain=plain)
    data, facts, dropped = _not_trained_on(data, facts, probe)
    scored = gather_scores(data, also=question.score, probe=probe, fit=fit, seed=question.seed)
    question, renamed = _named(question, scored)
    if save is not None:
        _check_save(scored, question)
    raw = question.score in RAW and not _is_saved(scored, question.score)
    report = triage(
        data,
        scored.scores,
        question,
        authors=facts.authors,
        gold=facts.gold,
        seconds=_without_extraction(facts.seconds) if raw else facts.seconds,
        overhead=Overhead() if raw else _overhead(directory, facts, reading=reading, scoring=scored.scoring),
        notes=[*dropped, *renamed, *_notes(scored, facts, raw=raw)],
        progress=progress,
    )
    if save is None:
        return TriageRun(report=report)
    policy, fitted, swaps = _policy(data, scored, question, floor=floor, largest=largest)
    saved = None if fitted is None else save_probe(_beside(save), fitted)
    if saved is not None:
        policy = replace(policy, probe_sha256=file_sha256(saved))
    path = save_policy(save, policy)
    using = saved or (None if probe is None else card_path(probe / "probe.json" if probe.is_dir() else probe))
    report = replace(
        report,
        policy=policy,
        policy_swaps=swaps,
        use=None if using is None else f"evenhand audit --judge JUDGE --pairs PAIRS {shlex.join(_words(using, path))}",
    )
    return TriageRun(report=report, policy=path, probe=saved, removed=_remove_stale(_beside(save), keep=using))


def _words(probe: Path, policy: Path) -> tuple[str, ...]:
    return ("--swap", "selective", "--probe", str(probe), "--policy", str(policy))


def _remove_stale(card: Path, *, keep: Path | None) -> Path | None:
    """Remove a probe that an earlier policy of this name brought: the audit would refuse it beside this policy."""
    if keep is not None and keep.resolve() == card.resolve():
        return None
    try:
        load_probe(card)  # nothing else is removed
    except (ConfigError, DataError):
        return None
    for path in (card, card.with_name(f"{card.name.removesuffix('.json')}.safetensors")):
        path.unlink(missing_ok=True)
    return card


def _not_trained_on(
    data: ProbeData, facts: RunFacts, probe: Path | None
) -> tuple[ProbeData, RunFacts, tuple[str, ...]]:
    """Without the questions that a saved probe was trained on, and a note of how many; all where too few are left."""
    saved = None if probe is None else load_probe(probe)
    kept = None if saved is None else without_trained(data, saved)
    if saved is None or kept is None or kept.all():
        return data, facts, ()
    left = data.rows(kept)
    gone = len(set(data.groups)) - len(set(left.groups))
    note = (
        f"The probe {saved.name} was trained on {gone:,} of these {len(set(data.groups)):,} questions: they are left "
        f"out, {len(data) - len(left):,} pairs in all."
    )
    return left, facts.rows(kept), (note,)


def _named(question: TriageQuestion, scored: Scored) -> tuple[TriageQuestion, tuple[str, ...]]:
    """The question with the score's own name."""
    if question.score == PROBE:
        return replace(question, score=scored.main), ()
    if question.score == _OLD_MARGIN and _OLD_MARGIN not in scored.scores:
        note = f"--score {_OLD_MARGIN} is {MARGIN} here: a fit's {_OLD_MARGIN} is a model of the signed margin."
        return replace(question, score=MARGIN), (note,)
    return question, ()


def _check_save(scored: Scored, question: TriageQuestion) -> None:
    score = scored.scores.get(question.score)
    if not isinstance(score, RiskScore):
        return  # the triage says what is wrong with it
    if score.kind is ScoreKind.RAW:
        raise ConfigError(
            f"no policy of {score.name} is saved: evenhand audit --swap selective takes a saved probe's scores only, "
            "such as those of --score probe, combined or absolute-margin"
        )
    if score.kind is ScoreKind.OVERLAPPING and question.max_missed is not None:
        raise ConfigError(
            f"no promise of {score.name} is saved: it would be calibrated on the questions that the probe was fitted "
            "on; leave --probe out (it is then fitted anew on one half and calibrated on the other), or triage another "
            "run"
        )


def _is_saved(scored: Scored, name: str) -> bool:
    return scored.used is not None and scored.used.probe.name == name


def _overhead(directory: Path, facts: RunFacts, *, reading: float, scoring: float) -> Overhead:
    return Overhead(writing=writing_seconds(directory, facts.keys_ab), reading=reading, scoring=scoring)


def _without_extraction(seconds: PairSeconds | Refusal) -> PairSeconds | Refusal:
    """A raw score needs no activations: order AB costs what it costs without them, where that is known."""
    if isinstance(seconds, Refusal) or seconds.plain_ab is None:
        return seconds
    return replace(seconds, ab=seconds.plain_ab)


def _notes(scored: Scored, facts: RunFacts, *, raw: bool) -> list[str]:
    notes = list(scored.notes)
    if not isinstance(facts.seconds, Refusal) and facts.seconds.plain_ab is None:
        unneeded = ", which this score doesn't need," if raw else ""
        notes.append(
            f"The judge was timed while activations were taken{unneeded} in both orders: full swapping alone would be "
            "a little faster, and the net saving smaller. A run without activations tells by how much (--plain)."
        )
    return notes


def _beside(policy: Path) -> Path:
    return card_path(policy.with_name(f"{policy.name.removesuffix('.json')}.probe.json"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Calibrated:
    """A score and the pairs that may calibrate it."""

    values: NDArray[np.float64]
    data: ProbeData
    fitted: SavedProbe | None = None
    unproved: str | None = None


def _policy(
    data: ProbeData, scored: Scored, question: TriageQuestion, *, floor: float, largest: int | None
) -> tuple[SwapPolicy, SavedProbe | None, float]:
    """The policy, the probe that was fitted for it, and the share that it swaps of its calibration pairs, or of all."""
    from evenhand import __version__

    score = scored.scores[question.score]
    if isinstance(score, Refusal):
        raise ConfigError(f"score {question.score!r} can't be used: {score.reason}")
    used = scored.used.sha256 if scored.used is not None and _is_saved(scored, score.name) else None
    created = now()
    if question.budget is not None:
        fitted = _fit(data, score, question, version=__version__, created=created) if _learned(score) else None
        policy = SwapPolicy(
            rule=PolicyRule.BUDGET,
            score=score.name,
            subject=data.subject,
            probe_sha256=used,
            budget=question.budget,
            floor=floor,
            evenhand=__version__,
            created=created,
        )
        return policy, fitted, budget_size(len(data), question.budget) / len(data)
    alpha = _given(question.max_missed)
    ready = _ready(data, score, question, version=__version__, created=created)
    most = max(largest or 1, largest_group(data.groups))
    control = calibrate(ready.values, ready.data, alpha=alpha, delta=question.delta, largest=most)
    policy = SwapPolicy(
        rule=PolicyRule.MAX_MISSED,
        score=score.name,
        subject=data.subject,
        probe_sha256=used,
        threshold=control.threshold,
        alpha=alpha,
        delta=question.delta,
        floor=floor,
        guarantee=guarantee_text(control, unproved=ready.unproved),
        calibrated_on=_calibrated_on(data, control),
        evenhand=__version__,
        created=created,
    )
    return policy, ready.fitted, float(np.mean(ready.values >= control.threshold))


def _given(value: float | None) -> float:
    if value is None:
        raise ConfigError("a policy needs a budget or a largest share of missed flips")
    return value


def _learned(score: RiskScore) -> bool:
    return score.kind is ScoreKind.HELD_OUT


def _ready(data: ProbeData, score: RiskScore, question: TriageQuestion, *, version: str, created: str) -> _Calibrated:
    """A fixed score may be calibrated on every pair; a learned one is fitted on half of the questions first."""
    if not _learned(score):
        return _Calibrated(values=score.values, data=data, unproved=score.kind.unproved)
    part = split_groups(data.groups, (0.5, 0.5), rng=np.random.default_rng([question.seed, 0]))
    fitted = _fit(data.rows(part == 0), score, question, version=version, created=created)
    rest = data.rows(part == 1)
    return _Calibrated(values=fitted.probabilities(rest), data=rest, fitted=fitted)


def _fit(data: ProbeData, score: RiskScore, question: TriageQuestion, *, version: str, created: str) -> SavedProbe:
    how = Freezing(seed=question.seed, evenhand=version, created=created)
    found = freeze(linear_predictor(data, score.name), data, how=how)
    if isinstance(found, Refusal):
        raise ConfigError(f"no {score.name} can be fitted for the policy: {found.reason}")
    return found


def _calibrated_on(data: ProbeData, control: RiskControl) -> CalibratedOn:
    return CalibratedOn(
        spec=data.spec,
        sha256=data.sha256,
        pairs=control.rows,
        groups=control.groups,
        flips=control.events,
        missed=control.missed,
        largest_group=control.largest_group,
    )
