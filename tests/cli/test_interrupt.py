"""Ctrl-C and SIGTERM on the real command: it ends cleanly, says how to go on, and going on finishes the run."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evenhand.store import describe, is_run


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_cleanly_and_the_printed_command_goes_on(tmp_path: Path, sent: signal.Signals) -> None:
    pairs = tmp_path / "pairs.jsonl"
    rows = [{"instruction": f"{i}?", "response_a": "yes", "response_b": "no"} for i in range(4000)]
    pairs.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run = tmp_path / "run"
    words = [sys.executable, "-m", "evenhand", "audit", "--judge", "simulated:position=1", "--pairs", str(pairs)]
    words += ["--out", str(run), "--resamples", "100"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_answers(run, process)
    process.send_signal(sent)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "Traceback" not in err
    last = err.strip().splitlines()[-1]
    assert "to go on: evenhand audit --judge simulated:position=1" in last
    before = describe(run).counts
    assert 0 < before.finished < before.planned


def wait_for_answers(run: Path, process: "subprocess.Popen[str]") -> None:
    for _ in range(600):
        if is_run(run) and (run / "run.json").exists() and describe(run).counts.finished > 3:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    pytest.fail("no answer was recorded within a minute")
