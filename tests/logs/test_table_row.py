from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from evenhand.logs.documents import Node
from evenhand.logs.table_row import COLUMNS, OPTIONAL, VERDICT_COLUMNS, parse_row
from evenhand.records import Order, Outcome, preference_of


def parse(**columns):
    return parse_row(Node(path=Path("verdicts.csv"), row=1, field="", value=columns))


@given(outcome=st.sampled_from(list(Outcome)), order=st.sampled_from(list(Order)))
def test_an_outcome_and_its_own_preference_never_contradict(outcome, order):
    preference = preference_of(outcome, order)
    both = parse(pair_id="p", order=str(order), outcome=str(outcome), preference=str(preference or ""))
    assert both.outcome is outcome
    if outcome.is_verdict:
        assert parse(pair_id="p", order=str(order), preference=str(preference)).outcome is outcome


def test_empty_optional_columns_are_as_if_absent():
    bare = parse(pair_id="p", order="AB", outcome="first")
    filled = parse(pair_id="p", order="AB", outcome="first", **dict.fromkeys(OPTIONAL, ""))
    for name in ("condition", "repeat", "gold", "group", "labels", "finish_reason", "logprobs", "judge"):
        assert getattr(filled, name) == getattr(bare, name)


def test_the_reference_page_names_every_column():
    page = Path(__file__).parents[2] / "docs" / "reference" / "log-formats.md"
    text = page.read_text(encoding="utf-8")
    assert set(VERDICT_COLUMNS) < set(COLUMNS)
    assert [name for name in COLUMNS if f"`{name}`" not in text] == []
