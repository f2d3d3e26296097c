from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli import models

Run = Callable[..., Any]


def test_path_fetches_nothing_and_says_so(evenhand: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    done = evenhand("models", "path")
    assert done.code != 0
    assert done.err.count("\n") == 1
    assert "fetch" in done.err
    assert not any(tmp_path.rglob("*.gguf"))


def test_only_the_embedded_judge_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[bool] = []
    monkeypatch.setattr(models, "_fetch", lambda *, quiet: fetched.append(quiet))
    monkeypatch.setattr("evenhand.judges.model_files.is_cached", lambda: False)
    models.fetch_for("simulated:position=1", quiet=False)
    models.fetch_for("llamacpp:/elsewhere/x.gguf", quiet=False)
    assert fetched == []
    models.fetch_for(models.EMBEDDED, quiet=True)
    assert fetched == [True]
