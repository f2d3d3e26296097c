import numpy as np
import pytest

from audits.judges.judge_tables import judge
from audits.tables import many
from evenhand.audits.judges.lined_up import line_up
from evenhand.errors import ConfigError


def test_pairs_with_the_same_content_are_the_same_pair() -> None:
    lined = line_up([judge("x", {"a": "FS", "b": "FF"}), judge("y", {"b": "FS", "c": "FS"})])
    assert list(lined.facts.ids) == ["a", "b", "c"]
    one, two = lined.scopes
    assert one is not None
    assert two is not None
    assert np.intersect1d(one.pairs, two.pairs).tolist() == [1]
    assert lined.changed == ()


def test_one_id_with_two_contents_is_two_pairs() -> None:
    lined = line_up([judge("x", {"a": "FS", "b": "FF"}), judge("y", {"a": "FS", "b": "FF"}, response="other")])
    one, two = lined.scopes
    assert one is not None
    assert two is not None
    assert lined.changed == ("a", "b")
    assert np.intersect1d(one.pairs, two.pairs).size == 0
    assert len(lined.facts.ids) == 4


def test_of_chosen_swaps_order_ab_alone_is_taken() -> None:
    lined = line_up([judge("x", many(FS=3)), judge("y", many(FS=3), orders="AB")])
    one, two = lined.scopes
    assert one is not None
    assert two is not None
    assert one.asked.all()
    assert two.asked[:, 0].all()
    assert not two.asked[:, 1].any()


def test_a_judge_without_the_readout_has_no_scope() -> None:
    nothing = judge("y", {"a": "FS"})
    other = judge("x", {"a": "FS"})
    lined = line_up([other, type(nothing)(**{**_fields(nothing), "condition": "another"})])
    assert lined.scopes[1] is None
    assert lined.names == ("x", "y")


def _fields(made: object) -> dict[str, object]:
    return {name: getattr(made, name) for name in ("name", "condition", "readout", "pairs", "orders", "table")}


def test_two_judges_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="two runs are called 'x'"):
        line_up([judge("x", {"a": "FS"}), judge("x", {"a": "FS"})])


def test_ids_that_utf8_can_not_hold_are_told_apart_too() -> None:
    lined = line_up([judge("x", {"\ud800": "FS"}), judge("y", {"\ud800": "FF"}, response="other")])
    assert len(lined.facts.ids) == 2
    assert all("d800" in name for name in lined.facts.ids)
