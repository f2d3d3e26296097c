"""How verdicts become comparisons in every view."""

import numpy as np
import pytest

from audits.tables import verdicts
from evenhand.analysis.wide import widen
from evenhand.mitigation.leaderboard_cells import Cells, Comparisons, View, enter
from evenhand.records import verdict_table
from evenhand.stats import Refusal

# FS prefers A in both orders, FF flips to the first slot, TF has a tie in AB and prefers B in BA, UF has no verdict.
ENDINGS = {"FS": 6, "SF": 2, "FF": 3, "TF": 1, "UF": 2}


def entered(authors: dict[str, tuple[str | None, str | None]] | None = None) -> tuple[Comparisons | Refusal, object]:
    pairs = {f"p{ending}{i}": ending for ending, count in ENDINGS.items() for i in range(count)}
    wide = widen(verdict_table(verdicts(pairs)))
    known = dict.fromkeys(pairs, ("x", "y")) if authors is None else authors
    return enter(wide.scopes[0], ids=list(wide.facts.ids), authors=known, clusters=wide.facts.group)


def test_each_view_counts_its_own_verdicts() -> None:
    data, left_out = entered()
    assert isinstance(data, Comparisons)
    assert left_out == (("no verdict in both orders", 2),)
    cells = Cells.of(data)
    sums = cells.totals(data).sum(axis=0)
    counts = {
        view: [float(v.sum()) for v in (g.wins, g.losses, g.ties)] for view in View if (g := cells.games(sums, view))
    }
    assert counts == {
        View.AB_ONLY: [9.0, 2.0, 1.0],
        View.BA_ONLY: [6.0, 6.0, 0.0],
        View.SWAPPED: [7.5, 4.0, 0.5],
        View.TIE_ON_CONFLICT: [6.0, 2.0, 4.0],
        View.SLOT_REMOVED: [9.0, 2.0, 1.0],
    }
    assert cells.points(sums, View.TIE_ON_CONFLICT).tolist() == pytest.approx([8 / 12, 4 / 12])


def test_unknown_and_equal_authors_are_left_out_and_counted() -> None:
    authors = {f"p{ending}{i}": ("x", "y") for ending, count in ENDINGS.items() for i in range(count)}
    authors |= {"pFS0": ("x", None), "pFS1": ("y", "y")}
    data, left_out = entered(authors)
    assert isinstance(data, Comparisons)
    assert len(data.a) == 10
    assert left_out == (
        ("an author isn't known", 1),
        ("both responses are by one author", 1),
        ("no verdict in both orders", 2),
    )


def test_one_author_is_refused() -> None:
    data, _ = entered({})
    assert isinstance(data, Refusal)
    assert "at least 2 different authors" in data.reason


def test_totals_keep_clusters_apart() -> None:
    data, _ = entered()
    assert isinstance(data, Comparisons)
    totals = Cells.of(data).totals(data)
    assert len(totals) == data.clusters
    # Four views count one comparison each for every pair.
    assert totals.sum(axis=1).tolist() == (np.bincount(data.cluster) * 4).tolist()
