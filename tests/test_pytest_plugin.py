"""The plugin as a user has it: pytest in a process of its own, with nothing but the installed package."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SUITE = """
import pytest

def test_fair(assert_even):
    check = assert_even("simulated:position=0,compliance=1", "starter", max_flip_rate=.9, readout="first-token")
    assert check.passed

def test_biased(assert_even):
    assert_even("simulated:position=4,compliance=1", "starter", max_flip_rate=.1, readout="first-token")
"""


def run_suite(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_judges.py").write_text(textwrap.dedent(SUITE), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("suite")
    return folder, run_suite(folder, "--junit-xml=junit.xml")


def test_one_judge_passes_and_one_fails(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = ran
    assert done.returncode == 1, done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "UnevenJudgeError: the judge simulated:position=4,compliance=1 does not keep its limits" in done.stdout


def test_the_summary_has_both_judges(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    summary = ran[1].stdout.split(" judges ", 1)[1]
    assert "test_judges.py::test_fair: simulated:position=0,compliance=1: flip_rate@first-token<=0.9: pass: " in summary
    assert "simulated:position=4,compliance=1: flip_rate@first-token<=0.1: FAIL: " in summary


def test_the_decision_is_in_the_junit_file(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    text = (ran[0] / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="evenhand" value="simulated:position=0,compliance=1: flip_rate' in text


def test_runs_are_kept_one_folder_a_test(ran: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    runs = sorted((ran[0] / ".pytest_cache").rglob("journal.sqlite"))
    assert [run.parent.name.rsplit("-", 2)[0] for run in runs] == [
        "test-judges-py-test-biased",
        "test-judges-py-test-fair",
    ]


def test_another_folder_for_runs_without_a_cache(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "-p", "no:cacheprovider", "--evenhand-runs", "kept", "-k", "fair")
    assert done.returncode == 0, done.stdout
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert not (tmp_path / ".pytest_cache").exists()


def test_loading_the_plugin_loads_no_heavy_library() -> None:
    code = "import evenhand.pytest_plugin, sys; print([m for m in ('numpy', 'polars', 'torch') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
