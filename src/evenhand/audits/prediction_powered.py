"""What generating for every pair would have shown, from a random sample of pairs and the first token of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, FIRST, SECOND, Booleans, PairFacts, Scope, WideTable
from evenhand.analysis.sentences import excluded_states, of, of_strata
from evenhand.audits.sample import SampleDesign, SampleStratum, choose_sample, compliance_strata, strata_codes
from evenhand.records import Order, Readout
from evenhand.stats import Estimate, PredictionPowered, Refusal, ppi_ratio

__all__ = ["prediction_powered_findings", "within_flips"]

_NO_INTERVAL = "no interval: it comes from estimated variances"
_CAPPED = "corrected beyond the flip rate and set to it"
_FEW_FLIPS = 5
"""Where fewer than about as many were expected, coverage was as low as .92 (docs/methods/prediction-powered.md)."""
_SMALL_STRATUM = 0.05
"""Share of the pairs up to which a stratum without any sampled pair is counted to another."""


def prediction_powered_findings(wide: WideTable, *, sample: SampleDesign, sampler: Sampler) -> Iterator[Finding]:
    """One finding per condition whose first token was read for all pairs and whose text for a random sample of them.

    Which pairs were drawn, and in which order, follows from the design and the first tokens. The sample is the longest
    prefix of the draw that was asked in full: a judge may answer a batch in an order of its own, longest prompts first,
    so that all that was answered when a run stopped is no random sample. Call it for a run that was budgeted so.

    Parameters
    ----------
    wide
        A pair counts as asked when it has text in both orders, whatever came of it. Where that is every pair, the
        figures are the plain ones.
    sample
        Of the run.
    sampler
        Its clusters and level are used; nothing is resampled.
    """
    for condition in wide.conditions:
        first, written = wide.find(condition, Readout.FIRST_TOKEN), wide.find(condition, Readout.GENERATED)
        if first is None or written is None or first.single_order or written.single_order:
            continue
        data = _align(first, written, facts=wide.facts, sample=sample)
        yield _finding(data, facts=wide.facts, sampler=sampler)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Aligned:
    """All pairs of a condition, with both readouts on the same rows.

    Attributes
    ----------
    pairs
        Indices into the table's pairs; shape (N,).
    sampled
        Whether the pair is of the sample: drawn, and asked for text as is every pair drawn before it.
    drawn
        How many pairs were drawn.
    beyond
        How many drawn pairs have text in both orders, but after one that doesn't.
    strangers
        How many pairs have text and were not drawn.
    cheap, costly
        Row of each pair in the scope, -1 where it isn't there.
    """

    first: Scope
    written: Scope
    pairs: NDArray[np.int64]
    strata: NDArray[np.int8]
    sampled: Booleans
    drawn: int
    beyond: int
    strangers: int
    cheap: NDArray[np.int64]
    costly: NDArray[np.int64]

    def all_pairs(self, values: Booleans) -> NDArray[np.float64]:
        """First-token values of all pairs; 0 where there is none, in a stratum of its own."""
        return np.where(self.cheap >= 0, values[self.cheap], 0).astype(np.float64)

    def of_sample(self, values: Booleans) -> NDArray[np.float64]:
        """Values of the written scope on the sampled pairs, in the order of ``pairs``."""
        return values[self.costly[self.sampled]].astype(np.float64)


def _align(first: Scope, written: Scope, *, facts: PairFacts, sample: SampleDesign) -> _Aligned:
    pairs = np.union1d(first.pairs, written.pairs)
    cheap, costly = (np.full(pairs.size, -1, dtype=np.int64) for _ in range(2))
    cheap[np.searchsorted(pairs, first.pairs)] = np.arange(first.pairs.size)
    costly[np.searchsorted(pairs, written.pairs)] = np.arange(written.pairs.size)
    there = written.asked[costly] & (costly >= 0)[:, None]
    asked: Booleans = np.asarray(there.all(axis=1), dtype=np.bool_)
    drawn = _drawn(first, pairs, facts=facts, sample=sample)
    gaps = np.flatnonzero(~asked[drawn])
    prefix = int(gaps[0]) if gaps.size else drawn.size
    sampled = np.zeros(pairs.size, dtype=np.bool_)
    sampled[drawn[:prefix]] = True
    chosen = np.zeros(pairs.size, dtype=np.bool_)
    chosen[drawn] = True
    return _Aligned(
        first=first,
        written=written,
        pairs=pairs,
        strata=strata_codes(first, pairs),
        sampled=sampled,
        drawn=int(drawn.size),
        beyond=int(np.count_nonzero(asked[drawn[prefix:]])),
        strangers=int(np.count_nonzero(there.any(axis=1) & ~chosen)),
        cheap=cheap,
        costly=costly,
    )


def _drawn(first: Scope, pairs: NDArray[np.int64], *, facts: PairFacts, sample: SampleDesign) -> NDArray[np.intp]:
    """Rows of the drawn pairs among ``pairs``, in the order of the draw."""
    ids = [str(facts.ids[pair]) for pair in pairs.tolist()]
    strata = compliance_strata(first, facts=facts, pair_ids=ids)
    row = {pair_id: place for place, pair_id in enumerate(ids)}
    chosen = choose_sample(strata, fraction=sample.fraction, seed=sample.seed).pairs
    return np.array([row[pair_id] for pair_id in chosen], dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Question:
    """One measure: what to sum over the sample, what predicts it, and on which pairs it is defined at all.

    Attributes
    ----------
    name
        Without the prefix ``pp_`` or ``sample_``.
    top, bottom
        Of the sampled pairs, shape (n,).
    cheap
        Of all pairs, shape (N,).
    domain
        Pairs that could enter, known without any text; None is all.
    """

    name: str
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    cheap: NDArray[np.float64]
    domain: Booleans | None = None
    rate: bool = True


def _questions(data: _Aligned, facts: PairFacts) -> Iterator[_Question]:
    first, written = data.first, data.written
    decided = data.of_sample(written.decided_both)
    yield _Question(
        name="flip_rate", top=data.of_sample(written.flips), bottom=decided, cheap=data.all_pairs(first.flips)
    )
    yield _Question(
        name="position_bias_strength",
        top=data.of_sample(_locks(written, FIRST)) - data.of_sample(_locks(written, SECOND)),
        bottom=decided,
        cheap=data.all_pairs(_locks(first, FIRST)) - data.all_pairs(_locks(first, SECOND)),
        rate=False,
    )
    gold = facts.gold[data.pairs]
    if not (gold != ABSENT).any():
        return
    for column, order in enumerate(Order):
        yield _Question(
            name=f"accuracy_{order.lower()}",
            top=data.of_sample(_right(written, facts, column)),
            bottom=data.of_sample(written.verdict[:, column]),
            cheap=data.all_pairs(_right(first, facts, column)),
            domain=gold != ABSENT,
        )


def _locks(scope: Scope, slot: int) -> Booleans:
    return np.asarray(scope.flips & (scope.outcome[:, 0] == slot), dtype=np.bool_)


def _right(scope: Scope, facts: PairFacts, column: int) -> Booleans:
    return np.asarray(
        scope.verdict[:, column] & (scope.preference[:, column] == facts.gold[scope.pairs]), dtype=np.bool_
    )


def _ask(question: _Question, data: _Aligned, sampler: Sampler) -> PredictionPowered | Refusal:
    inside = np.ones(data.pairs.size, dtype=bool) if question.domain is None else question.domain
    kept = inside[data.sampled]
    names = np.array([str(s) for s in SampleStratum])
    strata = _collapsed(data.strata[inside], data.sampled[inside])
    return ppi_ratio(
        question.top[kept],
        question.bottom[kept],
        labelled=data.sampled[inside],
        covariates=question.cheap[inside],
        strata=names[strata],
        clusters=sampler.clusters[data.pairs[inside]],
        interval="wilson" if question.rate else "difference",
        level=sampler.level,
    )


def _collapsed(strata: NDArray[np.int8], sampled: Booleans) -> NDArray[np.int8]:
    """The strata, with a small one that has no sampled pair counted to the largest that has some.

    So a handful of pairs whose first token failed, none of them with gold, don't forbid an accuracy. A stratum that is
    not small stays by itself, and the estimate is refused.
    """
    sizes, drawn = np.bincount(strata, minlength=3), np.bincount(strata[sampled], minlength=3)
    lost = (sizes > 0) & (drawn == 0) & (sizes <= _SMALL_STRATUM * strata.size)
    if not lost.any() or not drawn.any():
        return strata
    largest = int(np.argmax(np.where(drawn > 0, sizes, 0)))
    return np.where(lost[strata], np.int8(largest), strata)


def _finding(data: _Aligned, *, facts: PairFacts, sampler: Sampler) -> Finding:
    answers = list(within_flips({q.name: _ask(q, data, sampler) for q in _questions(data, facts)}).items())
    return Finding(
        kind=FindingKind.PREDICTION_POWERED,
        condition=data.written.condition,
        readout=Readout.GENERATED,
        pairs=int(data.pairs.size),
        presentations=2 * int(np.count_nonzero(data.sampled)),
        measures=tuple(measure for name, answer in answers for measure in _measures(name, answer)),
        table=tuple(_table(data)),
        notes=tuple(_notes(data, dict(answers))),
    )


def within_flips(answers: dict[str, PredictionPowered | Refusal]) -> dict[str, PredictionPowered | Refusal]:
    """The answers, with a position bias strength that is no larger than the flip rate.

    Each is corrected by a predictor of its own. Where nearly all flips lock to one slot the two are nearly equal, and
    chance may put them in the wrong order.
    """
    flips, strength = answers["flip_rate"], answers["position_bias_strength"]
    if isinstance(flips, Refusal) or isinstance(strength, Refusal):
        return answers
    most, found = flips.estimate.value, strength.estimate
    if abs(found.value) <= most or flips.labelled == flips.units:
        return answers
    value = float(np.copysign(most, found.value))
    interval = found.interval
    if interval is not None:
        interval = replace(interval, low=min(interval.low, value), high=max(interval.high, value))
    capped = replace(found, value=value, interval=interval, flags=(*found.flags, _CAPPED))
    return {**answers, "position_bias_strength": replace(strength, estimate=capped)}


def _measures(name: str, answer: PredictionPowered | Refusal) -> Iterator[Measure]:
    if isinstance(answer, Refusal):
        yield Measure(name=f"pp_{name}", estimate=answer)
        yield Measure(name=f"sample_{name}", estimate=answer)
        return
    yield Measure(name=f"pp_{name}", estimate=answer.estimate)
    yield Measure(name=f"sample_{name}", estimate=answer.classical)
    if name == "flip_rate":
        effective = Estimate(value=answer.effective_labels, interval=None, n=answer.labelled, flags=(_NO_INTERVAL,))
        yield Measure(name="pp_effective_pairs", estimate=effective)


def _table(data: _Aligned) -> Iterator[tuple[str, int]]:
    yield "pairs", int(data.pairs.size)
    yield "pairs generated for", int(np.count_nonzero(data.sampled))
    for code, name in enumerate(SampleStratum):
        members = data.strata == code
        yield f"{name}, pairs", int(np.count_nonzero(members))
        yield f"{name}, generated for", int(np.count_nonzero(members & data.sampled))


def _notes(data: _Aligned, answers: dict[str, PredictionPowered | Refusal]) -> Iterator[str]:
    counts = dict(_table(data))
    total, drawn = counts["pairs"], counts["pairs generated for"]
    strata = of_strata(counts, SampleStratum, "generated for")
    yield (
        f"The text was asked for on {of(drawn, total, 'pairs')}, drawn at random within compliance ({strata}); the "
        "first token was read on all. The figures estimate what generating for every pair would show. They hold as far "
        "as the draw was random: pairs must not be added or left out by hand."
    )
    yield from _left_out(data)
    for name, answer in answers.items():
        if isinstance(answer, PredictionPowered) and drawn < total:
            yield _worth(name, answer)
    rows = data.costly[data.sampled]
    flips, decided = (
        int(np.count_nonzero(of_pairs[rows])) for of_pairs in (data.written.flips, data.written.decided_both)
    )
    if drawn < total and 0 < min(flips, decided - flips) < _FEW_FLIPS:
        yield (
            f"The text flips on {of(flips, decided, 'generated pairs')} decided in both orders: with fewer than "
            f"{_FEW_FLIPS} that do, or don't, the interval of the flip rate is a rough one."
        )
    rows = rows[~data.written.decided_both[rows]]
    if rows.size:
        states = excluded_states(data.written.outcome[rows], decided=data.written.decided[rows])
        yield (
            f"Not in the flip rate: {of(rows.size, drawn, 'generated pairs')} that lack a decided verdict in one order "
            f"or both (presentations: {states}). Such a pair counts neither as a flip nor as kept."
        )


def _left_out(data: _Aligned) -> Iterator[str]:
    """Of pairs that a run that was stopped, or drew anew, keeps out of the sample."""
    sampled = int(np.count_nonzero(data.sampled))
    if missing := data.drawn - sampled - data.beyond:
        later = (
            f"; {of(data.beyond, data.drawn, 'drawn pairs')} come after one of these and are left out too, for what a "
            "judge answers first may not be random"
            if data.beyond
            else ""
        )
        yield f"{of(missing, data.drawn, 'drawn pairs')} have no text in both orders yet{later}."
    if data.strangers:
        yield (
            f"{of(data.strangers, data.pairs.size, 'pairs')} have text and are left out, for they are not in the draw: "
            "it was made anew, as where first tokens that had failed are asked again."
        )


def _worth(name: str, answer: PredictionPowered) -> str:
    label = name.replace("_", " ").replace(" ab", ", order AB").replace(" ba", ", order BA")
    return (
        f"For the {label}, {answer.labelled:,} generated pairs with the first token of {answer.units:,} are worth "
        f"{answer.effective_labels:,.0f} pairs generated for at random."
    )
