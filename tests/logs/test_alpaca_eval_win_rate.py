import statistics

import pytest

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.logs.alpaca_eval import leaderboard_win_rate, published_win_rate, recomputed_win_rate
from evenhand.records import Order
from logs.samples import alpaca_row, alpaca_rows, write_json, write_sample


def read(tmp_path, rows):
    return read_log("alpaca_eval", write_json(tmp_path / "annotations.json", rows))


def test_the_published_rate_is_the_mean_preference_with_its_standard_error(tmp_path):
    rows = alpaca_rows()
    wins = [100 * (row["preference"] - 1) for row in rows]
    rate = published_win_rate(read(tmp_path, rows))
    assert rate.win_rate == pytest.approx(statistics.mean(wins), abs=1e-12)
    assert rate.standard_error == pytest.approx(statistics.stdev(wins) / len(wins) ** 0.5, abs=1e-12)
    assert (rate.n, rate.missing) == (6, 0)


def test_a_missing_preference_is_left_out_and_said(tmp_path):
    rows = alpaca_rows()
    rows[2]["preference"] = None
    estimate = leaderboard_win_rate(read(tmp_path, rows))
    assert estimate.n == 5
    assert estimate.flags == ("1 rows without a preference are left out",)


def test_an_old_tie_of_0_counts_half(tmp_path):
    rows = [alpaca_row(0, 3.0, Order.AB), alpaca_row(1, 3.0, Order.AB)]
    rows[1]["preference"] = 0
    rate = published_win_rate(read(tmp_path, rows))
    assert rate.win_rate == pytest.approx(100 * (rows[0]["preference"] - 1 + 0.5) / 2)


def test_ours_agrees_where_nothing_is_censored_and_no_variant_is_spaced(tmp_path):
    log = read(tmp_path, alpaca_rows())
    assert recomputed_win_rate(log).value == pytest.approx(published_win_rate(log).win_rate, abs=1e-7)
    assert recomputed_win_rate(log).flags == ()


def test_ours_sums_a_label_s_variants(tmp_path):
    rows = [alpaca_row(0, 1.0, Order.AB), alpaca_row(1, 1.0, Order.AB, **{" M": -0.8})]
    log = read(tmp_path, rows)
    assert recomputed_win_rate(log).value > published_win_rate(log).win_rate + 1


def test_ours_leaves_a_censored_row_out_and_bounds_it(tmp_path):
    rows = [*alpaca_rows(), alpaca_row(50, -9.0, Order.BA)]
    content = rows[-1]["raw_completion"]["logprobs"]["content"][0]
    content["top_logprobs"] = [one for one in content["top_logprobs"] if one["token"] not in ("m",)]
    rows[-1]["preference"] = 1.0
    log = read(tmp_path, rows)
    ours = recomputed_win_rate(log)
    assert ours.n == 6
    assert "1 censored rows are left out" in ours.flags[0]
    low, high = (float(part) for part in ours.flags[0].rpartition("within ")[2].split(" and "))
    # B stood first, under the censored m: at least nothing, at most the bound's share.
    assert low == pytest.approx(published_win_rate(log).win_rate, abs=1e-6)
    assert low < high < low + 0.01


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_rows_have_no_standard_error(tmp_path, count):
    rows = alpaca_rows()[:2]
    rows[1]["preference"] = None
    log = read(tmp_path, rows[: count + 1])
    if count:
        with pytest.raises(DataError, match="at least 2 rows"):
            published_win_rate(log)
    else:
        with pytest.raises(DataError, match="has 1"):
            published_win_rate(log)


def test_a_rate_is_of_one_model_and_of_this_format(tmp_path):
    rows = alpaca_rows()
    rows[1]["generator_2"] = "another"
    with pytest.raises(DataError, match="of one model"):
        published_win_rate(read(tmp_path, rows))
    with pytest.raises(DataError, match="expected an alpaca_eval log"):
        recomputed_win_rate(read_log("table", write_sample("table", tmp_path)))
