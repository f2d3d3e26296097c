"""How informative a label of each pair is: where judges flip, disagree or have no verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evenhand.mitigation.panel import assemble
from evenhand.mitigation.review_queue import review_queue
from evenhand.stats import Refusal
from evenhand.workflow.judged_run import judged_run

__all__ = ["informative_pairs"]


def informative_pairs(runs: Sequence[Path]) -> dict[str, float]:
    """Priority of the pairs in the review queue (:func:`evenhand.mitigation.review_queue.review_queue`), by id.

    Pairs on which every judge prefers one response in both orders aren't in it.

    Raises
    ------
    ConfigError
        A run asked order BA of chosen pairs only.
    DataError
        A run has no verdicts.
    StoreError
        A run can't be read.
    """
    judged = [judged_run(run).judged for run in runs]
    # Two runs of one judge are two voices here; the names are only to tell them apart.
    panel = assemble([replace(each, judge=f"{each.judge} ({place})") for place, each in enumerate(judged)], fewest=1)
    return {} if isinstance(panel, Refusal) else {item.pair_id: item.priority for item in review_queue(panel)}
