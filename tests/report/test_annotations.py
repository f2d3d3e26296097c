from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.annotations import Annotation, append_summary, in_github_actions


@pytest.mark.parametrize("level", ["error", "warning", "notice"])
def test_the_command(level: str) -> None:
    made = Annotation(level=level, title="flip_rate<=0.15: c, d", message="30 %: too much")  # type: ignore[arg-type]
    assert made.command == f"::{level} title=flip_rate<=0.15%3A c%2C d::30 %25: too much"


@given(st.text(), st.text())
def test_no_text_ends_the_command_or_begins_another(title: str, message: str) -> None:
    line = Annotation(level="error", title=title, message=message).command
    assert len(line.splitlines()) == 1
    head, rest = line.removeprefix("::error title=").split("::", 1)
    assert "," not in head
    assert ":" not in head
    assert "%" not in rest.replace("%25", "").replace("%0A", "").replace("%0D", "")


def test_a_title_that_ends_in_an_escape_is_cut_before_it_is_escaped() -> None:
    assert Annotation(level="error", title=":" * 300, message="").command == f"::error title={'%3A' * 255}::"


def test_where_it_runs() -> None:
    assert in_github_actions({"GITHUB_ACTIONS": "true"})
    assert not in_github_actions({"GITHUB_ACTIONS": "false"})


def test_the_summary_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    assert append_summary("# Gate\ud800", environment={"GITHUB_STEP_SUMMARY": str(path)}) == path
    assert path.read_text() == "before\n# Gate\\ud800\n"


def test_a_summary_that_can_not_be_written_changes_nothing(tmp_path: Path) -> None:
    assert append_summary("x", environment={}) is None
    assert append_summary("x", environment={"GITHUB_STEP_SUMMARY": str(tmp_path)}) is None
    large = tmp_path / "large.md"
    assert append_summary("x" * (1 << 21), environment={"GITHUB_STEP_SUMMARY": str(large)}) is None
    assert not large.exists()
