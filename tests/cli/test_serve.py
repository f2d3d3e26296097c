"""``evenhand serve`` as a process: the link, one session, Ctrl-C, and what it refuses in one line."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from evenhand.web.server import bound
from web.made_runs import small_run

COMMAND = (sys.executable, "-m", "evenhand", "serve")


@contextmanager
def started(*arguments: str | Path, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command and its link, once it serves."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--cache", str(cwd / "cache")],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[0].startswith("Serving "), (lines, process.stderr.read() if process.stderr else "")
        yield process, lines[1].strip()
    finally:
        process.kill()
        process.communicate()


def asked(link: str, *, path: str | None = None, cookie: str | None = None) -> tuple[int, dict[str, str], str]:
    parts = urlsplit(link)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 0, timeout=30)
    connection.request("GET", path or f"{parts.path}?{parts.query}", headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    found = (answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode())
    connection.close()
    return found


def refused(*arguments: str | Path, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments), "--cache", str(cwd / "cache")],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_the_link_opens_the_pages_and_ctrl_c_ends_with_0(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    before = {file.name for file in run.iterdir()}
    with started("run", "--access-log", cwd=tmp_path) as (process, link):
        assert link.startswith("http://127.0.0.1:")
        token = urlsplit(link).query.removeprefix("token=")
        assert len(token) == 43

        status, headers, _ = asked(link)
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].partition(";")[0]
        assert asked(link, path="/r/0/")[0] == 403
        status, headers, body = asked(link, path="/r/0/", cookie=cookie)
        assert status == 200
        assert "lock-first" in body
        assert "server" not in headers
        assert asked(link)[0] == 403

        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0
    assert "Traceback" not in out + errors
    assert "Another browser: http://127.0.0.1:" in errors
    assert "GET /r/0/ 200 " in errors
    assert token not in errors
    assert cookie.partition("=")[2] not in errors
    assert {file.name for file in run.iterdir()} - before <= {"journal.sqlite-shm", "journal.sqlite-wal"}


def test_ctrl_c_while_a_page_is_open_ends_at_once_too(tmp_path: Path) -> None:
    small_run(tmp_path / "run")
    with started("run", cwd=tmp_path) as (process, link):
        parts = urlsplit(link)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 0, timeout=30)
        connection.request("GET", "/")
        connection.getresponse().read()  # and stays connected
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 0
        connection.close()


def test_a_port_in_use_is_one_line_and_3(tmp_path: Path) -> None:
    small_run(tmp_path / "run")
    with bound("127.0.0.1", 0) as taken:
        code, errors = refused("run", "--port", str(taken.getsockname()[1]), cwd=tmp_path)
    assert code == 3
    assert errors.startswith("evenhand: port ")
    assert errors.count("\n") == 1
    assert "--port" in errors


def test_what_is_no_run_is_told_as_elsewhere(tmp_path: Path) -> None:
    code, errors = refused("nothing", cwd=tmp_path)
    assert code == 3
    assert errors == "evenhand: nothing: not a run directory (it has no journal.sqlite)\n"


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("run/journal.sqlite", "is no file of labels that Evenhand wrote"),
        ("run/run.json", "no label store"),
        ("absent/labels.sqlite", "can't be opened"),
        ("run", "can't be opened"),
    ],
)
def test_a_file_that_cannot_hold_labels_is_told_at_the_start(tmp_path: Path, labels: str, told: str) -> None:
    run = small_run(tmp_path / "run")
    before = (run / "journal.sqlite").read_bytes()
    code, errors = refused("run", "--labels", labels, cwd=tmp_path)
    assert code == 3
    assert errors.startswith(f"evenhand: {labels}: ")
    assert told in errors
    assert errors.count("\n") == 1
    assert (run / "journal.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "--host", "0.0.0.0"), "this machine only"),  # noqa: S104
        (("run", "--label-order", "alphabetical"), "label order"),
    ],
)
def test_bad_usage_is_one_line_and_2(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    small_run(tmp_path / "run")
    code, errors = refused(*arguments, cwd=tmp_path)
    assert code == 2
    assert told in errors
    assert errors.count("\n") == 1


def test_a_missing_extra_names_the_command(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['evenhand', 'serve', 'x'];"
        "from evenhand.cli.main import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert 'pip install "evenhand[web]"' in done.stderr
    assert "Traceback" not in done.stderr
