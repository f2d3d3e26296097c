"""A labelling server without a network, and what an annotator does at it."""

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from evenhand.web.app import PARTS, create_app
from evenhand.web.served import open_runs
from evenhand.workflow.labelling_settings import LabelSettings

SETTINGS = LabelSettings(seed=1, overlap=0.5, repeats=0)
BASE = "http://127.0.0.1"


class Annotator:
    """One browser: what stands on its page, and the forms it sends."""

    def __init__(self, app: Any, token: str, *, cookies: Any = None) -> None:
        self.client = TestClient(app, base_url=BASE, cookies=cookies)
        self.page = self.client.get(f"/?token={token}")
        assert self.page.status_code == 200
        self.get("/label/")

    def get(self, path: str) -> str:
        self.page = self.client.get(path)
        found = re.search(r'name="csrf" value="([^"]+)"', self.page.text)
        self.csrf = found[1] if found else self.csrf
        return self.page.text

    def post(self, path: str, **fields: str) -> str:
        self.page = self.client.post(path, data={"csrf": self.csrf, **fields})
        return self.page.text

    def enter(self, name: str) -> str:
        return self.post("/label/enter", name=name)

    @property
    def address(self) -> str:
        return str(self.page.url).removeprefix(BASE)

    def hidden(self) -> dict[str, str]:
        return dict(re.findall(r'type="hidden" name="(form|opened)" value="([^"]+)"', self.page.text))

    def say(self, choice: str, **fields: str) -> str:
        return self.post(self.address, choice=choice, **{**self.hidden(), **fields})


def served(
    *runs: Path, labels: Path | None = None, settings: LabelSettings = SETTINGS, label_only: bool = False
) -> Any:
    """The application; its links' tokens are kept in ``app.state.tokens``."""
    tokens = ["first-token"]
    app = create_app(
        open_runs(runs, cache=runs[0] / "cache"),
        token=tokens[0],
        labels=labels,
        labelling=settings,
        parts=("label",) if label_only else PARTS,
        announce=tokens.append,
    )
    app.state.tokens = tokens
    return app


def annotator(app: Any) -> Annotator:
    """Another browser."""
    return Annotator(app, app.state.tokens[-1])
