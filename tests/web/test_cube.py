from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.web.cube import COLUMNS, Cube

SIZE = 4
cells = st.lists(st.tuples(*(st.integers(0, SIZE - 1) for _ in COLUMNS)), min_size=1, max_size=12, unique=True)
filters = st.dictionaries(st.sampled_from(COLUMNS), st.lists(st.integers(0, SIZE - 1), max_size=3), max_size=4)


def made(rows: list[tuple[int, ...]]) -> Cube:
    table = np.array(rows, dtype=np.int64)
    return Cube(
        values={name: table[:, n] for n, name in enumerate(COLUMNS)},
        counts=np.arange(1, len(rows) + 1, dtype=np.int64),
    )


def fits(row: tuple[int, ...], chosen: dict[str, list[int]], *, but: str | None = None) -> bool:
    values = dict(zip(COLUMNS, row, strict=True))
    return all(not codes or values[name] in codes for name, codes in chosen.items() if name != but)


@given(cells, filters)
def test_filters_and_counts_are_those_of_a_loop(rows: list[tuple[int, ...]], chosen: dict[str, list[int]]) -> None:
    cube = made(rows)
    wanted = [n for n, row in enumerate(rows) if fits(row, chosen)]
    assert cube.cells(chosen) == wanted
    assert cube.total(chosen) == sum(n + 1 for n in wanted)
    for facet in COLUMNS:
        counts = [0] * SIZE
        for n, row in enumerate(rows):
            if fits(row, chosen, but=facet):
                counts[dict(zip(COLUMNS, row, strict=True))[facet]] += n + 1
        assert cube.facet_counts(facet, chosen, size=SIZE) == counts


@given(cells, filters)
def test_a_facet_count_is_what_choosing_that_value_gives(
    rows: list[tuple[int, ...]], chosen: dict[str, list[int]]
) -> None:
    cube = made(rows)
    for facet in COLUMNS:
        counts = cube.facet_counts(facet, chosen, size=SIZE)
        assert counts == [cube.total({**chosen, facet: [code]}) for code in range(SIZE)]


def test_other_counts_leave_the_cells() -> None:
    cube = made([(0,) * len(COLUMNS), (1,) * len(COLUMNS)])
    again = cube.recounted({1: 7})
    assert again.total({}) == 7
    assert again.cells({}) == [0, 1]
    assert cube.total({}) == 3
