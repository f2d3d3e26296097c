from __future__ import annotations

import re
from pathlib import Path

import pytest

from evenhand.web.static_files import static_files
from web.made_runs import client, small_run


def test_style_sheets_and_scripts_are_served_with_their_kind(tmp_path: Path) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache") as browser:
        for name, content in static_files().items():
            answer = browser.get(f"/static/{name}")
            assert answer.content == content
            assert answer.headers["content-type"] == (
                "text/css; charset=utf-8" if name.endswith(".css") else "text/javascript; charset=utf-8"
            )
            assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/app.py",
        "/etc/passwd",
        "app.css/",
        "app.css%00",
        "label/..%2fapp.css",
        "",
        "APP.CSS",
    ],
)
def test_nothing_else_is(tmp_path: Path, path: str) -> None:
    with client(small_run(tmp_path / "run"), cache=tmp_path / "cache") as browser:
        assert browser.get(f"/static/{path}").status_code == 404


def test_scripts_make_no_markup_and_styles_load_nothing() -> None:
    assert {"app.css", "keys.js"} <= static_files().keys()
    for name, content in static_files().items():
        text = content.decode("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://", text
        ), name
        assert not re.search(r"url\(|@import", text), name
