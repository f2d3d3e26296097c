"""Dawid and Skene's model of a panel: who is right and how good each judge is, estimated together without labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from evenhand.analysis.scope import Booleans
from evenhand.errors import ConfigError, install_hint
from evenhand.mitigation.judged import NONE, TIE, A, B, Floats
from evenhand.mitigation.order import Mitigated
from evenhand.mitigation.panel import Panel, way_of
from evenhand.stats import Refusal

__all__ = ["FEWEST_JUDGES", "FEWEST_PAIRS", "DawidSkeneFit", "dawid_skene"]

FEWEST_JUDGES: Final = 3
"""With two, agreement alone can't tell which of them is the better one."""

FEWEST_PAIRS: Final = 30
"""Pairs with votes of at least two judges. Ours: each judge has up to six error rates."""

_ITERATIONS: Final = 100
"""Crowd-kit's own default; it stops earlier where the likelihood no longer rises."""
_EVEN: Final = 1e-9
"""Two responses whose probabilities differ by less are as probable: the first is not taken for its name."""
_NAMES: Final = {A: "A", B: "B", TIE: "tie"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DawidSkeneFit:
    """The panel's verdicts by the model, and what it thinks of the judges.

    Attributes
    ----------
    way
        Verdicts: the most probable class of each pair; a tie where A and B are as probable.
    probability
        Shape (n, 3): of A, B and tie; NaN where no judge has a verdict.
    accuracy
        Per judge: probability of voting for the better response where one is, by the model.
    """

    way: Mitigated
    probability: Floats
    accuracy: tuple[float, ...]


def dawid_skene(panel: Panel) -> DawidSkeneFit | Refusal:
    """Fit the model with crowd-kit, from every judge's order-aggregated verdict; a tie is a class of its own.

    The model takes judges for independent given the truth. Judges of one family err together: it then trusts them too
    much, and its accuracies are too high.

    Raises
    ------
    ConfigError
        crowd-kit is missing.

    Returns
    -------
    DawidSkeneFit or Refusal
        Refused below 3 judges, and below 30 pairs with votes of at least two.

    References
    ----------
    Dawid and Skene (1979), doi:10.2307/2346806; Ustalov, Pavlichenko and Tseitlin (2024), doi:10.21105/joss.06227, for
    crowd-kit.
    """
    if len(panel.names) < FEWEST_JUDGES:
        return Refusal(reason=f"Dawid-Skene needs at least {FEWEST_JUDGES} judges, has {len(panel.names)}", n=0)
    enough = int(((panel.votes != NONE).sum(axis=1) >= 2).sum())
    if enough < FEWEST_PAIRS:
        return Refusal(
            reason=f"Dawid-Skene needs at least {FEWEST_PAIRS} pairs with votes of two judges, has {enough}", n=enough
        )
    try:
        from crowdkit.aggregation import DawidSkene

        pd: Any = import_module("pandas")  # which crowd-kit brings
    except ImportError as error:
        raise ConfigError(f"Dawid-Skene needs crowd-kit: {install_hint('panel')}") from error
    pair, judge = np.nonzero(panel.votes != NONE)
    answers = pd.DataFrame(
        {"task": pair, "worker": judge, "label": [_NAMES[code] for code in panel.votes[pair, judge].tolist()]}
    )
    model: Any = DawidSkene(n_iter=_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # crowd-kit's own use of pandas
        shares = model.fit_predict_proba(answers)
        table = shares.reindex(index=range(len(panel.votes)), columns=list(_NAMES.values()))
        seen = shares.columns
        errors = model.errors_.reindex(
            index=pd.MultiIndex.from_product([range(len(panel.names)), list(_NAMES.values())])
        )
        priors = model.priors_.reindex(list(_NAMES.values())).fillna(0.0)
    probability: Floats = table.to_numpy(dtype=np.float64).copy()
    # A class that no judge ever chose has no column: its probability is 0 wherever there are votes at all.
    probability[np.ix_(np.isfinite(probability).any(axis=1), ~np.isin(list(_NAMES.values()), seen))] = 0.0
    none: Booleans = np.asarray(np.isnan(probability).any(axis=1))
    known = np.where(none[:, None], 0.0, probability)
    level = np.abs(known[:, A] - known[:, B]) < _EVEN
    best = np.where(level & (known.argmax(axis=1) != TIE), TIE, known.argmax(axis=1))
    preference = np.where(none, NONE, best).astype(np.int8)
    return DawidSkeneFit(
        way=way_of(
            panel,
            "panel: Dawid-Skene",
            "The most probable class under Dawid and Skene's model of the judges' votes (crowd-kit); no label is used.",
            preference,
        ),
        probability=probability,
        accuracy=tuple(_accuracy(errors, priors, judge) for judge in range(len(panel.names))),
    )


def _accuracy(errors: Any, priors: Any, judge: int) -> float:  # noqa: ANN401 - pandas has no types here
    """Of a judge where the truth is A or B, by the prior of each. ``errors``: rows (judge, vote), columns truth."""
    own = errors.loc[judge]
    weights = [float(priors[name]) for name in ("A", "B")]
    rights = [float(own.loc[name, name]) if name in own.columns else 0.0 for name in ("A", "B")]
    total = sum(weights)
    known = [(w, r) for w, r in zip(weights, rights, strict=True) if w > 0 and np.isfinite(r)]
    return sum(w * r for w, r in known) / total if total > 0 else float("nan")
