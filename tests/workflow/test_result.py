import json
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import StoreError
from evenhand.report.card import validate_card


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> evenhand.AuditRun:
    return evenhand.audit("simulated:position=1.5,compliance=0.6", "starter", out=tmp_path_factory.mktemp("run"))


def test_a_run_opens_with_the_same_findings(run: evenhand.AuditRun) -> None:
    opened = evenhand.open_run(run.directory)
    assert opened.audit == run.audit
    assert opened.execution is None
    assert opened.to_polars().equals(run.to_polars())


def test_the_card_is_valid_and_names_the_judge(run: evenhand.AuditRun) -> None:
    card = run.card()
    validate_card(card)
    assert "simulated" in json.dumps(card)


def test_findings_as_json_are_plain(run: evenhand.AuditRun) -> None:
    json.dumps(run.to_json(), allow_nan=False)


def test_the_report_is_written_into_the_run(run: evenhand.AuditRun) -> None:
    written = run.write_report()
    assert written.html.parent == run.directory
    assert "<script" not in written.html.read_text(encoding="utf-8")


def test_the_table_is_a_copy(run: evenhand.AuditRun) -> None:
    table = run.to_polars()
    assert table is not run.to_polars()


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"not a run|no journal|does not exist"):
        evenhand.open_run(tmp_path)
