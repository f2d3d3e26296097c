"""How pip is run, with a script in pip's place."""

import sys
import textwrap

import pytest

from evenhand.errors import JudgeError
from evenhand.judges.pip_download import pip_download


@pytest.fixture
def pip(tmp_path):
    """Make a stand-in for pip: it answers --help, records its arguments, and does what the body says."""

    def make(body, *, help_text="--resume-retries <n> --progress-bar [auto, on, off, raw]"):
        path = tmp_path / "pip_stand_in.py"
        path.write_text(
            textwrap.dedent(
                f"""
                import pathlib, sys
                if "--help" in sys.argv:
                    print({help_text!r})
                    raise SystemExit(0)
                folder = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
                pathlib.Path({str(tmp_path / "arguments")!r}).write_text("\\n".join(sys.argv[1:]))
                """
            )
            + textwrap.dedent(body)
        )
        return (sys.executable, str(path))

    return make


def _download(command, folder):
    folder.mkdir()
    seen = []
    path = pip_download("made-up==1.0", folder, lambda done, total: seen.append((done, total)), command=command)
    return path, seen


def test_progress_and_wheel(pip, tmp_path):
    command = pip(
        """
        print("Collecting made-up==1.0")
        print("Progress 0 of 10")
        print("Progress 10 of 10")
        print("Progress many of 10")
        (folder / "made_up-1.0-py3-none-any.whl").write_bytes(b"wheel")
        """
    )
    path, seen = _download(command, tmp_path / "to")
    assert path.read_bytes() == b"wheel"
    assert seen == [(0, 10), (10, 10)]
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert {"--no-deps", "--no-input", "--resume-retries", "raw", "made-up==1.0"} <= set(arguments)


def test_an_old_pip_is_not_given_what_it_lacks(pip, tmp_path):
    command = pip('(folder / "a.whl").touch()', help_text="--progress-bar [off, on, ascii]")
    _download(command, tmp_path / "to")
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert not {"--resume-retries", "raw"} & set(arguments)


def test_failure_has_pips_last_error(pip, tmp_path):
    command = pip(
        """
        print("WARNING: Retrying", file=sys.stderr)
        print("ERROR: No matching distribution found for made-up==1.0", file=sys.stderr)
        print("hint: try again", file=sys.stderr)
        raise SystemExit(1)
        """
    )
    with pytest.raises(JudgeError, match="failed: No matching distribution found") as caught:
        _download(command, tmp_path / "to")
    assert caught.value.retryable


def test_no_connection_is_told_as_such(pip, tmp_path):
    command = pip(
        """
        cause = "NameResolutionError(\\"HTTPSConnection(host='pypi.org'): Failed to resolve 'pypi.org'\\")"
        print(f"WARNING: Retrying (Retry(total=0)) after connection broken by '{cause}': /simple/made-up/",
              file=sys.stderr)
        print("ERROR: No matching distribution found for made-up==1.0", file=sys.stderr)
        raise SystemExit(1)
        """
    )
    with pytest.raises(
        JudgeError, match=r"the package index can't be reached: .*Failed to resolve 'pypi.org'"
    ) as caught:
        _download(command, tmp_path / "to")
    assert caught.value.retryable


def test_nothing_found_without_a_warning_names_both_causes(pip, tmp_path):
    command = pip('raise SystemExit("ERROR: No matching distribution found for made-up==1.0")')
    with pytest.raises(JudgeError, match="no connection to the package index, or that index hasn't got it"):
        _download(command, tmp_path / "to")


def test_silent_success_without_a_wheel_is_a_failure(pip, tmp_path):
    with pytest.raises(JudgeError, match="it said nothing"):
        _download(pip(""), tmp_path / "to")


@pytest.mark.parametrize(
    ("command", "said"),
    [((sys.executable, "-m", "no_such_pip"), "No module named no_such_pip"), (("/no/such/pip",), "can't be started")],
)
def test_no_pip_is_named(command, said, tmp_path):
    with pytest.raises(JudgeError, match=said):
        _download(command, tmp_path / "to")


def test_a_callback_that_raises_stops_pip(pip, tmp_path):
    command = pip(
        """
        import time
        print("Progress 0 of 10", flush=True)
        time.sleep(60)
        (folder / "late.whl").touch()
        """
    )
    (tmp_path / "to").mkdir()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pip_download("made-up==1.0", tmp_path / "to", stop, command=command)
    assert list((tmp_path / "to").iterdir()) == []
