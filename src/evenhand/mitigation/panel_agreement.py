"""How far the judges of a panel agree beyond chance, pair by pair of judges, and with the labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Codes
from evenhand.mitigation.judged import NONE, Floats
from evenhand.mitigation.panel import Panel
from evenhand.stats import Estimate, Refusal, bootstrap_of_sums

__all__ = ["JudgeAgreement", "family_of", "judge_agreement", "kappa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """Two judges (or a judge and the labels) on the pairs where both have a verdict.

    Attributes
    ----------
    same_family
        Whether the two models' names begin alike; None against the labels.
    agreement
        Share of the same verdict, a tie being one.
    kappa
        Cohen's.
    """

    first: str
    second: str
    same_family: bool | None
    agreement: Estimate | Refusal
    kappa: Estimate | Refusal


def judge_agreement(panel: Panel, *, sampler: Sampler) -> tuple[JudgeAgreement, ...]:
    """Every two judges of a panel, then every judge with the labels."""
    columns = dict(zip(panel.names, panel.votes.T, strict=True))
    found = [
        _agreement(one, columns[one], other, columns[other], sampler, same=family_of(one) == family_of(other))
        for one, other in combinations(panel.names, 2)
    ]
    if panel.pairs.labelled.any():
        found += [_agreement(name, votes, "labels", panel.pairs.gold, sampler) for name, votes in columns.items()]
    return tuple(found)


def family_of(name: str) -> str:
    """The letters that a model's name begins with, without its publisher: a guess, which tables show beside the names.

    Examples
    --------
    >>> [family_of(name) for name in ("Qwen/Qwen3-8B", "qwen2.5-7b", "openai:gpt-4o", "meta-llama/Llama-3.1-8B")]
    ['qwen', 'qwen', 'gpt', 'llama']
    """
    last = re.split(r"[/:]", name.strip())[-1]
    letters = re.match(r"[A-Za-z]{1,40}", last)
    return letters[0].casefold() if letters else last.casefold()


def kappa(a: Codes, b: Codes, *, sampler: Sampler, name: str) -> Estimate | Refusal:
    """Cohen's kappa of two columns of preferences, with a percentile interval over clusters.

    Rows where one of them is NONE don't enter.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104; Field and Welsh (2007), doi:10.1111/j.1467-9868.2007.00593.x.
    """
    both = (a != NONE) & (b != NONE)
    if not both.any():
        return Refusal(reason="no pair has a verdict of both", n=0)
    cell = a[both].astype(np.int64) * 3 + b[both]
    columns = [(cell == k).astype(np.float64) for k in range(9)]
    return bootstrap_of_sums(
        columns,
        sampler.clusters[both],
        _kappa,
        rng=sampler.stream(name),
        resamples=sampler.resamples,
        level=sampler.level,
    )


def _kappa(sums: Floats) -> Floats:
    table = sums.reshape(*sums.shape[:-1], 3, 3)
    total = table.sum(axis=(-2, -1))
    observed = np.trace(table, axis1=-2, axis2=-1) / total
    expected = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        # Both raters gave one label to everything: chance agreement is 1, and kappa undefined.
        return np.asarray(np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan))


def _agreement(
    first: str, a: Codes, second: str, b: Codes, sampler: Sampler, *, same: bool | None = None
) -> JudgeAgreement:
    both = ((a != NONE) & (b != NONE)).astype(np.float64)
    own = sampler.within(*sampler.scope, first, second)
    return JudgeAgreement(
        first=first,
        second=second,
        same_family=same,
        agreement=own.rate(
            "agreement", (a == b) * both, both, pairs=np.arange(len(a)), nothing="no pair has a verdict of both"
        ).estimate,
        kappa=kappa(a, b, sampler=own, name="kappa"),
    )
