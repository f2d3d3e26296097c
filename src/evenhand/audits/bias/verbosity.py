"""Verbosity: whether a longer response wins for its length. By regression, by disagreement with gold, by padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import FIRST, Booleans, Scope
from evenhand.analysis.sentences import of
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.features import NO_TEXTS, PairFeatures, pair_features
from evenhand.audits.bias.length_model import (
    LENGTH,
    QUALITY,
    LengthFit,
    LengthRows,
    fit_length,
    length_rows,
    per_doubling,
)
from evenhand.audits.readout import outcome_counts
from evenhand.records import Change, Preference, Readout
from evenhand.stats import Refusal, TestResult

__all__ = ["NO_GOLD", "VerbosityAudit"]

NO_GOLD: Final = (
    "needs gold preferences or rated quality of pairs with texts, has none: without them a longer response may be "
    "chosen because it is better"
)
NOT_ONLY_LENGTH: Final = (
    "Quality is known as the gold side alone: where longer responses are also better by more, the length effect holds "
    "some of that. It counts as shown where the fit with the quality expected of gold and length together shows it "
    "too; the padding contrast changes the length and nothing else."
)
_AUDIT: Final = "verbosity"
_AUTHORS: Final = "Authors have terms of their own: the length effect is the one among responses of the same authors."


@dataclass(frozen=True, slots=True)
class VerbosityAudit:
    """Length against choice, at equal quality; and padding, where the run asked for it."""

    name: str = _AUDIT
    question: str = "Does a response win because it is longer?"
    needs: str = (
        "The responses' texts; for figures at equal quality gold preferences or rated quality; for the padding "
        "contrast a run that asked for padded responses."
    )

    def plan(self, supplied: frozenset[tuple[str, str]]) -> tuple[Changes, ...]:
        """Redundant padding of A and of B, and the user's own where they brought it."""
        levels = ["redundant", *(["supplied"] if ("padding", "supplied") in supplied else [])]
        return tuple(
            (Change(factor="padding", level=level, target=target),)
            for level in levels
            for target in (Preference.A, Preference.B)
        )

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """One finding for each unchanged condition and readout, then those of the padding contrast."""
        from evenhand.audits.bias.contrast import padding_findings

        features = pair_features(data)
        unchanged = [condition.id for condition in data.conditions if not condition.changes]
        observed = [
            _finding(scope, features, sampler)
            for condition in unchanged
            for readout in Readout
            if (scope := data.wide.find(condition, readout)) is not None
        ]
        return (*observed, *padding_findings(data, sampler))


def _finding(scope: Scope, features: PairFeatures, sampler: Sampler) -> Finding:
    own = sampler.within(FindingKind.BIAS, _AUDIT, scope.condition, scope.readout)
    rows = length_rows(scope, features)
    if not rows.pairs.size:
        texts = bool((~np.isnan(features.characters[scope.pairs])).any())
        reason = "no presentation of a pair with texts chose a slot" if texts else NO_TEXTS
        measures: tuple[Measure, ...] = (Measure(name="length_effect", estimate=Refusal(reason=reason)),)
        tests: tuple[TestResult, ...] = ()
        notes: tuple[str, ...] = ()
    else:
        adjusted = _adjusted(rows, features, own)
        measures = (
            *_of_fit(adjusted),
            *_other_fits(rows, features, own, scored=bool(np.isfinite(rows.log_odds).any())),
            *_choices(scope, features, own),
            *_disagreement(scope, features, own),
        )
        tests = _tests(adjusted, _latent(rows, features, own))
        notes = tuple(_notes(scope, rows, features, adjusted))
    return Finding(
        kind=FindingKind.BIAS,
        audit=_AUDIT,
        condition=scope.condition,
        readout=scope.readout,
        subset="length",
        pairs=len(np.unique(rows.pairs)),
        presentations=len(rows.pairs),
        outcomes=outcome_counts(scope),
        measures=measures,
        tests=tests,
        table=_table(scope, rows, features),
        notes=notes,
    )


def _adjusted(rows: LengthRows, features: PairFeatures, sampler: Sampler) -> LengthFit | Refusal:
    if np.isnan(features.quality[rows.pairs]).all():
        return Refusal(reason=NO_GOLD, n=0)
    return fit_length(rows, features, sampler, outcome="choice", quality=True, ratio=True, stream="length_per_quality")


def _latent(rows: LengthRows, features: PairFeatures, sampler: Sampler) -> LengthFit | Refusal | None:
    """The fit with expected quality in place of the gold side; None where quality is rated, or unknown."""
    if features.is_rated or np.isnan(features.gold[rows.pairs]).all():
        return None
    return fit_length(rows, features, sampler, outcome="odds", quality=True, latent=True)


def _of_fit(fit: LengthFit | Refusal) -> Iterator[Measure]:
    if isinstance(fit, Refusal):
        for name in ("length_effect", "quality_effect", "length_per_quality"):
            yield Measure(name=name, estimate=fit)
        return
    regression = fit.regression
    yield Measure(name="length_effect", estimate=per_doubling(regression.term(LENGTH).estimate))
    yield Measure(name="quality_effect", estimate=regression.term(QUALITY).estimate)
    suffix = {"fieller": "", "delta": "_delta", "bootstrap": "_bootstrap"}
    for method, estimate in fit.ratio:
        yield Measure(name=f"length_per_quality{suffix[method]}", estimate=estimate)


def _other_fits(rows: LengthRows, features: PairFeatures, sampler: Sampler, *, scored: bool) -> Iterator[Measure]:
    """The same by words, by log odds, of the readout's own log odds; and without quality, so named."""
    quality = not np.isnan(features.quality[rows.pairs]).all()
    if quality:
        in_words = fit_length(rows, features, sampler, outcome="choice", quality=True, words=True)
        yield _length(in_words, "length_effect_words")
        yield _length(fit_length(rows, features, sampler, outcome="odds", quality=True), "length_effect_odds")
        expected = _latent(rows, features, sampler)
        if expected is not None:
            yield _length(expected, "length_effect_latent")
        if scored:
            score = fit_length(
                rows, features, sampler, outcome="score", quality=True, ratio=True, stream="length_per_quality_score"
            )
            yield _length(score, "length_effect_score")
            ratio = score if isinstance(score, Refusal) else dict(score.ratio)["fieller"]
            yield Measure(name="length_per_quality_score", estimate=ratio)
    yield _length(fit_length(rows, features, sampler, outcome="choice", quality=False), "length_effect_unadjusted")


def _length(fit: LengthFit | Refusal, name: str) -> Measure:
    estimate = fit if isinstance(fit, Refusal) else per_doubling(fit.regression.term(LENGTH).estimate)
    return Measure(name=name, estimate=estimate)


def _longer(scope: Scope, features: PairFeatures) -> tuple[Booleans, Booleans]:
    """Whether the longer response was chosen, and whether one was chosen of two unlike lengths; shape (pairs, 2)."""
    length = features.characters[scope.pairs]
    unlike = ~np.isnan(length) & (length != 0)
    a, b = (tuple(Preference).index(side) for side in (Preference.A, Preference.B))
    longer = np.where(length > 0, a, b)
    counted = scope.decided & unlike[:, None]
    return counted & (scope.preference == longer[:, None]), counted


def _choices(scope: Scope, features: PairFeatures, sampler: Sampler) -> Iterator[Measure]:
    """How often the longer response is chosen, in all, by slot, and how well length ranks choices."""
    longer, counted = _longer(scope, features)
    pairs, nothing = scope.pairs, "no presentation chose between responses of unlike length"
    yield sampler.rate("longer_chosen", longer.sum(axis=1), counted.sum(axis=1), pairs=pairs, nothing=nothing)
    # A is first in AB: the longer response is first where it is A in AB, or B in BA.
    a_longer = features.characters[pairs] > 0
    first = np.column_stack([a_longer, ~a_longer])
    for name, where in (("longer_chosen_first", first), ("longer_chosen_second", ~first)):
        yield sampler.rate(
            name, (longer & where).sum(axis=1), (counted & where).sum(axis=1), pairs=pairs, nothing=nothing
        )
    row, order = np.nonzero(counted)
    sign = np.where(order == 0, 1.0, -1.0)
    yield sampler.auroc(
        "length_auroc",
        sign * features.characters[pairs[row]],
        scope.outcome[row, order] == FIRST,
        pairs=pairs[row],
        nothing=nothing,
    )


def _disagreement(scope: Scope, features: PairFeatures, sampler: Sampler) -> Iterator[Measure]:
    """How often length wins where gold says otherwise, beside the errors where both agree."""
    length, gold = features.characters[scope.pairs], features.gold[scope.pairs]
    if np.isnan(gold).all():
        for name in ("verbosity_bias_rate", "error_rate_agreeing", "verbosity_excess"):
            yield Measure(name=name, estimate=Refusal(reason=NO_GOLD, n=0))
        return
    with np.errstate(invalid="ignore"):
        side = np.sign(length) * gold
    longer, counted = _longer(scope, features)
    against, along = (counted & (side == sign)[:, None] for sign in (-1, 1))
    wrong = {
        "verbosity_bias_rate": ((longer & against).sum(axis=1), against.sum(axis=1)),
        "error_rate_agreeing": ((~longer & along).sum(axis=1), along.sum(axis=1)),
    }
    nothing = {
        "verbosity_bias_rate": "no pair whose gold response is the shorter one was decided",
        "error_rate_agreeing": "no pair whose gold response is the longer one was decided",
    }
    for name, (numerator, denominator) in wrong.items():
        yield sampler.rate(name, numerator, denominator, pairs=scope.pairs, nothing=nothing[name])
    yield sampler.difference(
        "verbosity_excess",
        wrong["verbosity_bias_rate"],
        wrong["error_rate_agreeing"],
        pairs=scope.pairs,
        nothing="needs decided pairs whose gold response is the shorter one, and others where it is the longer one",
    )


def _tests(fit: LengthFit | Refusal, latent: LengthFit | Refusal | None) -> tuple[TestResult, ...]:
    """Tests of the length term; none without quality, for which length may stand.

    With rated quality the linear fit's. With a gold side the weaker of two: with the side itself as quality, which is
    right where better is just better, and with the quality expected of side and length, which is right where longer
    responses are better by more. An effect is shown where both show it, with one sign.
    """
    if isinstance(fit, Refusal) or isinstance(latent, Refusal):
        return ()
    plain = fit.regression.term(LENGTH)
    if latent is None:
        return (replace(plain.test, name=f"{plain.test.name} at equal quality"),)
    expected = latent.regression.term(LENGTH)
    sides = (
        replace(plain.test, name=f"{plain.test.name} at equal gold side"),
        replace(expected.test, name=f"{expected.test.name} at equal expected quality"),
    )
    weaker = max(sides, key=lambda test: test.log10_p)
    if plain.estimate.value * expected.estimate.value <= 0:
        weaker = replace(weaker, p_value=1.0, log10_p=0.0, caveat="the two fits differ in sign")
    return (replace(weaker, name=f"{weaker.name}, the weaker of two"), *sides)


def _table(scope: Scope, rows: LengthRows, features: PairFeatures) -> tuple[tuple[str, int], ...]:
    length, gold = features.characters[scope.pairs], features.gold[scope.pairs]
    with np.errstate(invalid="ignore"):
        side = np.sign(length) * gold
    counts = {
        "pairs": len(scope.pairs),
        "with texts": int(np.count_nonzero(~np.isnan(length))),
        "with a gold preference": int(np.count_nonzero(~np.isnan(gold))),
        "gold is the longer response": int(np.count_nonzero(side == 1)),
        "gold is the shorter response": int(np.count_nonzero(side == -1)),
        "presentations that chose a slot": len(rows.pairs),
    }
    return tuple(counts.items())


def _notes(scope: Scope, rows: LengthRows, features: PairFeatures, fit: LengthFit | Refusal) -> Iterator[str]:
    asked = int(np.count_nonzero(scope.asked))
    if len(rows.pairs) < asked:
        without = int(np.count_nonzero(np.isnan(features.characters[scope.pairs])))
        texts = f", and {of(without, len(scope.pairs), 'pairs')} have no texts" if without else ""
        yield (
            f"Not in these figures: {of(asked - len(rows.pairs), asked, 'presentations')}. They chose no slot (a tie, "
            f"or no verdict){texts}."
        )
    if scope.single_order:
        yield "One order only: length and slot are told apart by the regression alone."
    if isinstance(fit, Refusal):
        yield "Not at equal quality: what is said of length here may be said of quality."
        return
    missing = int(
        np.count_nonzero(np.isnan(features.quality[scope.pairs]) & ~np.isnan(features.characters[scope.pairs]))
    )
    if missing:
        yield f"Without quality, and so not in the figures at equal quality: {of(missing, len(scope.pairs), 'pairs')}."
    if not features.is_rated:
        yield NOT_ONLY_LENGTH
    if fit.authors:
        yield _AUTHORS
