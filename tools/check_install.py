"""Install the built wheel into clean environments, one an extra and Python, and say what worked.

``python tools/check_install.py --python python3.12 --python python3.13 --extra "" --extra web`` builds the wheel,
makes a virtual environment for each combination, installs ``evenhand[EXTRA]`` under constraints.txt, imports what the
extra brings, audits a simulated judge, and prints a Markdown table. ``--resolve 3.14`` asks pip whether there are
wheels for a Python that is not here, and installs nothing. Exit 1 where something failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["IMPORTS", "Outcome", "main"]

ROOT = Path(__file__).parents[1]
IMPORTS = {
    "": "import evenhand",
    "hub": "import datasets",
    "openai": "import openai",
    "panel": "import crowdkit",
    "probes": "import safetensors, sklearn",
    "ranking": "import evalica",
    "ray": "import ray",
    "transformers": "import torch, transformers, gguf",
    "web": "import starlette, uvicorn, python_multipart",
}
"""What each extra must bring. vLLM is left out: gigabytes, for a GPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One environment: what was done there, and what failed (empty: nothing)."""

    python: str
    extra: str
    did: str
    seconds: float
    failure: str = ""

    def row(self) -> str:
        """A line of the table."""
        name = f"`evenhand[{self.extra}]`" if self.extra else "`evenhand`"
        return f"| {self.python} | {name} | {self.did} | {self.failure or 'yes'} | {self.seconds:.0f} s |"


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(lines[-1][:200] if lines else f"exit {done.returncode}")
    return done.stdout


def _installed(python: str, extra: str, wheel: Path, folder: Path) -> Outcome:
    started, did = time.monotonic(), "installed, imported, audited"
    version = _run(python, "-c", "import platform; print(platform.python_version())", cwd=folder).strip()
    home = folder / f"{version}-{extra or 'core'}"
    try:
        _run(python, "-m", "venv", home, cwd=folder)
        inside = home / "bin" / "python"
        target = f"{wheel}[{extra}]" if extra else str(wheel)
        _run(inside, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", target, cwd=folder)
        _run(inside, "-c", IMPORTS.get(extra, "import evenhand"), cwd=folder)
        _run(inside, "-m", "pip", "check", cwd=folder)
        judge = ("--judge", "simulated:position=2", "--pairs", "starter", "--limit", "8")
        _run(home / "bin" / "evenhand", "audit", *judge, "--out", home / "run", cwd=folder)
        failure = "" if (home / "run" / "report.html").is_file() else "no report was written"
    except RuntimeError as error:
        failure = str(error).replace("|", "\\|")
    return Outcome(python=version, extra=extra, did=did, seconds=time.monotonic() - started, failure=failure)


def _resolved(version: str, extra: str, wheel: Path, folder: Path) -> Outcome:
    """Whether every requirement has a wheel for a Python that isn't here; nothing is installed."""
    started = time.monotonic()
    target = f"{wheel}[{extra}]" if extra else str(wheel)
    options = ("--dry-run", "--python-version", version, "--only-binary=:all:", "--target", folder / "unused")
    try:
        constraints = ("-c", ROOT / "constraints.txt")
        _run(sys.executable, "-m", "pip", "install", "-q", *options, *constraints, target, cwd=folder)
        failure = ""
    except RuntimeError as error:
        failure = str(error).replace("|", "\\|")
    seconds = time.monotonic() - started
    return Outcome(python=version, extra=extra, did="wheels found, not installed", seconds=seconds, failure=failure)


def main(arguments: list[str]) -> int:
    """Build, install, print; 1 where anything failed."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", action="append", default=[], help="an interpreter to install with")
    parser.add_argument("--resolve", action="append", default=[], help="a Python version to find wheels for, as 3.14")
    parser.add_argument("--extra", action="append", choices=["", *extras], help="default: the core and every extra")
    given = parser.parse_args(arguments)
    chosen = given.extra if given.extra is not None else [name for name in IMPORTS if name == "" or name in extras]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT, cwd=folder)
        wheel = next(folder.glob("*.whl"))
        print("| Python | what | tried | worked | took |\n|---|---|---|---|---|")
        found = []
        for extra in chosen:
            for python in given.python or ([] if given.resolve else [sys.executable]):
                found.append(_installed(python, extra, wheel, folder))
                print(found[-1].row(), flush=True)
            for version in given.resolve:
                found.append(_resolved(version, extra, wheel, folder))
                print(found[-1].row(), flush=True)
    return 1 if any(outcome.failure for outcome in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
