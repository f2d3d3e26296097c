"""Ctrl-C, SIGTERM and SIGHUP while a judge works; a server that fails in every way it can."""

from __future__ import annotations

import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from evenhand.records import FinishReason, content_hash
from evenhand.store import Journal
from faults.command import NOTING, environment, finished, keys_of_texts, run, start, verdicts_of
from faults.table import FaultRow
from judges.openai.faulty import Cut, Drop, FaultyServer, Hang, Late, Say, chat, refused

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def signals(folder: Path, *, trials: int, seed: int = 31, pairs: int = 30) -> list[FaultRow]:
    """One row a signal: the command ends with code 3, and goes on where it stopped."""
    options = ["audit", "-j", "simulated:position=0.6,noise=0.5", "-p", "starter", "--limit", pairs, "-q", "--brief"]
    undisturbed, rows, chance = folder / "undisturbed", [], random.Random(seed)  # noqa: S311 - moments, not secrets
    assert run(*options, "-o", undisturbed).code == 0
    right = verdicts_of(undisturbed)
    for name in SIGNALS:
        row = FaultRow(
            fault=f"{name} while the judge is asked",
            checked="exit code 3; what was recorded is there; the same command goes on and asks nothing twice",
        )
        for number in range(trials):
            directory, notes = folder / f"{name}{number}", folder / f"notes-{name}{number}"
            notes.touch()
            first = start([sys.executable, NOTING, notes, 0.02, *options, "-o", directory])
            stop_at = chance.randrange(80, 4000)
            while first.poll() is None and notes.stat().st_size < stop_at:
                time.sleep(0.001)
            first.send_signal(getattr(signal, name))
            ended = first.wait(timeout=120) == 3
            row.trials += 1
            row.wrong += not ended
            row.outcomes["ended with code 3" if ended else f"ended with {first.returncode}"] += 1
            held, lines = finished(directory), notes.read_text().splitlines()
            recorded = {line.removeprefix("recorded ") for line in lines if line.startswith("recorded ")}
            row.lost += len(recorded - held)
            second = start([sys.executable, NOTING, notes, 0, *options, "-o", directory])
            row.wrong += second.wait() != 0 or verdicts_of(directory) != right
            names = [line for line in notes.read_text().splitlines() if line.startswith("asked ")]
            row.in_flight += len(names) - len(set(names))
            row.asked_twice += max(0, len(names) - len(lines and set(names)) - 1)
        rows.append(row)
    return rows


FAULTS: dict[str, Callable[[int], object]] = {
    "429 with Retry-After": lambda attempt: Say({"error": {"message": "slow down"}}, 429, {"retry-after": "0"}),
    "429 without Retry-After": lambda attempt: Say({"error": {"message": "slow down"}}, 429),
    "500": lambda attempt: Say({"error": {"message": "oops"}}, 500),
    "503 with an HTML page": lambda attempt: Say(b"<html><script>x</script>", 503),
    "hang": lambda attempt: Hang(),
    "connection reset": lambda attempt: Drop(),
    "body cut in the middle": lambda attempt: Cut(chat("A")),
    "no JSON": lambda attempt: Say(b"\xff\x00not json"),
    "JSON nested 100,000 deep": lambda attempt: Say(b"[" * 100_000),
    "empty choices": lambda attempt: Say({**chat("A"), "choices": []}),
    "200 with an error body": lambda attempt: Say({"error": {"message": "overloaded", "code": 503}}),
    "null message": lambda attempt: Say({**chat("A"), "choices": [{"index": 0, "message": None}]}),
    "number for content": lambda attempt: Say(chat(17, position={})),
    "late": lambda attempt: Late(chat("A"), 0.2),
    "400": lambda attempt: refused("this prompt is refused"),
}
"""What a server does to a call, by a name that the table shows."""


def server_faults(folder: Path, *, pairs: int = 48, share: int = 2, always: bool = False) -> FaultRow:
    """Every second text meets a fault at its first call, or at each; then it answers.

    Parameters
    ----------
    always
        The fault never ends: then every such presentation must be a recorded error.
    """
    what = "for ever" if always else "once"
    row = FaultRow(
        fault=f"server faults, {what}: {', '.join(FAULTS)}",
        checked="each presentation has an answer or a recorded error; none answered is called again, now or later",
    )
    names, met, whole = list(FAULTS), Counter[str](), Counter[str]()

    def script(body, attempt):
        number = int(content_hash(body["messages"][-1]["content"]), 16)
        if number % share == 0 and (always or attempt == 0) and not healed:
            name = names[number // share % len(names)]
            met[name] += 1
            return FAULTS[name](attempt)
        whole[body["messages"][-1]["content"]] += 1
        return Say(chat("A" if number % 2 else "B"))

    healed = False
    options = ["audit", "-p", "starter", "--limit", pairs, "-q", "--brief", "--retries", 1]
    with FaultyServer(script) as server:
        options += ["-j", "openai:m", "-J", f"base_url={server.url}", "-J", "timeout=2", "-J", "retries_per_request=2"]
        env = environment(OPENAI_API_KEY="none")
        ended = run(*options, "-o", folder / "run", env=env)
        row.trials = sum(met.values())
        row.tracebacks += ended.traceback
        row.wrong += ended.code not in (0, 3)
        counts, twice = _settled(folder / "run", whole)
        row.lost += counts["pending"]
        row.asked_twice += twice
        row.outcomes.update({f"presentations answered in the first run, {what}": counts["answered"]})
        row.outcomes["presentations recorded as errors"] += counts["errors"]
        healed = True
        held = finished(folder / "run")
        before = server.asked.copy()
        again = run(*options, "-o", folder / "run", env=env)
        key_of = keys_of_texts(folder / "run")
        called = [key_of.get(content_hash(name)) for name in server.asked - before]
        row.asked_twice += sum(key in held for key in called if key is not None)
        row.wrong += again.code != 0 or len(finished(folder / "run")) != 2 * pairs
        row.tracebacks += again.traceback
    unmet = [name for name in names if not met[name]]
    row.remark = f"{len(names) - len(unmet)} of {len(names)} kinds met" + (f", not {', '.join(unmet)}" if unmet else "")
    return row


def _settled(directory: Path, whole: Counter[str]) -> tuple[Counter[str], int]:
    counts: Counter[str] = Counter(answered=0, errors=0, pending=0)
    twice = 0
    with Journal.open(directory, read_only=True) as journal:
        for entry in journal.completions():
            answer = entry.completion
            if answer is None:
                counts["pending"] += 1
            else:
                counts["errors" if answer.finish_reason is FinishReason.ERROR else "answered"] += 1
            # A whole answer that can be read is paid for: it must not be asked for a second time.
            twice += max(0, whole[entry.presentation.messages[-1].content] - _CALLS)
    return counts, twice


_CALLS = 1
"""Whole answers that one presentation takes: both readouts come of one call."""
