from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.web.app import create_app
from evenhand.web.served import open_runs
from evenhand.web.state import NotFoundError, WebState
from web.made_runs import small_run


def test_runs_are_known_by_their_position(tmp_path: Path) -> None:
    app = create_app(open_runs([small_run(tmp_path / "run")], cache=tmp_path / "cache"), token="t", parts=("browse",))  # noqa: S106
    state = app.state.web
    assert isinstance(state, WebState)
    assert state.run(0).name == "run"
    for number in (-1, 1, 10**30):
        with pytest.raises(NotFoundError):
            state.run(number)
