import pytest

import evenhand
from evenhand.errors import ConfigError
from evenhand.records import pairs_hash
from evenhand.workflow.chosen import choose_pairs


def test_a_spec_and_its_pairs_given_in_python_differ_only_in_name() -> None:
    named = choose_pairs("starter", limit=3)
    given = choose_pairs(evenhand.load_pairs("starter"), limit=3)
    assert named.pairs == given.pairs
    assert named.data.sha256 == given.data.sha256 == pairs_hash(named.pairs)
    assert (named.data.spec, given.data.spec) == ("starter", "pairs given in Python")
    assert named.data.pairs == given.data.pairs == 3


@pytest.mark.parametrize(
    ("pairs", "limit", "said"),
    [([], None, "empty"), (["p"], None, "str among them"), (7, None, "got a int"), ([], 0, "limit is 0")],
)
def test_what_is_no_sequence_of_pairs_is_refused(pairs: object, limit: int | None, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        choose_pairs(pairs, limit=limit)  # type: ignore[arg-type]
