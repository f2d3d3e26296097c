"""Labels are opened on the first visit, by one name a store, and errors give nothing away."""

from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import ConfigError, EvenhandError, StoreError
from evenhand.web.app import create_app
from evenhand.web.labelling.context import LabelContext
from evenhand.web.served import open_runs
from evenhand.web.state import NotFoundError
from workflow.labelled_runs import plain_pairs, unjudged_run


@pytest.fixture
def context(tmp_path: Path) -> LabelContext:
    run = unjudged_run(tmp_path / "run-of-gpt", plain_pairs(4))
    return LabelContext(create_app(open_runs([run], cache=tmp_path / "cache"), token="t").state.web)  # noqa: S106


def request() -> Request:
    scope = {"type": "http", "method": "GET", "path": "/label/", "headers": [], "query_string": b"", "state": {}}
    return Request(scope)


def test_nothing_is_written_before_the_first_visit(context: LabelContext, tmp_path: Path) -> None:
    file = tmp_path / "run-of-gpt" / "labels.sqlite"
    assert not file.exists()
    assert context.cookie == f"evenhand-label-{context.labelling.store.facts().name}"
    assert file.is_file()
    assert context.labelling is context.labelling


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (NotFoundError("There is no such pair here."), 404, "There is no such pair here."),
        (ConfigError("the name is empty: expected one"), 400, "The name is empty: expected one."),
        (StoreError("{labels}: the disk is full"), 500, "The disk is full."),
        (StoreError("{run}: is damaged"), 500, "A run: is damaged."),
        (EvenhandError("file run-of-gpt/x is odd"), 500, "without naming the run"),
        (EvenhandError("running the runs of gpt is odd"), 500, "Running the runs of gpt is odd."),
        (EvenhandError("the judge secret-judge is odd"), 500, "without naming the run"),
    ],
)
def test_an_error_becomes_a_page_that_names_nothing(
    context: LabelContext, tmp_path: Path, error: EvenhandError, status: int, said: str
) -> None:
    run = tmp_path / "run-of-gpt"

    def failing(_: Request) -> Response:
        raise type(error)(str(error).format(labels=run / "labels.sqlite", run=run))

    answer = context.guarded(failing)(request())
    text = bytes(answer.body).decode()
    assert answer.status_code == status
    assert said in text
    for secret in ("run-of-gpt", "secret-judge", str(tmp_path)):
        assert secret not in text
