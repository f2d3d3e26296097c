import inspect

import pytest

from evenhand.logs.llmbar import LlmBarLog
from evenhand.logs.rows import RowLog, RowOptions, state_without_verdict
from evenhand.records import FinishReason, Outcome
from logs.samples import llmbar_rows, write_json


@pytest.mark.parametrize("reason", list(FinishReason))
def test_no_verdict_is_never_a_verdict(reason):
    assert not state_without_verdict(reason).is_verdict


def test_a_scan_goes_on_after_an_error(tmp_path):
    rows = llmbar_rows()
    rows[1]["label"] = 7
    del rows[3]["input"]
    scan = LlmBarLog().scan(write_json(tmp_path / "result.json", rows))
    assert scan.rows == 5
    assert [(problem.row, problem.field) for problem in scan.problems] == [(2, "label"), (4, "input")]
    assert len(scan.log.pairs) == 3
    assert scan.log.entries[-1].completion.log_outcome is Outcome.FIRST


def test_a_file_that_can_t_be_read_is_one_problem(tmp_path):
    file = tmp_path / "result.json"
    file.write_text("[{")
    scan = LlmBarLog().scan(file)
    assert (scan.rows, scan.log, len(scan.problems)) == (0, None, 1)
    assert "is the file complete?" in scan.problems[0].problem


def test_a_format_of_one_s_own_hands_on_every_option_of_its_base():
    assert RowOptions.__annotations__.keys() == inspect.signature(RowLog).parameters.keys()
