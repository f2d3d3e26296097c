import csv
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.datasets.table import TableDataset
from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair, Preference, pairs_hash

BASE = {"instruction": "Why?", "response_a": "Because.", "response_b": "No idea."}


def jsonl(tmp_path, *rows):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def load(path):
    return TableDataset(path=path).pairs()


def message_of(path):
    with pytest.raises(DataError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestFields:
    def test_every_column_lands_where_it_belongs(self, tmp_path):
        row = BASE | {
            "id": "p1",
            "gold": "B",
            "source": "facts",
            "group": "g",
            "author_a": "Ann",
            "author_b": "Bob",
            "why": "x",
            "level": 3,
            "tags": ["a", "b"],
            "note": None,
        }
        (pair,) = load(jsonl(tmp_path, row))
        assert pair == Pair(
            id="p1",
            instruction="Why?",
            response_a="Because.",
            response_b="No idea.",
            gold=Preference.B,
            source="facts",
            group="g",
            author_a="Ann",
            author_b="Bob",
            metadata=(("why", "x"), ("level", "3"), ("tags", '["a", "b"]')),
        )

    def test_what_is_left_out_stays_unknown(self, tmp_path):
        (pair,) = load(jsonl(tmp_path, BASE))
        assert (pair.gold, pair.source, pair.author_a, pair.author_b, pair.metadata) == (None, "", None, None, ())

    @pytest.mark.parametrize(
        ("written", "gold"),
        [
            ("A", Preference.A),
            ("a", Preference.A),
            (" b ", Preference.B),
            ("TIE", Preference.TIE),
            ("tie", Preference.TIE),
            ("", None),
            (None, None),
        ],
    )
    def test_gold(self, tmp_path, written, gold):
        (pair,) = load(jsonl(tmp_path, BASE | {"gold": written}))
        assert pair.gold is gold

    @pytest.mark.parametrize("written", ["C", "1", "A>B", "both", 1, 0, True, 0.5, ["A"], "response_a"])
    def test_any_other_gold_is_an_error(self, tmp_path, written):
        message = message_of(jsonl(tmp_path, BASE, BASE | {"id": "x", "gold": written}))
        assert "row 2, field 'gold'" in message
        assert "expected A, B, tie or empty" in message

    def test_an_empty_response_is_a_response_and_null_is_none(self, tmp_path):
        (pair,) = load(jsonl(tmp_path, BASE | {"response_a": ""}))
        assert pair.response_a == ""
        assert "field 'response_a': is null" in message_of(jsonl(tmp_path, BASE | {"response_a": None}))

    def test_a_blank_instruction_is_an_error(self, tmp_path):
        assert "field 'instruction'" in message_of(jsonl(tmp_path, BASE | {"instruction": " \n"}))

    def test_hostile_text_can_be_hashed(self, tmp_path):
        pairs = load(jsonl(tmp_path, BASE | {"response_a": "\ud800\0" * 1000}))
        assert len(pairs_hash(pairs)) == 64


class TestIds:
    def test_a_missing_id_comes_from_the_texts_whatever_the_order_and_format(self, tmp_path):
        other = BASE | {"instruction": "How?"}
        first = load(jsonl(tmp_path, BASE, other))
        second = load(jsonl(tmp_path, other, BASE))
        path = tmp_path / "p.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(BASE))
            writer.writeheader()
            writer.writerows([BASE, other])
        assert first == second[::-1] == load(path)
        assert all(pair.id.startswith("pair-") and len(pair.id) == 17 for pair in first)

    def test_a_number_is_an_id_and_a_text_keeps_its_zeros(self, tmp_path):
        assert [p.id for p in load(jsonl(tmp_path, BASE | {"id": 7}, BASE | {"id": "007"}))] == ["7", "007"]

    def test_twice_the_same_id_names_both_rows(self, tmp_path):
        message = message_of(jsonl(tmp_path, BASE | {"id": "x"}, BASE | {"id": "y"}, BASE | {"id": "x"}))
        assert "row 3, field 'id': 'x' is already the id of row 1" in message

    def test_twice_the_same_row_without_ids_is_an_error_too(self, tmp_path):
        assert "already the id of row 1" in message_of(jsonl(tmp_path, BASE, BASE))


class TestNames:
    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ("instruction", "prompt"),
            ("instruction", "Question"),
            ("instruction", "INSTRUCTION"),
            ("response_a", "output_1"),
            ("response_a", "answer_a"),
            ("response_a", "Response A"),
            ("response_b", "response2"),
            ("response_b", "rejected"),
        ],
    )
    def test_a_likely_other_name_is_pointed_out(self, tmp_path, wanted, found):
        row = {found if name == wanted else name: value for name, value in BASE.items()}
        assert f"row 1: missing field {wanted}; found {found}: rename it" in message_of(jsonl(tmp_path, row))

    def test_without_one_the_columns_are_listed(self, tmp_path):
        assert "missing field response_b (columns here: instruction, response_a, zzz)" in message_of(
            jsonl(tmp_path, {"instruction": "x", "response_a": "y", "zzz": 1})
        )

    @pytest.mark.parametrize("name", ["line\nbreak", "\x1b[31m", "\ud800", "output_1\n"])
    def test_names_cannot_break_the_message(self, tmp_path, name):
        message = message_of(jsonl(tmp_path, {"instruction": "x", name: "y"}))
        assert message.isprintable()
        assert repr(name) in message

    @pytest.mark.parametrize("name", ["label", "winner", "Preference", "Gold"])
    def test_a_preference_under_another_name_is_not_dropped_in_silence(self, tmp_path, name):
        assert f"rename {name} to gold" in message_of(jsonl(tmp_path, BASE | {name: "A"}))
        (pair,) = load(jsonl(tmp_path, BASE | {name: "A", "gold": None}))
        assert (pair.gold, pair.metadata) == (None, ((name, "A"),))

    @pytest.mark.parametrize("name", ["ID", " source", "Group", "Author-A", "author b", "Quality_A", "QUALITY_B"])
    def test_no_optional_column_is_dropped_for_how_it_is_written(self, tmp_path, name):
        wanted = name.strip().lower().replace("-", "_").replace(" ", "_")
        shown = repr(name) if name.startswith(" ") else name
        message = message_of(jsonl(tmp_path, BASE | {name: "7"}))
        assert f"row 1: there is no field {wanted}, but {shown}, which would be ignored" in message
        assert f"rename {shown} to {wanted}" in message
        (pair,) = load(jsonl(tmp_path, BASE | {name: "7", wanted: None}))
        assert pair.metadata == ((name, "7"),)

    def test_other_data_sets_files_are_recognised(self, tmp_path):
        llmbar = {"input": "", "output_1": "", "output_2": "", "label": 1}
        judgebench = {"question": "", "response_A": "", "response_B": "", "label": "A>B"}
        assert "use llmbar:" in message_of(jsonl(tmp_path, llmbar))
        assert "use judgebench:" in message_of(jsonl(tmp_path, judgebench))

    def test_parquet_columns_of_numbers_are_no_texts(self, tmp_path):
        path = tmp_path / "p.parquet"
        pl.DataFrame([BASE | {"response_b": 5}]).write_parquet(path)
        assert "row 1, field 'response_b': is 5, expected text" in message_of(path)


def test_a_spec_without_a_path_is_an_error():
    with pytest.raises(ConfigError, match="table:PATH"):
        TableDataset.from_spec(None)


# What can be written as UTF-8, with what breaks careless readers made likely.
hard = st.sampled_from(
    ['"', "'", ",", "\n", "\r", "\r\n", "\0", "\u2028", "\ufeff", "=1+1", "007", "NA", "null", "é😀"]
)
texts = st.lists(st.one_of(hard, st.text(st.characters(exclude_categories=["Cs"]), max_size=8)), max_size=6).map(
    "".join
)
surrogates = st.lists(st.one_of(texts, st.characters(min_codepoint=0xD800, max_codepoint=0xDBFF)), max_size=6).map(
    "".join
)


def pairs_with(text):
    pair = st.builds(
        Pair,
        id=text.filter(bool),
        instruction=text.filter(str.strip),
        response_a=text,
        response_b=text,
        gold=st.sampled_from([*Preference, None]),
        source=text,
        group=text,
        author_a=st.one_of(st.none(), text.filter(bool)),
        author_b=st.one_of(st.none(), text.filter(bool)),
        metadata=text.map(lambda value: (("why", value),)),
    )
    return st.lists(pair, min_size=1, max_size=4, unique_by=lambda pair: pair.id)


def as_rows(pairs):
    names = ("id", "instruction", "response_a", "response_b", "gold", "source", "group", "author_a", "author_b")
    return [{name: getattr(pair, name) for name in names} | dict(pair.metadata) for pair in pairs]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("round_trip")


class TestRoundTrip:
    @settings(max_examples=60, deadline=None)
    @given(pairs=pairs_with(surrogates))
    def test_jsonl_with_escapes(self, folder, pairs):
        path = folder / "p.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in as_rows(pairs)), encoding="ascii")
        assert load(path) == tuple(pairs)

    @settings(max_examples=60, deadline=None)
    @given(pairs=pairs_with(texts))
    def test_jsonl_in_plain_utf8(self, folder, pairs):
        path = folder / "p.jsonl"
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in as_rows(pairs)]
        path.write_text("".join(lines), encoding="utf-8", newline="")
        assert load(path) == tuple(pairs)

    @settings(max_examples=60, deadline=None)
    @given(pairs=pairs_with(texts))
    def test_csv(self, folder, pairs):
        path = folder / "p.csv"
        rows = as_rows(pairs)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        assert load(path) == tuple(pairs)

    @settings(max_examples=40, deadline=None)
    @given(pairs=pairs_with(texts))
    def test_parquet(self, folder, pairs):
        path = folder / "p.parquet"
        rows = as_rows(pairs)
        columns = {
            name: pl.Series([None if row[name] is None else str(row[name]) for row in rows], dtype=pl.String)
            for name in rows[0]
        }
        pl.DataFrame(columns).write_parquet(path)
        assert load(path) == tuple(pairs)
