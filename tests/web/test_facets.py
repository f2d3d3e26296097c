from __future__ import annotations

import re

from evenhand.records import Outcome
from evenhand.web.cube import COLUMNS
from evenhand.web.facets import DYNAMIC, NOT_ASKED, OUTCOMES, STATIC


def test_every_outcome_has_its_place_and_one_stands_for_no_reading() -> None:
    assert [value.slug for value in OUTCOMES[:NOT_ASKED]] == [outcome.value for outcome in Outcome]
    assert OUTCOMES[NOT_ASKED].slug == "none"


def test_slugs_are_unique_and_fit_a_url() -> None:
    for facet in STATIC:
        slugs = [value.slug for value in facet.values]
        assert len(set(slugs)) == len(slugs)
        assert all(re.fullmatch("[a-z-]+", slug) for slug in slugs)
        assert [facet.code(slug) for slug in slugs] == list(range(len(slugs)))
        assert facet.code("no such") is None


def test_facets_are_the_columns_of_the_cube() -> None:
    names = [name for name, _ in DYNAMIC] + [facet.name for facet in STATIC]
    assert sorted(names) == sorted(COLUMNS)
