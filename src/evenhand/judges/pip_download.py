"""Fetch one wheel with the user's own pip and configuration, telling how far it is."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from evenhand.errors import JudgeError

__all__ = ["pip_download"]

_PROGRESS = re.compile(r"^Progress (\d{1,15}) of (\d{1,15})\s*$")
"""What pip prints under ``--progress-bar raw`` (pip 24.1 and later)."""

_BROKEN = re.compile(r"connection broken by ['\"](.{1,400}?)['\"]: /")
"""What pip warns of before it tries again."""


def pip_download(
    requirement: str,
    folder: Path,
    progress: Callable[[int, int], None],
    *,
    command: tuple[str, ...] = (sys.executable, "-m", "pip"),
) -> Path:
    """Download a requirement's wheel, without its dependencies, into a folder.

    Index, proxy, certificates and credentials are those of the user's pip. Where that pip can resume a broken
    download, it is told to.

    Parameters
    ----------
    requirement
        One exact requirement.
    folder
        An empty folder.
    progress
        Called with (bytes done, bytes in all).
    command
        How pip is started.

    Raises
    ------
    JudgeError
        pip is missing or failed; the message has pip's own last error. Retryable.
    """
    known = _options(command)
    arguments = [*command, "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    arguments += ["--disable-pip-version-check", "--dest", str(folder)]
    if re.search(r"\braw\b", known):
        arguments += ["--progress-bar", "raw"]
    if "--resume-retries" in known:
        arguments += ["--resume-retries", "5"]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, fixed arguments
            [*arguments, requirement],
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        try:
            for line in process.stdout or ():
                found = _PROGRESS.match(line)
                if found:
                    progress(int(found[1]), int(found[2]))
            code = process.wait()
        finally:
            # Ctrl-C or a progress callback that raises: pip must not go on alone.
            if process.poll() is None:
                process.terminate()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
        errors.seek(0)
        said = errors.read()
    wheels = sorted(folder.glob("*.whl"))
    if code != 0 or not wheels:
        raise JudgeError(f"`{_shown(command)} download {requirement}` failed: {_last_error(said)}", retryable=True)
    return wheels[0]


@cache
def _options(command: tuple[str, ...]) -> str:
    """The help text of ``pip download``, to know what this pip can do."""
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, fixed arguments
            [*command, "download", "--help"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise JudgeError(f"`{_shown(command)}` can't be started: {error.strerror or error}") from error
    if done.returncode != 0:
        raise JudgeError(
            f"`{_shown(command)}` doesn't work here: {_last_error(done.stderr)} (python -m ensurepip may add pip)"
        )
    return done.stdout


def _shown(command: tuple[str, ...]) -> str:
    return " ".join(("python" if part == sys.executable else part) for part in command)


def _last_error(text: str) -> str:
    """Pip's last line that says ERROR, else its last line, at most 300 characters.

    Without a connection pip's last word is that nothing matches; what broke stands in its warnings, if anywhere.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    chosen = (errors or lines or ["it said nothing"])[-1]
    if chosen.startswith("No matching distribution"):
        broken = [found[1] for line in lines if (found := _BROKEN.search(line))]
        chosen = (
            f"the package index can't be reached: {broken[-1]}"
            if broken
            else f"{chosen} (either there is no connection to the package index, or that index hasn't got it)"
        )
    return chosen if len(chosen) <= 300 else f"{chosen[:299]}…"
