import polars as pl
import pytest

from evenhand.errors import StoreError
from evenhand.records import Pair
from evenhand.workflow.pair_tokens import PairTokens, count_pair_tokens, read_pair_tokens, write_pair_tokens
from workflow.capturing_judge import CapturingDouble, pairs


def test_counts_are_the_judge_s_own_and_come_back(tmp_path):
    double = CapturingDouble()
    given = [*pairs(3), Pair(id="p\udc80", instruction="q", response_a="one two", response_b="")]
    counts = count_pair_tokens(double, given)
    assert counts["p0"] == PairTokens(a=double.count_tokens("alpha 0 of some length"), b=3)
    assert counts["p\udc80"] == PairTokens(a=3, b=0)
    write_pair_tokens(tmp_path / "pairs.parquet", counts)
    assert read_pair_tokens(tmp_path / "pairs.parquet", given) == counts
    assert read_pair_tokens(tmp_path / "pairs.parquet", given[1:2]) == {"p1": counts["p1"]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.filter(pl.col("pair_id") != "p1"), "no token counts of pair 'p1'"),
        (lambda table: table.with_columns(tokens_b=pl.lit(-1, dtype=pl.Int64)), "no token counts of pair 'p0'"),
        (lambda table: table.with_columns(tokens_a=pl.lit(None, dtype=pl.Int64)), "no token counts of pair 'p0'"),
        (lambda table: table.drop("tokens_a"), "its columns are pair_id, tokens_b"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, change, said):
    path = tmp_path / "pairs.parquet"
    write_pair_tokens(path, count_pair_tokens(CapturingDouble(), pairs(3)))
    change(pl.read_parquet(path)).write_parquet(path)
    with pytest.raises(StoreError, match=rf"pairs\.parquet: damaged.*{said}"):
        read_pair_tokens(path, pairs(3))


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "pairs.parquet").write_bytes(b"no")
    with pytest.raises(StoreError, match="can't be read as Parquet"):
        read_pair_tokens(tmp_path / "pairs.parquet", [])
