from __future__ import annotations

import numpy as np
import pytest

from evenhand.analysis.scope import PairFacts
from evenhand.analysis.unit import ENOUGH_SOURCES, resampling_unit
from evenhand.errors import ConfigError


def facts(*, pairs: int = 60, sources: int) -> PairFacts:
    every = np.arange(pairs)
    return PairFacts(
        ids=tuple(f"p{i}" for i in every),
        group=every // 2,
        source=every % sources,
        gold=np.full(pairs, -1, dtype=np.int8),
        n_groups=pairs // 2,
        n_sources=sources,
    )


@pytest.mark.parametrize(("sources", "name", "count"), [(29, "question group", 30), (30, "source", 30)])
def test_sources_are_resampled_from_thirty_on(sources: int, name: str, count: int) -> None:
    assert ENOUGH_SOURCES == 30
    unit = resampling_unit(facts(sources=sources), "auto")
    assert (unit.name, unit.count) == (name, count)


def test_a_choice_of_the_user_is_kept() -> None:
    known = facts(sources=3)
    assert resampling_unit(known, "source").clusters is known.source
    assert resampling_unit(known, "group").clusters is known.group


def test_another_word_is_refused() -> None:
    with pytest.raises(ConfigError, match="cluster is 'pair': expected auto, group or source"):
        resampling_unit(facts(sources=3), "pair")


@pytest.mark.parametrize(
    ("sources", "said"),
    [(1, "(30 of them). The pairs come from 1 source (or name none)"), (3, "The pairs come from 3 sources:")],
)
def test_the_sentence_says_what_the_intervals_describe(sources: int, said: str) -> None:
    known = facts(sources=sources)
    assert said in resampling_unit(known, "group").sentence(known)
