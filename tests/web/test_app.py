from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from evenhand.errors import StoreError
from evenhand.web.app import create_app
from evenhand.web.index import TooBroadError
from evenhand.web.security import HEADERS
from evenhand.web.served import ServedRun, StaleError, open_runs
from web.made_runs import client, small_run


def test_only_the_link_opens_it(tmp_path: Path) -> None:
    announced: list[str] = []
    app = create_app(
        open_runs([small_run(tmp_path / "run")], cache=tmp_path / "cache"),
        token="first",  # noqa: S106
        parts=("browse",),
        announce=announced.append,
    )
    stranger = TestClient(app, base_url="http://127.0.0.1")
    for path in ("/", "/r/0/", "/r/0/pair/0", "/?token=guess", "/r/0/pair/0/text/instruction"):
        answer = stranger.get(path)
        assert answer.status_code == 403
        assert "run" not in answer.text.replace("running", "").split("<main")[1].split("evenhand serve")[0]
    known = TestClient(app, base_url="http://127.0.0.1")
    answer = known.get("/?token=first")
    assert str(answer.url) == "http://127.0.0.1/r/0/"
    assert len(announced) == 1
    assert stranger.get(f"/?token={announced[0]}").status_code == 200


def test_labelling_alone_shows_no_pair_page(tmp_path: Path) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache", parts=("label",)) as made:
        assert made.get("/", follow_redirects=False).headers["location"] == "/label/"
        for path in ("/r/0/", "/r/0/pair/0"):
            answer = made.get(path)
            assert answer.status_code == 404
            assert ">Pairs<" not in answer.text


def test_both_parts_are_linked(tmp_path: Path) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache", parts=("browse", "label")) as made:
        body = made.get("/r/0/").text
        assert 'href="/label/"' in body
        assert made.get("/label/").status_code == 200


def raising(problem: Exception) -> Callable[[ServedRun], bool]:
    def fail(self: ServedRun) -> bool:
        raise problem

    return fail


def test_errors_of_ours_are_one_line_with_every_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache") as made:
        monkeypatch.setattr(ServedRun, "changed", raising(StoreError("the disk <b>refused</b>")))
        answer = made.get("/r/0/")
        assert answer.status_code == 500
        assert "the disk &lt;b&gt;refused&lt;/b&gt;" in answer.text
        assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
        for problem, status in ((StaleError("planned anew"), 409), (TooBroadError("too long"), 400)):
            monkeypatch.setattr(ServedRun, "changed", raising(problem))
            refused = made.get("/r/0/")
            assert refused.status_code == status
            assert str(problem) in refused.text
        monkeypatch.setattr(ServedRun, "changed", lambda self: 1 / 0)
        defect = made.get("/r/0/")
        assert defect.status_code == 500
        assert "ZeroDivisionError" in defect.text
        assert "Traceback" not in defect.text


def test_methods_that_a_page_has_not_got(tmp_path: Path) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache") as made:
        assert made.get("/r/0/refresh").status_code == 405
        assert made.head("/r/0/").status_code == 200
