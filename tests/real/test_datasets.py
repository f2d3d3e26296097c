"""The published files of JudgeBench and LLMBar, where they lie beside the project."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from evenhand.datasets import load_pairs
from evenhand.errors import DataError

SHARED = Path(os.environ.get("EVENHAND_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "data"
JUDGEBENCH, LLMBAR = SHARED / "judgebench", SHARED / "llmbar" / "pairs"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (JUDGEBENCH.is_dir() and LLMBAR.is_dir()),
        reason=f"needs JudgeBench and LLMBar in {SHARED} (set EVENHAND_SHARED)",
    ),
]


class TestJudgeBench:
    def test_counts(self):
        pairs = load_pairs(f"judgebench:{JUDGEBENCH}")
        assert len(pairs) == 620
        assert Counter(pair.author_a for pair in pairs) == {"claude-3-5-sonnet-20240620": 270, "gpt-4o-2024-05-13": 350}
        assert Counter(pair.gold for pair in pairs) == {"A": 336, "B": 284}
        assert len({pair.source for pair in pairs}) == 17

    def test_groups_are_questions_shared_by_the_two_files(self):
        pairs = load_pairs(f"judgebench:{JUDGEBENCH}")
        sizes = Counter(Counter(pair.group for pair in pairs).values())
        assert sizes == {1: 436, 2: 92}
        assert len({pair.instruction for pair in pairs}) == 528

    def test_a_prefix_spreads_over_all_sources(self):
        assert len({pair.source for pair in load_pairs(f"judgebench:{JUDGEBENCH}", limit=17)}) == 17

    def test_every_row_is_there_as_it_was(self):
        for path in JUDGEBENCH.glob("*.jsonl"):
            with path.open(encoding="utf-8") as file:
                rows = {row["pair_id"]: row for row in map(json.loads, file)}
            pairs = load_pairs(f"judgebench:{path}")
            assert {pair.id for pair in pairs} == set(rows)
            for pair in pairs:
                row = rows[pair.id]
                texts = (row["question"], row["response_A"], row["response_B"], row["source"])
                assert (pair.instruction, pair.response_a, pair.response_b, pair.source) == texts
                assert row["label"] == ("A>B" if pair.gold == "A" else "B>A")


class TestLlmBar:
    def test_counts(self):
        pairs = load_pairs(f"llmbar:{LLMBAR}")
        sources = Counter(pair.source for pair in pairs)
        assert sources == {"Natural": 100, "Neighbor": 134, "GPTInst": 92, "GPTOut": 47, "Manual": 46}
        assert Counter(pair.gold for pair in pairs) == {"A": 206, "B": 213}
        assert len({pair.group for pair in pairs}) == 418

    def test_every_row_is_there_as_it_was(self):
        path = LLMBAR / "Natural" / "dataset.json"
        pairs = load_pairs(f"llmbar:{path}")
        for index, (pair, row) in enumerate(zip(pairs, json.loads(path.read_text("utf-8")), strict=True)):
            assert pair.id == f"llmbar-Natural-{index}"
            assert (pair.instruction, pair.response_a, pair.response_b) == (
                row["input"],
                row["output_1"],
                row["output_2"],
            )
            assert pair.gold == "AB"[row["label"] - 1]


@pytest.mark.parametrize(
    ("path", "right"), [(LLMBAR / "Natural" / "dataset.json", "llmbar"), (JUDGEBENCH, "judgebench")]
)
def test_given_as_a_plain_file_they_point_to_their_reader(path, right):
    file = path if path.is_file() else next(path.glob("*.jsonl"))
    with pytest.raises(DataError, match=f"use {right}:"):
        load_pairs(file)
