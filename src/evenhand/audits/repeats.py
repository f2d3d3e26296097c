"""The repeated-AB control: how often the judge changes its mind when nothing was swapped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Scope
from evenhand.analysis.sentences import SINGLE_ORDER, of

__all__ = ["repeat_finding"]


def repeat_finding(scope: Scope, *, sampler: Sampler, single: bool) -> Finding | None:
    """Repeat flip rate, flip rate on the same pairs, and their difference; None where nothing was repeated.

    A repeated presentation is compared with the first one of the same pair, condition, readout and order.
    """
    repeated = scope.repeat_asked > 0
    if not repeated.any():
        return None
    here = sampler.within(FindingKind.REPEAT, scope.condition, scope.readout)
    pairs, changed, compared = scope.pairs, scope.repeat_changed, scope.repeat_compared
    swapped = scope.decided_both & repeated
    both = swapped & (compared > 0)
    measures = [
        here.rate(
            "repeat_flip_rate",
            changed,
            compared,
            pairs=pairs,
            nothing="needs a presentation decided both times in the same order, has none",
        )
    ]
    if not single:
        measures += [
            here.rate(
                "flip_rate",
                scope.flips & repeated,
                swapped,
                pairs=pairs,
                nothing="needs a repeated pair decided in both orders, has none",
            ),
            here.difference(
                "swap_minus_repeat",
                (scope.flips & both, both),
                (np.where(both, changed, 0), np.where(both, compared, 0)),
                pairs=pairs,
                nothing="needs a pair decided in both orders and when asked again, has none",
            ),
        ]
    asked, n_compared, n_changed = int(scope.repeat_asked.sum()), int(compared.sum()), int(changed.sum())
    table = {
        "repeated presentations": asked,
        "decided both times": n_compared,
        "preference changed": n_changed,
        "repeated pairs decided in both orders": int(np.count_nonzero(swapped)),
        "flips among them": int(np.count_nonzero(scope.flips & repeated)),
        "pairs in the difference": int(np.count_nonzero(both)),
    }
    return Finding(
        kind=FindingKind.REPEAT,
        condition=scope.condition,
        readout=scope.readout,
        pairs=int(np.count_nonzero(repeated)),
        presentations=asked,
        measures=tuple(measures),
        table=tuple(table.items()),
        notes=tuple(_notes(table, single=single)),
    )


def _notes(table: dict[str, int], *, single: bool) -> Iterator[str]:
    asked, compared, changed = (
        table[name] for name in ("repeated presentations", "decided both times", "preference changed")
    )
    if compared and not changed:
        yield (
            f"0 of {compared:,} repeats changed the preference, as a deterministic judge's must; "
            "a rate above the interval's upper limit is what these repeats rule out."
        )
    if compared < asked:
        share = of(asked - compared, asked, "repeated presentations")
        yield f"{share} were not decided both times and are not compared."
    if single:
        yield SINGLE_ORDER
        return
    in_difference, swapped = table["pairs in the difference"], table["repeated pairs decided in both orders"]
    if in_difference < swapped or compared > in_difference:
        yield (
            f"The difference is over the {in_difference:,} pairs decided in both orders and when asked again; "
            "the two rates beside it may have more pairs."
        )
