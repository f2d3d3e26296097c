"""What human labels add to a run's headline: where the judge keeps up with people, where not, and what stays open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from evenhand.analysis.study import Claim
from evenhand.audits.humans.agreement import FEWEST_LABELS
from evenhand.audits.humans.beside import JudgedScope, RunBesidePeople
from evenhand.records import Readout
from evenhand.report.format import estimate_text, integer, percent
from evenhand.report.numbering import claims
from evenhand.report.phrases import PHRASES
from evenhand.report.several import clear_of_zero, decided
from evenhand.report.text import visible
from evenhand.report.trust import NEGLIGIBLE
from evenhand.stats import Estimate, Refusal

__all__ = [
    "AGREEMENT",
    "BY_FLIP",
    "PEOPLE",
    "SECTION",
    "HumansFound",
    "humans_found",
    "main_place",
    "main_scope",
    "on_report",
    "spoken_of",
]

SECTION: Final = "judge-and-humans"
"""Anchor of the section on a report's page, and kind of its study."""

AGREEMENT, PEOPLE, BY_FLIP = (f"table-{name}" for name in ("agreement", "people", "by-flip"))
"""Anchors of the tables on the study's own page."""

_FIRST: Final = (Readout.GENERATED, Readout.LOGGED, Readout.FIRST_TOKEN, Readout.PREFILLED, Readout.CONSTRAINED)
_LIMIT, _NAME = 1_200, 60

_Gap: TypeAlias = tuple[JudgedScope, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumansFound:
    """Sentences for each of a headline's lists, each resting on a table of the study.

    Attributes
    ----------
    below
        Whether the judge is shown, under some readout, to agree with people less than one more person does.
    """

    below: bool = False
    trust: tuple[Claim, ...] = field(default=())
    doubt: tuple[Claim, ...] = field(default=())
    steps: tuple[Claim, ...] = field(default=())
    more: tuple[Claim, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """A readout under which the intervals decide something, with the scope that speaks for it."""

    readout: Readout
    scope: JudgedScope
    gap: Estimate
    kept: int
    of: int


def humans_found(made: RunBesidePeople, *, names: Mapping[str, str] | None = None) -> HumansFound:
    """Sort what the labels show, by the interval of the judge's agreement minus one more person's.

    A judge keeps up with people where the whole interval lies above −:data:`~evenhand.report.trust.NEGLIGIBLE`, by the
    rule for several conditions (:func:`evenhand.report.several.decided`), and doesn't where it lies below 0 after
    adjustment over all conditions and readouts (:func:`evenhand.report.several.clear_of_zero`). Nothing is claimed in
    the judge's favour of labels that weren't given blind or of pairs chosen for being hard.

    Parameters
    ----------
    names
        What conditions are called in the report, by id.
    """
    scopes = spoken_of(made)
    if not scopes:
        return HumansFound()
    called = names or {}
    up = _keeping_up(scopes)
    near = _by_readout(scopes, up)
    good = {id(scope) for scope, _ in up}
    far = _by_readout(scopes, [(scope, gap) for scope, gap in _falling_behind(scopes) if id(scope) not in good])
    doubts = tuple(_doubtful_labels(made))
    kept_up = _sentences(
        near,
        scopes,
        called,
        f"the judge agrees with people as one more person does, or less than {NEGLIGIBLE * 100:g} points below",
    )
    main = main_scope(made)
    where = main_place(made, called)
    return HumansFound(
        below=bool(far),
        trust=() if doubts else _claims(kept_up, AGREEMENT),
        doubt=_claims(
            (*_sentences(far, scopes, called, "the judge agrees with people less than one more person does"), *doubts),
            AGREEMENT,
        ),
        steps=_claims(_steps(main, below=bool(far), near=bool(near)), AGREEMENT),
        more=(
            *(_claims(kept_up, AGREEMENT) if doubts else ()),
            *_claims(() if near or far else _open(main, where), AGREEMENT),
            *_claims(_flip_sentences(main, where), BY_FLIP),
        ),
    )


def on_report(found: HumansFound) -> HumansFound:
    """The same sentences, resting on the tables as an audit's own page has them."""

    def moved(said: Sequence[Claim]) -> tuple[Claim, ...]:
        return tuple(
            replace(
                claim,
                rests_on=(*(anchor.replace("table-", f"table-{SECTION}-", 1) for anchor in claim.rests_on), SECTION),
            )
            for claim in said
        )

    return replace(
        found, trust=moved(found.trust), doubt=moved(found.doubt), steps=moved(found.steps), more=moved(found.more)
    )


def spoken_of(made: RunBesidePeople) -> tuple[JudgedScope, ...]:
    """Scopes that sentences speak of: the hybrid readout is made of others, a log's own stands in for none of ours."""
    readouts = {scope.readout for scope in made.scopes}
    ours = readouts - {Readout.HYBRID, Readout.LOGGED}
    told = ours or readouts
    return tuple(scope for scope in made.scopes if scope.readout in told)


def main_scope(made: RunBesidePeople) -> JudgedScope:
    """The first condition, read from what the judge wrote where it wrote; of those with an agreement, if there is any.

    Raises
    ------
    ValueError
        There is no scope.
    """
    scopes = spoken_of(made)
    if not scopes:
        raise ValueError("no condition was held beside people")
    known = [scope for scope in scopes if isinstance(scope.verdict.rate, Estimate)] or scopes
    return next((scope for readout in _FIRST for scope in known if scope.readout is readout), known[0])


def main_place(made: RunBesidePeople, names: Mapping[str, str]) -> str:
    """`` (condition, readout)`` of :func:`main_scope`, as far as there are several; empty where it is the only one."""
    scopes, main = spoken_of(made), main_scope(made)
    parts = [
        visible(names.get(main.condition, main.condition), limit=_NAME)
        if len({scope.condition for scope in scopes}) > 1
        else "",
        main.readout.value if len({scope.readout for scope in scopes}) > 1 else "",
    ]
    told = ", ".join(filter(None, parts))
    return f" ({told})" if told else ""


def _keeping_up(scopes: Sequence[JudgedScope]) -> list[_Gap]:
    found = []
    for readout in dict.fromkeys(scope.readout for scope in scopes):
        own = [(scope, scope.judge.gap) for scope in scopes if scope.readout is readout]
        found += decided(own, lambda interval: interval.low > -NEGLIGIBLE)
    return found


def _falling_behind(scopes: Sequence[JudgedScope]) -> list[_Gap]:
    known = [(scope, scope.judge.gap) for scope in scopes if isinstance(scope.judge.gap, Estimate)]
    return [(scope, gap) for scope, gap in clear_of_zero(known) if gap.value < 0]


def _by_readout(scopes: Sequence[JudgedScope], shown: Sequence[_Gap]) -> list[_Decided]:
    """Each readout under which something is shown, with the lowest figure that shows it."""
    found = []
    for readout in dict.fromkeys(scope.readout for scope in scopes):
        kept = [(scope, gap) for scope, gap in shown if scope.readout is readout]
        if kept:
            scope, gap = min(kept, key=lambda each: each[1].value)
            of = sum(each.readout is readout for each in scopes)
            found.append(_Decided(readout=readout, scope=scope, gap=gap, kept=len(kept), of=of))
    return found


def _sentences(
    found: Sequence[_Decided], scopes: Sequence[JudgedScope], names: Mapping[str, str], what: str
) -> list[str]:
    """One sentence a readout, or one for all where they are several and all of them show it."""
    readouts = {scope.readout for scope in scopes}
    if len(readouts) > 1 and len(found) == len(readouts) and all(each.kept == each.of for each in found):
        lowest = min(found, key=lambda each: each.gap.value)
        where = ", ".join(part for part in (_condition(lowest, names), lowest.readout.value) if part)
        return [f"However it is read, {what}: judge − person is {_gap(lowest)} (lowest: {where})."]
    return [_sentence(each, names, what) for each in found]


def _sentence(each: _Decided, names: Mapping[str, str], what: str) -> str:
    part = "" if each.kept == each.of else f" in {integer(each.kept)} of {integer(each.of)} conditions"
    condition = _condition(each, names)
    lowest = f" ({'lowest: ' if each.kept > 1 else ''}{condition})" if condition else ""
    return f"{PHRASES[each.readout].opening}, {what}{part}: judge − person is {_gap(each)}{lowest}."


def _gap(each: _Decided) -> str:
    return estimate_text(each.gap, "difference")


def _condition(each: _Decided, names: Mapping[str, str]) -> str:
    """Which condition speaks, where there are several."""
    own = names.get(each.scope.condition, each.scope.condition)
    return visible(own, limit=_NAME) if each.of > 1 else ""


def _doubtful_labels(made: RunBesidePeople) -> Iterator[str]:
    source = made.source
    if source is None or not source.labels:
        return
    for count, what in (
        (source.informative, "are of pairs picked since judges flip or disagree there: they describe no other pairs"),
        (source.after_results, "were given after a look at results: they are not blind"),
    ):
        if count > NEGLIGIBLE * source.labels:
            yield f"{integer(count)} of {integer(source.labels)} human labels {what}."


def _steps(main: JudgedScope, *, below: bool, near: bool) -> Iterator[str]:
    if below:
        yield (
            "People agree with each other more than the judge agrees with them: see what brings it closer "
            "(evenhand mitigate RUN --labels FILE), or let people decide."
        )
    elif isinstance(main.verdict.rate, Refusal) and main.people.labelled >= FEWEST_LABELS:
        yield "Finish the run, or label more of the pairs that have a verdict, of other questions too."
    elif main.people.several < main.people.labelled and isinstance(main.people.raw, Refusal):
        if main.people.agreement.annotators < 2:
            yield (
                "Let a second person label the same pairs (evenhand serve RUN): nothing tells yet how far people agree."
            )
        else:
            yield (
                "Let people label more of the same pairs (evenhand serve RUN with a larger --overlap): nothing tells "
                "yet how far they agree."
            )
    elif not near:
        apart = "can't be told apart" if isinstance(main.judge.gap, Estimate) else "can't be held beside each other yet"
        yield f"Label more pairs, each by two people or more (evenhand serve RUN): judge and person {apart}."


def _open(main: JudgedScope, where: str) -> Iterator[str]:
    gap, rate = main.judge.gap, main.verdict.rate
    if isinstance(gap, Estimate):
        yield (
            "Whether the judge agrees with people as one more person does stays open: judge − person is "
            f"{estimate_text(gap, 'difference')}{where}."
        )
    elif isinstance(rate, Estimate):
        yield (
            f"The judge prefers what people prefer on {estimate_text(rate)} of the labelled pairs with a verdict"
            f"{where}; no person can be held beside it: {gap.reason}."
        )
    else:
        yield f"The judge can't be held beside people yet{where}: agreement {rate.reason}."


def _flip_sentences(main: JudgedScope, where: str) -> Iterator[str]:
    """Whether a flip marks the pairs that people find hard; nothing where that can't be said."""
    split = main.by_flip
    if split is None or not isinstance(split.difference, Estimate) or split.difference.interval is None:
        return
    interval = split.difference.interval
    figures = (
        f"two people agree on {_share(split.people_on_flips)} of their labels of pairs that flip, on "
        f"{_share(split.people_on_steady)} of those of pairs where both orders chose the same response: "
        f"{estimate_text(split.difference, 'difference')}{where}"
    )
    if interval.high < 0.0:
        yield f"A flip marks pairs that people find hard too: {figures}."
    elif interval.low > 0.0:
        yield f"A flip does not mark the pairs that people find hard, rather the others: {figures}."
    else:
        yield f"Whether a flip marks pairs that people find hard stays open: {figures}."


def _share(found: Estimate | Refusal) -> str:
    return percent(found.value) if isinstance(found, Estimate) else estimate_text(found)


def _claims(texts: Sequence[str] | Iterator[str], anchor: str) -> tuple[Claim, ...]:
    return claims([visible(text, limit=_LIMIT) for text in texts], anchor)
