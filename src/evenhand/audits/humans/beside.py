"""One run beside people: each condition and readout held against the labels of its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.audits.humans.agreement import Agreement, HumanAgreement, JudgeAgreement, human_agreement, judge_agreement
from evenhand.audits.humans.among import raw_agreement, two_people
from evenhand.audits.humans.by_flip import FlipSplit, agreement_by_flip
from evenhand.audits.humans.labelled import Asked, LabelledPairs
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal

__all__ = ["JudgedScope", "LabelSource", "LabelledScope", "PeopleOfPairs", "RunBesidePeople", "beside_people"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledScope:
    """The verdicts of one condition and readout with the labels of their pairs; ``sampler`` is indexed by its rows."""

    condition: str
    readout: Readout
    pairs: LabelledPairs
    sampler: Sampler
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleOfPairs:
    """People among themselves on some pairs.

    Attributes
    ----------
    agreement
        As ``evenhand humans`` has it.
    raw
        How often two people prefer the same (:func:`evenhand.audits.humans.among.raw_agreement`).
    labelled, several
        Pairs with a label; those of them with labels of two annotators or more.
    """

    agreement: HumanAgreement
    raw: Estimate | Refusal
    labelled: int
    several: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScope:
    """One condition and readout beside people; ``by_flip`` is None where not every pair was asked in both orders."""

    condition: str
    readout: Readout
    judge: JudgeAgreement
    people: PeopleOfPairs
    by_flip: FlipSplit | None

    @property
    def verdict(self) -> Agreement:
        """The pair's verdict beside the consensus of its annotators."""
        return self.judge.against_consensus[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSource:
    """Where labels come from, and those that don't enter.

    Attributes
    ----------
    path, sha256
        The file; of a label store the hash is of the labels that were read, since the file changes with each.
    blind
        Whether the labels were given on the page of ``evenhand serve``.
    labels, annotators
        Labels of judged pairs, each annotator's last of a pair; who gave them.
    empty
        Rows of a file without a preference.
    skipped
        Labels of a store that say "can't tell".
    changed
        Labels of pairs that have other texts by now.
    elsewhere
        Labels of pairs that were not judged.
    after_results
        Labels given after a look at results.
    informative
        Labels of pairs that were drawn because judges flip or disagree on them.
    """

    path: str
    sha256: str
    blind: bool
    labels: int
    annotators: int
    empty: int = 0
    skipped: int = 0
    changed: int = 0
    elsewhere: int = 0
    after_results: int = 0
    informative: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBesidePeople:
    """What people make of a run.

    Attributes
    ----------
    scopes
        By condition and then readout. Empty where the labels could not be read.
    unread
        Why they could not; empty where they could.
    source
        None where they could not.
    asked
        Which orders stand for a pair.
    """

    scopes: tuple[JudgedScope, ...] = ()
    source: LabelSource | None = None
    asked: Asked = "both"
    resampled_by: str = ""
    resamples: int = 0
    level: float = 0.95
    seed: int = 0
    unread: str = ""


def beside_people(scopes: Sequence[LabelledScope], *, resamples: int) -> tuple[JudgedScope, ...]:
    """Compare each scope with people, and people with each other on its pairs.

    Scopes of the same pairs share what is said of people alone.
    """
    known: list[tuple[LabelledPairs, PeopleOfPairs]] = []
    made = []
    for scope in scopes:
        people = next((found for pairs, found in known if pairs.ids == scope.pairs.ids), None)
        if people is None:
            people = _people(scope, resamples=resamples)
            known.append((scope.pairs, people))
        made.append(
            JudgedScope(
                condition=scope.condition,
                readout=scope.readout,
                judge=judge_agreement(scope.pairs, scope.sampler),
                people=people,
                by_flip=agreement_by_flip(scope.pairs, scope.sampler),
            )
        )
    return tuple(made)


def _people(scope: LabelledScope, *, resamples: int) -> PeopleOfPairs:
    counts = scope.pairs.table.counts
    people = counts.sum(axis=1)
    return PeopleOfPairs(
        agreement=human_agreement(scope.pairs, scope.sampler, resamples=resamples),
        raw=raw_agreement(two_people(counts), scope.sampler.within("humans", "raw")),
        labelled=int(np.count_nonzero(people)),
        several=int(np.count_nonzero(people > 1)),
    )
