"""What swapping every pair would have shown, from likely flips that were swapped for certain and a random floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, FIRST, SECOND, Booleans, PairFacts, Scope, WideTable
from evenhand.analysis.sentences import excluded_states, of, of_strata
from evenhand.audits.prediction_powered import within_flips
from evenhand.audits.sample import in_a_table
from evenhand.audits.swap_design import SwapDesign, SwapStratum, floor_note
from evenhand.stats import Estimate, PredictionPowered, Refusal, hypergeometric_interval, ppi_ratio
from evenhand.stats.proportions import normal_quantile

__all__ = ["selective_findings"]

_COUNTED = "counted from the design: no interval"
_FEW_FLIPS = 5
"""As for prediction-powered figures: where fewer than about as many were expected, coverage falls off."""
_SMALL_STRATUM = 0.05
"""Share of the pairs up to which a stratum without any asked pair is counted to another."""
_STRATA = tuple(SwapStratum)


def selective_findings(wide: WideTable, *, swap: SwapDesign, sampler: Sampler) -> Iterator[Finding]:
    """One finding per condition and readout of a run that asked order BA of a part of its pairs.

    Every pair was asked in order AB. Of those with a high risk all are asked in BA, of the others a random sample, so
    the chance of each is known. Of a stopped run, and after calls that failed for good, a stratum's sample is the
    longest prefix of its random order that was asked in full.

    Parameters
    ----------
    wide
        A pair counts as asked when it has a presentation in order BA, whatever came of it.
    swap
        Of the run. Pairs that the table doesn't know are counted and left out.
    sampler
        Its clusters and level are used; only the floor's own rate may be resampled.
    """
    for scope in wide.scopes:
        here = sampler.within(FindingKind.SELECTIVE, scope.condition, scope.readout)
        if swap.pairs:
            yield _finding(_align(scope, facts=wide.facts, swap=swap), swap, facts=wide.facts, sampler=here)
        else:
            yield _nothing_drawn(scope, swap, facts=wide.facts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Aligned:
    """The pairs of a scope with their parts in the design.

    Attributes
    ----------
    scope
        Of pairs in the design alone; every array below has one row for each of its pairs.
    stratum
        Index into :class:`SwapStratum`.
    risk
        0 where it isn't known.
    asked
        Whether the pair counts as sampled in order BA.
    decided
        Whether the judge chose a slot in order AB; the others can't flip.
    missing, beyond
        Drawn pairs not asked yet, and those asked after one that isn't.
    absent
        Pairs of the design that the scope doesn't have.
    """

    scope: Scope
    stratum: NDArray[np.int8]
    risk: NDArray[np.float64]
    asked: Booleans
    decided: Booleans
    drawn: int
    missing: int
    beyond: int
    absent: int

    def of(self, stratum: SwapStratum) -> Booleans:
        """Pairs of a stratum."""
        return np.asarray(self.stratum == _STRATA.index(stratum), dtype=np.bool_)


def _align(scope: Scope, *, facts: PairFacts, swap: SwapDesign) -> _Aligned:
    part = {in_a_table(p.pair_id): p for p in swap.pairs}
    ids = [str(facts.ids[pair]) for pair in scope.pairs.tolist()]
    kept = np.array([name in part for name in ids], dtype=np.bool_)
    scope = _rows(scope, kept)
    own = [part[name] for name, keep in zip(ids, kept.tolist(), strict=True) if keep]
    stratum = np.array([_STRATA.index(p.stratum) for p in own], dtype=np.int8)
    place = np.array([p.place for p in own], dtype=np.int64)
    drawn = np.array([p.drawn for p in own], dtype=np.bool_)
    there = scope.asked[:, 1]
    asked = np.zeros(len(own), dtype=np.bool_)
    for code in range(len(_STRATA)):
        rows = np.flatnonzero((stratum == code) & drawn)
        rows = rows[np.argsort(place[rows])]
        gaps = np.flatnonzero(~there[rows])
        asked[rows[: int(gaps[0]) if gaps.size else rows.size]] = True
    return _Aligned(
        scope=scope,
        stratum=stratum,
        risk=np.array([p.risk or 0.0 for p in own]),
        asked=asked,
        decided=scope.decided[:, 0],
        drawn=int(np.count_nonzero(drawn)),
        missing=int(np.count_nonzero(drawn & ~there)),
        beyond=int(np.count_nonzero(drawn & there & ~asked)),
        absent=len(swap.pairs) - len(own),
    )


def _rows(scope: Scope, kept: Booleans) -> Scope:
    names = [each.name for each in fields(scope) if isinstance(getattr(scope, each.name), np.ndarray)]
    return replace(scope, **{name: getattr(scope, name)[kept] for name in names})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Question:
    """One measure: what to sum, what predicts it, and where it is known.

    Attributes
    ----------
    top, bottom
        Of all pairs; only rows of known pairs are looked at.
    known
        Pairs whose top and bottom are known.
    cheap
        What may predict it, shape (pairs, covariates).
    domain
        Pairs that could enter at all.
    """

    name: str
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    known: Booleans
    cheap: NDArray[np.float64]
    domain: Booleans
    rate: bool = True


def _questions(data: _Aligned, facts: PairFacts) -> Iterator[_Question]:
    scope, risk, everywhere = data.scope, data.risk, np.ones(data.risk.size, dtype=np.bool_)
    first, second = (np.asarray(scope.flips & (scope.outcome[:, 0] == slot)) for slot in (FIRST, SECOND))
    of_first, of_second = (risk * (scope.outcome[:, 0] == slot) for slot in (FIRST, SECOND))
    flips, decided = scope.flips.astype(np.float64), scope.decided_both.astype(np.float64)
    # Without a slot chosen in AB a pair neither flips nor is decided in both, whatever BA says.
    known = data.asked | ~data.decided

    def question(
        name: str, top: NDArray[np.float64], bottom: NDArray[np.float64], *cheap: NDArray[np.float64]
    ) -> _Question:
        columns = np.column_stack(cheap)
        return _Question(name=name, top=top, bottom=bottom, known=known, cheap=columns, domain=everywhere)

    yield question("flip_rate", flips, decided, risk)
    strength = question("position_bias_strength", first.astype(float) - second, decided, of_first - of_second)
    yield replace(strength, rate=False)
    yield question("first_position_bias_rate", first.astype(float), flips, of_first, of_second)
    if (scope.compliant != ABSENT).any():
        both, led = scope.compliant_pairs(), scope.compliant[:, 0] == 1
        compliant = question("compliance_pairs", both.astype(float), scope.compliance_known().astype(float), led * 1.0)
        yield replace(compliant, known=data.asked)
    gold = facts.gold[scope.pairs]
    if (gold != ABSENT).any():
        right = scope.verdict & (scope.preference == gold[:, None])
        yield _Question(
            name="accuracy_ba",
            top=right[:, 1].astype(np.float64),
            bottom=scope.verdict[:, 1].astype(np.float64),
            known=data.asked,
            # A pair that flips is right in one order alone.
            cheap=np.where(right[:, 0], 1 - risk, risk)[:, None],
            domain=np.asarray(gold != ABSENT),
        )


def _ask(question: _Question, data: _Aligned, sampler: Sampler) -> PredictionPowered | Refusal:
    inside = question.domain
    known, strata = question.known[inside], _strata(data, question.known[question.domain], question.domain)
    return ppi_ratio(
        question.top[inside][known],
        question.bottom[inside][known],
        labelled=known,
        covariates=question.cheap[inside],
        strata=strata,
        prior_units=_prior(question.bottom[inside][known], strata, known, level=sampler.level),
        clusters=sampler.clusters[data.scope.pairs[inside]],
        interval="wilson" if question.rate else "difference",
        level=sampler.level,
    )


def _prior(bottom: NDArray[np.float64], strata: NDArray[np.str_], known: Booleans, *, level: float) -> float:
    """z² pseudo-pairs *that enter the ratio*: of few pairs that do, such as flips, that many more of all pairs.

    With z² pairs, of which one in six may be a flip, the first-slot share of flips was covered in .88 to .90
    (docs/methods/selective.md).
    """
    sizes = {name: np.count_nonzero(strata == name) for name in np.unique(strata).tolist()}
    entering = sum(
        size * float(own.mean()) for name, size in sizes.items() if (own := bottom[strata[known] == name]).size
    )
    share = entering / strata.size
    return normal_quantile(level) ** 2 / share if share > 0 else 0.0


def _strata(data: _Aligned, known: Booleans, inside: Booleans) -> NDArray[np.str_]:
    """The strata, apart for pairs decided in AB and not; a small one of which nothing is known joins the largest.

    Both are known of every pair, so each part of a random sample is a random sample of its part.
    """
    codes = (2 * data.stratum + ~data.decided)[inside].astype(np.int64)
    sizes, asked = (np.bincount(each, minlength=2 * len(_STRATA)) for each in (codes, codes[known]))
    lost = (sizes > 0) & (asked == 0) & (sizes <= _SMALL_STRATUM * codes.size)
    partly = np.where((asked > 0) & (asked < sizes), sizes, 0)
    if lost.any() and partly.any():
        codes = np.where(lost[codes], int(np.argmax(partly)), codes)
    names = np.array([f"{stratum}{tail}" for stratum in SwapStratum for tail in ("", ", no slot chosen in AB")])
    return names[codes]


def _finding(data: _Aligned, swap: SwapDesign, *, facts: PairFacts, sampler: Sampler) -> Finding:
    answers = within_flips({q.name: _ask(q, data, sampler) for q in _questions(data, facts)})
    return Finding(
        kind=FindingKind.SELECTIVE,
        condition=data.scope.condition,
        readout=data.scope.readout,
        pairs=int(data.scope.pairs.size),
        presentations=int(np.count_nonzero(data.scope.asked)),
        measures=tuple(_measures(data, answers, sampler)),
        table=tuple(_table(data)),
        notes=tuple(_notes(data, swap, answers)),
    )


def _measures(data: _Aligned, answers: dict[str, PredictionPowered | Refusal], sampler: Sampler) -> Iterator[Measure]:
    for name, answer in answers.items():
        powered, weighted = (answer, answer) if isinstance(answer, Refusal) else (answer.estimate, answer.classical)
        yield Measure(name=f"selective_{name}", estimate=_called("selective", powered))
        yield Measure(name=f"weighted_{name}", estimate=_called("weighted", weighted))
    floor, certain = data.of(SwapStratum.FLOOR), data.of(SwapStratum.CERTAIN)
    yield Measure(name="missed_flips", estimate=_missed(data, floor, level=sampler.level))
    for name, part, who in (("floor", floor, "the random floor"), ("certain", certain, "high risk")):
        yield sampler.rate(
            f"{name}_flip_rate",
            data.scope.flips & part & data.asked,
            data.scope.decided_both & part & data.asked,
            pairs=data.scope.pairs,
            nothing=f"needs a pair of {who} decided in both orders, has none",
        )
    yield sampler.difference(
        "certain_minus_floor_flip_rate",
        *(
            (data.scope.flips & part & data.asked, data.scope.decided_both & part & data.asked)
            for part in (certain, floor)
        ),
        pairs=data.scope.pairs,
        nothing="needs pairs of high risk and of the random floor decided in both orders, has not both",
    )
    total = 2 * int(data.scope.pairs.size)
    saved = 1 - int(np.count_nonzero(data.scope.asked)) / total
    yield Measure(name="judgments_saved", estimate=Estimate(value=saved, interval=None, n=total, flags=(_COUNTED,)))


def _called(name: str, estimate: Estimate | Refusal) -> Estimate | Refusal:
    """The estimate with its interval's method under this name: its strata are those of the swap."""
    if isinstance(estimate, Refusal) or estimate.interval is None:
        return estimate
    start, comma, rest = estimate.interval.method.partition(", ")
    if start not in ("prediction-powered", "stratified"):
        return estimate  # every pair was asked: the plain interval
    return replace(estimate, interval=replace(estimate.interval, method=f"{name}{comma}{rest}"))


def _missed(data: _Aligned, floor: Booleans, *, level: float) -> Estimate | Refusal:
    """Share of these pairs' flips that lie in the floor: its flips from the draw alone, the others' are counted.

    Pairs decided in neither order don't flip, and those whose answer in AB chose no slot can't.
    """
    flips = data.scope.flips
    others = ~floor & data.decided
    if (others & ~data.asked).any():
        return Refusal(reason=f"{np.count_nonzero(others & ~data.asked):,} pairs of the other strata aren't swapped")
    possible, sampled = floor & data.decided, floor & data.decided & data.asked
    found, caught = int(np.count_nonzero(flips & sampled)), int(np.count_nonzero(flips & others))
    size, n = int(np.count_nonzero(possible)), int(np.count_nonzero(sampled))
    if size and not n:
        return Refusal(reason="no pair of the floor is swapped: nothing is known of the others")
    if not found + caught:
        return Refusal(reason="needs a flip, has none")
    if not size:
        return Estimate(value=0.0, interval=None, n=caught, count=0, flags=("every pair that can flip is swapped",))
    counts = hypergeometric_interval(found, sample=n, population=size, level=level)
    low, high = (count / (count + caught) for count in (counts.low, counts.high))
    guess = size * found / n
    return Estimate(
        value=guess / (guess + caught),
        interval=replace(counts, low=low, high=high, method=f"{counts.method}, of these pairs"),
        n=found + caught,
    )


def _table(data: _Aligned) -> Iterator[tuple[str, int]]:
    scope = data.scope
    yield "pairs", int(scope.pairs.size)
    yield "pairs swapped", int(np.count_nonzero(data.asked))
    yield "judgments asked", int(np.count_nonzero(scope.asked))
    yield "judgments of a full run", 2 * int(scope.pairs.size)
    yield "flips found", int(np.count_nonzero(scope.flips & data.asked))
    for name in SwapStratum:
        members = data.of(name)
        yield f"{name}, pairs", int(np.count_nonzero(members))
        yield f"{name}, swapped", int(np.count_nonzero(members & data.asked))
        yield f"{name}, flips found", int(np.count_nonzero(members & data.asked & scope.flips))


def _notes(data: _Aligned, swap: SwapDesign, answers: dict[str, PredictionPowered | Refusal]) -> Iterator[str]:
    counts = dict(_table(data))
    total, asked = counts["pairs"], counts["pairs swapped"]
    strata = of_strata(counts, SwapStratum, "swapped")
    yield (
        f"Order BA was asked of {of(asked, total, 'pairs')} ({strata}): for certain where the predicted risk of a flip "
        f"was high{f' ({swap.rule})' if swap.rule else ''} or unknown, of the rest a random floor drawn by seed "
        f"{swap.seed}. The figures estimate what asking both orders of every pair would show. They hold whatever the "
        "predictor is worth, as far as the floor was random: pairs must not be added or left out by hand."
    )
    if swap.guarantee is not None:
        yield f"The policy's guarantee, on pairs like those that it was calibrated on: {swap.guarantee}"
    small = floor_note(swap.size(SwapStratum.FLOOR), floor=swap.floor, minimum=swap.minimum)
    if small is not None:
        yield f"{small[0].upper()}{small[1:]}."
    yield from _left_out(data)
    flips = answers["flip_rate"]
    if isinstance(flips, PredictionPowered) and flips.labelled < flips.units:
        yield from _few(data)
    rows = data.asked & data.decided & ~data.scope.decided_both
    if rows.any():
        states = excluded_states(data.scope.outcome[rows], decided=data.scope.decided[rows])
        yield (
            f"Not in the flip rate: {of(int(np.count_nonzero(rows)), asked, 'swapped pairs')} that chose a slot in AB "
            f"but none in BA (presentations: {states}). Such a pair counts neither as a flip nor as kept."
        )
    silent = int(np.count_nonzero(~data.decided))
    if silent:
        yield f"Not in the flip rate: {of(silent, total, 'pairs')} whose answer in AB chose no slot."


def _left_out(data: _Aligned) -> Iterator[str]:
    if data.missing:
        later = (
            f"; {of(data.beyond, data.drawn, 'drawn pairs')} come after one of these in their stratum and are left out "
            "too, for what a judge answers first may not be random"
            if data.beyond
            else ""
        )
        yield f"{of(data.missing, data.drawn, 'drawn pairs')} have no answer in order BA yet{later}."
    if data.absent:
        yield f"{data.absent:,} pairs of the design have no answer at all and are left out."


def _few(data: _Aligned) -> Iterator[str]:
    floor = data.asked & data.of(SwapStratum.FLOOR)
    flips = int(np.count_nonzero(data.scope.flips & floor))
    decided = int(np.count_nonzero(data.scope.decided_both & floor))
    if flips < _FEW_FLIPS:
        yield (
            f"{of(flips, decided, 'floor pairs')} decided in both orders flip: with fewer than {_FEW_FLIPS} the share "
            "of flips missed, and the floor's part in the flip rate, are rough."
        )


def _nothing_drawn(scope: Scope, swap: SwapDesign, *, facts: PairFacts) -> Finding:
    refusal = Refusal(reason=f"no pair is drawn for order BA: {swap.why_empty}", n=0)
    names = ["flip_rate", "position_bias_strength", "first_position_bias_rate"]
    names += ["accuracy_ba"] if (facts.gold != ABSENT).any() else []
    return Finding(
        kind=FindingKind.SELECTIVE,
        condition=scope.condition,
        readout=scope.readout,
        pairs=int(scope.pairs.size),
        presentations=int(np.count_nonzero(scope.asked)),
        measures=(
            *(Measure(name=f"{kind}_{name}", estimate=refusal) for name in names for kind in ("selective", "weighted")),
            Measure(name="missed_flips", estimate=refusal),
        ),
        notes=(f"No pair is drawn for order BA: {swap.why_empty}.",),
    )
