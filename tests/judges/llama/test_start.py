"""Ctrl-C while the real embedded model loads."""

import signal
import subprocess
import sys
import threading
import time

import pytest

from evenhand.judges.llama.start import interrupt_held_back

LOAD = """
import sys
from pathlib import Path
import xllamacpp
from evenhand.judges.llama.engine import EngineSettings, LlamaEngine
print("loading", flush=True)
try:
    LlamaEngine(Path(sys.argv[1]), settings=EngineSettings(n_ctx=256, threads=1)).close()
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("after", [0.02, 0.08])
def test_ctrl_c_while_a_model_loads_ends_the_process(smollm2, after):
    words = [sys.executable, "-c", LOAD, str(smollm2)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "loading\n"
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            # It hung for ever; loading takes about a second.
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, err) == (0, "")
    assert out in ("stopped\n", "")  # nothing where it had loaded and closed before the signal came


def test_without_an_interrupt_nothing_is_raised_and_the_handler_is_back():
    before = signal.getsignal(signal.SIGINT)
    with interrupt_held_back():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_in_the_block_comes_first():
    def fail():
        with interrupt_held_back():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("no model")

    with pytest.raises(ValueError, match="no model"):
        fail()


def test_a_programs_own_handler_is_left_alone():
    got = []
    before = signal.signal(signal.SIGINT, lambda number, frame: got.append(number))
    try:
        with interrupt_held_back():
            signal.raise_signal(signal.SIGINT)
        assert got == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_installed():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with interrupt_held_back():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
