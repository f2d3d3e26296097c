"""A bounded run of the coverage-guided fuzzer, where it installs; ``fuzz/atheris_run.py`` runs longer."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this Python")
@pytest.mark.parametrize("name", ["pairs.csv", "log table", "gates", "judge text"])
def test_the_fuzzer_finds_nothing(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.atheris_run", name, "-runs=300", "-seed=1", "-timeout=60", "-rss_limit_mb=4096"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")]),
            "OMP_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "Done 300 runs" in done.stderr
