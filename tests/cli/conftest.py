from collections.abc import Callable
from dataclasses import dataclass

import pytest

from evenhand.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def evenhand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run the command in this process, as the console script does."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["evenhand", *map(str, words)])
        capsys.readouterr()
        code = 0
        try:
            main.run()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Done(code=code, out=captured.out, err=captured.err)

    return run
