"""Requirements against a run's figures: pass, fail, undecided, or not measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evenhand.analysis.finding import Finding, FindingKind
from evenhand.audits.bias.contrast import ASKED, FOR_BOTH
from evenhand.audits.drift.bounds import Standing, pairs_to_decide, standing
from evenhand.audits.drift.coverage import Coverage, coverage_of_counts
from evenhand.audits.drift.levels import Level
from evenhand.audits.drift.requirements import Requirement
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal

__all__ = ["Figure", "GateDecision", "decide_requirements", "figures_of"]

_COMPLIANCE = ("compliance_pairs", "compliance_presentations")
_VERDICTS = "verdict_rate"
_COUNTS_ALL = (*_COMPLIANCE, _VERDICTS, "failure_rate")
"""What is missing is what these count, or no verdict is needed for them."""
_ANY = Refusal(reason="any", n=0)
"""Stands for an estimate where a figure is looked up by what it is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a run that a requirement may be about.

    Attributes
    ----------
    kind
        Of the finding it comes from; None for one that only gates and histories make.
    audit
        Of a bias finding, the name of its audit.
    subset
        Which change or contrast; None for a whole condition.
    coverage
        How much of what was asked the figure rests on; None where that isn't known.
    """

    measure: str
    estimate: Estimate | Refusal
    condition: str | None
    readout: Readout | None
    kind: FindingKind | None = None
    audit: str | None = None
    subset: str | None = None
    pairs: int = 0
    coverage: Coverage | None = None

    @property
    def thin(self) -> bool:
        """Whether it rests on fewer than half of what was asked."""
        return self.coverage is not None and self.coverage.thin


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What became of a requirement for one figure.

    Attributes
    ----------
    figure
        What decides; None where the run has no such figure.
    surer
        The figure with the interval that must be beyond the limit before it is called broken, where one was needed.
    standing
        See :data:`evenhand.audits.drift.bounds.Standing`: kept is a pass, broken a fail.
    why
        In one sentence where it is neither.
    pairs_needed
        About how many pairs would decide, if the figure stays where it is; None: decided, or no number would.
    withheld
        Whether the interval keeps the limit and the decision is undecided all the same, since the figure rests on fewer
        than half of what was asked and no requirement says how much may lack a verdict.
    """

    requirement: Requirement
    figure: Figure | None
    standing: Standing
    why: str = ""
    pairs_needed: int | None = None
    surer: Estimate | Refusal | None = None
    withheld: bool = False

    @property
    def thin(self) -> Coverage | None:
        """What the figure rests on, where that is fewer than half of what was asked."""
        return self.figure.coverage if self.figure is not None and self.figure.thin else None


def figures_of(findings: Iterable[Finding], levels: Iterable[Level]) -> tuple[Figure, ...]:
    """All figures of a run: those of its audit, and the measures of drift that the audit doesn't make."""
    by_scope = {(level.condition, level.readout, level.measure): level for level in levels}
    made = [
        Figure(
            measure=measure.name,
            estimate=measure.estimate,
            condition=finding.condition,
            readout=finding.readout,
            kind=finding.kind,
            audit=finding.audit,
            subset=finding.subset,
            pairs=finding.pairs,
            coverage=_coverage(finding, measure.name, by_scope),
        )
        for finding in findings
        for measure in finding.measures
    ]
    known = {figure.measure for figure in made if figure.kind is FindingKind.READOUT}
    made += [
        Figure(
            measure=level.measure,
            estimate=level.estimate,
            condition=level.condition,
            readout=level.readout,
            pairs=level.pairs,
            coverage=level.coverage,
        )
        for level in by_scope.values()
        if level.measure not in known
    ]
    return tuple(made)


def _coverage(finding: Finding, measure: str, levels: Mapping[tuple[str, Readout, str], Level]) -> Coverage | None:
    """The measure's own where it is known, else how many presentations of the condition have a verdict."""
    if finding.kind is FindingKind.BIAS:
        compared = coverage_of_counts(finding.table, asked=ASKED, entered=FOR_BOTH)
        if compared is not None:
            return compared
    if finding.condition is None or finding.readout is None:
        return None
    own = levels.get((finding.condition, finding.readout, measure))
    if own is not None and own.coverage is not None and finding.kind is FindingKind.READOUT:
        return own.coverage
    any_ = levels.get((finding.condition, finding.readout, _VERDICTS))
    return None if any_ is None or measure in _COUNTS_ALL else any_.verdicts


def decide_requirements(
    requirements: Sequence[Requirement],
    figures: Sequence[Figure],
    *,
    changed: frozenset[str] = frozenset(),
    sampled: bool = False,
    selective: bool = False,
    wider: Callable[[int], Iterable[Figure]] | None = None,
) -> tuple[GateDecision, ...]:
    """Decide each requirement on every figure that it is about.

    Parameters
    ----------
    changed
        Ids of conditions in which a bias audit changed the pairs: left out unless a requirement names one.
    sampled
        The generated readout was asked of a random sample: its figures for all pairs are the prediction-powered ones,
        where there are such, and else the sample's.
    selective
        Order BA was asked of chosen pairs: figures of both orders are the selective ones.
    wider
        From how many figures are decided to the same figures with intervals of level ``1 - (1 - level) / count``.
        Asked only where several are decided and one seems broken. None: decisions aren't adjusted.

    Notes
    -----
    A requirement that no figure of the run is about is *not measured*, which is no pass.

    One broken figure fails the gate, so each must be broken surely enough for all of them together (Bonferroni). Only
    all kept pass it, so each may be kept at the level itself: a gate whose judge is beyond one limit passes no more
    often than that limit's own decision errs (an intersection-union test: Berger 1982,
    doi:10.1080/00401706.1982.10487790).

    A figure that rests on fewer than half of what was asked passes nothing by itself: what the other half would give is
    not known, and a judge that refuses what it finds hard would pass. Its decision is undecided, unless a requirement
    on the verdict rate of the same condition and readout says how much may lack a verdict.
    """
    found: list[GateDecision] = []
    for requirement in requirements:
        about = _about(requirement, figures, changed=changed, sampled=sampled, selective=selective)
        found.extend(_decide(requirement, figure) for figure in about)
        if not about:
            found.append(
                GateDecision(
                    requirement=requirement, figure=None, standing="not measured", why=_nowhere(requirement, figures)
                )
            )
    decided = tuple(found) if wider is None else _surely(found, wider)
    return tuple(_withheld(decision, requirements) for decision in decided)


def _withheld(decision: GateDecision, requirements: Sequence[Requirement]) -> GateDecision:
    """The decision, or undecided where it would let through what rests on the smaller part of what was asked."""
    figure, coverage = decision.figure, decision.thin
    if decision.standing != "kept" or figure is None or coverage is None or _says_how_many(requirements, figure):
        return decision
    why = f"rests on {coverage.text}, fewer than half, and no requirement on verdict_rate says how many may be missing"
    return replace(decision, standing="undecided", why=why, withheld=True)


def _says_how_many(requirements: Sequence[Requirement], figure: Figure) -> bool:
    return any(
        each.measure == _VERDICTS
        and bool(each.least)
        and each.condition in (None, figure.condition)
        and each.readout in (None, figure.readout)
        for each in requirements
    )


def _surely(found: Sequence[GateDecision], wider: Callable[[int], Iterable[Figure]]) -> tuple[GateDecision, ...]:
    """The decisions, with *broken* left to those whose wider interval is beyond the limit too."""
    count = sum(decision.standing != "not measured" for decision in found)
    if count < 2 or not any(decision.standing == "broken" for decision in found):
        return tuple(found)
    surer = {replace(figure, estimate=_ANY): figure.estimate for figure in wider(count)}
    return tuple(
        _decide(decision.requirement, decision.figure, surer=surer.get(replace(decision.figure, estimate=_ANY)))
        if decision.standing == "broken" and decision.figure is not None
        else decision
        for decision in found
    )


def _about(
    requirement: Requirement, figures: Sequence[Figure], *, changed: frozenset[str], sampled: bool, selective: bool
) -> tuple[Figure, ...]:
    """The figures that a requirement is about, each scope once."""
    pool = [
        figure
        for figure in figures
        if (requirement.audit is None or figure.audit == requirement.audit)
        and (requirement.condition is None or figure.condition == requirement.condition)
        and (requirement.readout is None or figure.readout is requirement.readout)
        and (requirement.condition is not None or figure.kind is FindingKind.BIAS or figure.condition not in changed)
    ]
    named = [figure for figure in pool if figure.measure == requirement.measure]
    # The repeat control has a flip rate of its pairs alone; whole conditions go before contrasts and subsets.
    whole = [figure for figure in named if figure.kind in (FindingKind.READOUT, None)]
    rest = [figure for figure in named if figure.kind is not FindingKind.REPEAT or requirement.measure != "flip_rate"]
    own = whole or rest
    if sampled:
        powered = list(_instead(pool, requirement.measure, "pp_", FindingKind.PREDICTION_POWERED))
        replaced = {figure.condition for figure in powered}
        # A measure without such a figure is judged by the sample's own, which is drawn at random: never left out.
        own = [f for f in own if f.readout is not Readout.GENERATED or f.condition not in replaced] + powered
    if selective:
        chosen = list(_instead(pool, requirement.measure, "selective_", FindingKind.SELECTIVE))
        given = {(figure.condition, figure.readout) for figure in chosen}
        # In their place, not beside them: what the audit refuses of both orders is what these tell.
        own = [f for f in own if (f.condition, f.readout) not in given] + chosen
    return tuple(_known_compliance(own) if requirement.measure in _COMPLIANCE else own)


def _instead(pool: Sequence[Figure], measure: str, prefix: str, kind: FindingKind) -> Iterator[Figure]:
    return (figure for figure in pool if figure.measure == f"{prefix}{measure}" and figure.kind is kind)


def _known_compliance(figures: Sequence[Figure]) -> list[Figure]:
    """Compliance is of the presentation: where one readout of a condition tells it, one that can't isn't asked."""
    told = {figure.condition for figure in figures if isinstance(figure.estimate, Estimate)}
    return [f for f in figures if isinstance(f.estimate, Estimate) or f.condition not in told]


def _decide(requirement: Requirement, figure: Figure, *, surer: Estimate | Refusal | None = None) -> GateDecision:
    stands = standing(figure.estimate, requirement.limits, strict=surer)
    match figure.estimate:
        case Refusal(reason=reason):
            why = reason
        case Estimate(interval=None):
            why = "the figure has no interval"
        case _:
            why = ""
    needed = None
    if stands == "undecided":
        needed = pairs_to_decide(figure.estimate, requirement.limits, pairs=figure.pairs, strict=surer)
        why = "the interval holds the limit" if surer is None else _not_surely(surer)
    return GateDecision(
        requirement=requirement, figure=figure, standing=stands, why=why, pairs_needed=needed, surer=surer
    )


def _not_surely(surer: Estimate | Refusal) -> str:
    level = surer.interval.level if isinstance(surer, Estimate) and surer.interval is not None else 1.0
    return f"beyond the limit, but the interval of level {level:.4g}, which so many figures need for a fail, holds it"


def _nowhere(requirement: Requirement, figures: Sequence[Figure]) -> str:
    measured = any(figure.measure == requirement.measure for figure in figures)
    if not figures:
        return "the run has no figures"
    if requirement.audit is not None and not any(figure.audit == requirement.audit for figure in figures):
        return f"the run has no {requirement.audit} audit (evenhand audit --bias {requirement.audit})"
    if measured and (requirement.condition is not None or requirement.readout is not None):
        names = sorted({f.condition for f in figures if f.condition is not None and f.measure == requirement.measure})
        readouts = sorted({f.readout for f in figures if f.readout is not None and f.measure == requirement.measure})
        return f"no such condition and readout; it has {', '.join(names)} under {', '.join(readouts)}"
    return "the run doesn't measure it"
