import pytest
from sklearn.metrics import cohen_kappa_score

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.logs.llmbar import decided_statistics, published_statistics
from logs.samples import FORMATS, llmbar_row, llmbar_rows, write_json, write_sample


@pytest.fixture
def log(tmp_path):
    return read_log("llmbar", write_sample("llmbar", tmp_path))


def test_the_published_rule_counts_none_as_equal_to_none_and_as_wrong(log):
    published = published_statistics(log)
    assert (published.pairs, published.equal) == (5, 3)  # rows 0 and 2, and row 3: None = None
    assert (published.correct_false, published.correct_true, published.correct_both) == (3, 2, 2)
    assert published.as_published()["equal"] == "3 / 5 = 60.0%"


def test_ours_leaves_a_missing_verdict_out_and_counts_it(log):
    ours = decided_statistics(log)
    assert (ours.pairs, ours.missing, ours.equal, ours.correct_both) == (3, 2, 2, 2)
    assert (ours.verdicts_false, ours.correct_false, ours.verdicts_true, ours.correct_true) == (3, 3, 4, 2)


def test_kappas_are_those_of_scikit_learn_on_the_published_codes(log):
    published = published_statistics(log)
    no_swap, swap, labels = [1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 2, 1, 1]
    assert published.kappa_false == pytest.approx(cohen_kappa_score(no_swap, labels), abs=1e-15)
    assert published.kappa_true == pytest.approx(cohen_kappa_score(swap, labels), abs=1e-15)
    assert published.kappa_agreement == pytest.approx(cohen_kappa_score(no_swap, swap), abs=1e-15)
    assert decided_statistics(log).kappa_agreement == pytest.approx(cohen_kappa_score([1, 1, 0], [1, 0, 0]), abs=1e-15)


def test_an_undefined_kappa_is_none_in_ours(tmp_path):
    log = read_log("llmbar", write_json(tmp_path / "result.json", [llmbar_row(0, "1", "1"), llmbar_row(1, "1", "1")]))
    assert decided_statistics(log).kappa_agreement is None
    assert published_statistics(log).kappa_agreement != published_statistics(log).kappa_agreement  # NaN, as there


def test_first_rounds_are_no_input_of_the_published_rule(tmp_path):
    log = read_log("llmbar", write_json(tmp_path / "result.json", llmbar_rows()), round="first")
    with pytest.raises(DataError, match="round=final"):
        published_statistics(log)


@pytest.mark.parametrize("log_format", [name for name in FORMATS if name != "llmbar"])
def test_another_format_is_refused(tmp_path, log_format):
    with pytest.raises(DataError):
        decided_statistics(read_log(log_format, write_sample(log_format, tmp_path)))
