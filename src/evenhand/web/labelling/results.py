"""The results of labelling: agreement and export, for those who say that they may see them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from evenhand.errors import EvenhandError
from evenhand.report.model import Headline, Table
from evenhand.report.study.view import study_headline, study_numbers
from evenhand.store.label_store_records import LabelSession
from evenhand.web.labelling.context import HOME, LabelContext
from evenhand.web.labelling.tables import agreement_tables, judge_tables
from evenhand.workflow.labelling_agreement import LabelAgreement, label_agreement
from evenhand.workflow.labelling_current import LabelState, state_labels
from evenhand.workflow.labelling_export import FORMATS, labels_text
from evenhand.workflow.labelling_study import labelling_notes

if TYPE_CHECKING:
    from starlette.requests import Request

    from evenhand.workflow.humans import HumanRun

__all__ = ["results_routes"]

_TYPES: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}
_KEPT: Final = 4
"""Results kept of as many versions of the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judges:
    """Judges beside people, or why not."""

    headline: Headline
    tables: tuple[Table, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class _Results:
    """Figures of the labels, computed once for each version of the store."""

    def __init__(self, context: LabelContext) -> None:
        self._context = context
        self._agreement: dict[int, LabelAgreement] = {}
        self._judges: dict[int, _Judges] = {}
        self._lock = threading.Lock()

    def agreement(self) -> LabelAgreement:
        labelling = self._context.labelling
        with self._lock:
            version = labelling.store.version()
            if version not in self._agreement:
                _keep_few(self._agreement)
                self._agreement[version] = label_agreement(labelling.store, labelling.pairs)
            return self._agreement[version]

    def judges(self) -> _Judges:
        with self._lock:
            version = self._context.labelling.store.version()
            if version not in self._judges:
                _keep_few(self._judges)
                self._judges[version] = self._compared()
            return self._judges[version]

    def text(self, form: str) -> str:
        """The labels as ``evenhand labels export`` writes them."""
        labelling = self._context.labelling
        stated = state_labels(labelling.store.events(), text_sha256=labelling.pairs.text_sha256)
        kept = (each for each in stated if each.state not in (LabelState.SUPERSEDED, LabelState.REPEAT))
        return labels_text(kept, form=form)

    def _compared(self) -> _Judges:
        from evenhand.workflow.humans import compare_with_humans

        runs = [run.directory for run in self._context.state.runs]
        with tempfile.TemporaryDirectory(prefix="evenhand-labels-") as folder:
            path = Path(folder) / "labels.jsonl"
            path.write_text(self.text("jsonl"), encoding="ascii")
            try:
                made = compare_with_humans(runs, path)
            except EvenhandError as error:
                return _Judges(
                    headline=Headline(
                        status="undecided",
                        verdict="No judge can be compared with people yet",
                        lead=str(error).replace(str(path), "The labels"),
                    )
                )
        return _judges(made)


def _keep_few(kept: dict[int, LabelAgreement] | dict[int, _Judges]) -> None:
    while len(kept) >= _KEPT:
        kept.pop(next(iter(kept)))


def _judges(made: HumanRun) -> _Judges:
    study = replace(made.study(), figures=())  # the page has tables only
    tables = judge_tables(study)
    # Of the anchors that a study's own page has, those that are here.
    here = {f"table-{table.id}" for table in tables} | ({"notes"} if study.notes else set())
    numbers = {anchor: basis for anchor, basis in study_numbers(study).items() if anchor in here}
    return _Judges(
        headline=study_headline(study, numbers),
        tables=tables,
        names={anchor: basis.name for anchor, basis in numbers.items()},
        notes=study.notes,
    )


def results_routes(context: LabelContext) -> list[Route]:
    """Agreement, the judges beside people, the export, and the step before them."""
    results = _Results(context)

    def behind_the_step(handler: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            session = context.session(request)
            if session is None or not context.labelling.store.has_seen_results(session):
                return _gate(context, request, session)
            return handler(request)

        return context.guarded(answer)

    def live(_: Request) -> Response:
        return JSONResponse({"version": context.labelling.store.version()})

    def export(request: Request) -> Response:
        form = request.path_params["form"]
        return Response(
            results.text(form).encode("utf-8", "backslashreplace"),
            headers={"Content-Type": _TYPES[form], "Content-Disposition": f'attachment; filename="labels.{form}"'},
        )

    def agreement(request: Request) -> Response:
        made = results.agreement()
        return context.state.pages.render(
            request,
            "label/agreement",
            who=_name(context.session(request)),
            made=made,
            tables=agreement_tables(made),
            notes=tuple(labelling_notes(made)),
        )

    def judges(request: Request) -> Response:
        return context.state.pages.render(
            request, "label/judges", who=_name(context.session(request)), made=results.judges()
        )

    forms = "|".join(FORMATS)
    return [
        Route("/results", context.guarded(lambda request: _look(context, request)), methods=["POST"]),
        Route("/agreement", behind_the_step(agreement)),
        # A server that offers labelling alone shows no verdict to anybody.
        *([Route("/agreement/judges", behind_the_step(judges))] if "browse" in context.state.pages.parts else []),
        Route("/agreement/live", behind_the_step(live)),
        *(Route(f"/labels.{form}", behind_the_step(_of(export, form))) for form in forms.split("|")),
    ]


def _of(handler: Callable[[Request], Response], form: str) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        request.path_params["form"] = form
        return handler(request)

    return answer


def _name(session: LabelSession | None) -> str | None:
    return None if session is None or session.annotator is None else session.annotator.name


def _gate(context: LabelContext, request: Request, session: LabelSession | None) -> Response:
    annotator = None if session is None else session.annotator
    progress = None if annotator is None else context.labelling.progress(annotator)
    return context.state.pages.render(
        request, "label/gate", who=None if annotator is None else annotator.name, progress=progress
    )


def _look(context: LabelContext, request: Request) -> Response:
    answer = RedirectResponse(f"{HOME}agreement", status_code=303)
    session = context.session(request) or context.enter(request, answer, None)
    if not context.labelling.store.has_seen_results(session):
        context.labelling.store.look_at_results(session)
    return answer
