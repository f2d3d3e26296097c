"""Running the real command in a process of its own, and what a run directory holds afterwards."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from evenhand.errors import EvenhandError, StoreError
from evenhand.records import content_hash
from evenhand.store import Journal
from evenhand.workflow.run_verdicts import read_run

NOTING = Path(__file__).with_name("noting.py")
EVENHAND = (sys.executable, "-m", "evenhand")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def traceback(self) -> bool:
        """Whether a user saw one."""
        return "Traceback (most recent call last)" in self.out + self.err

    @property
    def message(self) -> str:
        """The last line on stderr."""
        return self.err.strip().splitlines()[-1] if self.err.strip() else ""


def environment(**more: str) -> dict[str, str]:
    """Ours, with one thread a process: many of them run one after the other."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "200", **more}


def start(command: Sequence[object], *, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Begin a process whose output goes nowhere."""
    return subprocess.Popen(
        [str(part) for part in command],
        env=dict(env or environment()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


HERE: ContextVar[bool] = ContextVar("HERE", default=False)
"""Whether commands that nobody kills run in this process: in CI, where starting each takes most of the time."""


def run(*arguments: object, env: Mapping[str, str] | None = None, before: Sequence[str] = ()) -> Ended:
    """Run ``evenhand`` to its end; ``before`` is a command that runs it, such as ``setpriv``."""
    if HERE.get() and not before:
        with patch.dict(os.environ, env or {}):
            return _run_here([str(part) for part in arguments])
    done = subprocess.run(
        [*before, *EVENHAND, *(str(part) for part in arguments)],
        env=dict(env or environment()),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=300,
    )
    return Ended(
        code=done.returncode, out=done.stdout.decode(errors="replace"), err=done.stderr.decode(errors="replace")
    )


def _run_here(arguments: list[str]) -> Ended:
    from evenhand.cli import main

    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv, code = ["evenhand", *arguments], 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main.run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:  # a user would see this
        err.write(traceback.format_exc())
        code = 1
    finally:
        sys.argv = before
    return Ended(code=code, out=out.getvalue(), err=err.getvalue())


def finished(directory: Path) -> frozenset[str]:
    """Keys that a run has answers of, as far as there is a run yet."""
    try:
        with Journal.open(directory, read_only=True) as journal:
            return journal.answered_keys()
    except StoreError as error:
        if any(text in str(error) for text in ("not a run directory", "before it began")):
            return frozenset()
        raise


def keys_of_texts(directory: Path) -> dict[str, str]:
    """The hash of the last message of each planned presentation → its key."""
    with Journal.open(directory, read_only=True) as journal:
        return {content_hash(one.messages[-1].content): one.key for one in journal.plan()}


def verdicts_of(directory: Path) -> str:
    """A hash of the whole verdict table and of the pairs: two runs with the same figures have the same."""
    found = read_run(directory)
    pairs = [pair.content_hash for pair in found.pairs]
    return content_hash([json.loads(found.table.write_json()), pairs, found.counts.pending, found.counts.errors])


def verdicts_or_refusal(directory: Path) -> str | EvenhandError:
    """:func:`verdicts_of`, or the error that a user would be told."""
    try:
        return verdicts_of(directory)
    except EvenhandError as error:
        return error
