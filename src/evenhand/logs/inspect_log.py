"""Logs of Inspect (``.json`` and ``.eval``): a judge under test as the evaluated model.

A ``.json`` log is one ``EvalLog`` object; a ``.eval`` log is a zip archive of ``header.json`` (the same without its
samples) and ``samples/ID_epoch_N.json`` (``src/inspect_ai/log/_log.py`` and ``_recorders/eval.py`` of
https://github.com/UKGovernmentBEIS/inspect_ai). A sample's ``output`` is what the model wrote, with ``stop_reason``
and, where they were asked for, ``logprobs``; ``scores`` is what each scorer made of it (``answer``, ``value``),
``metadata`` what the data set says, ``epoch`` counts repeats from 1, ``target`` is the right answer.

Pair and order lie in ``metadata``. A *model-graded* scorer (``model_graded_qa``) grades each output by itself, and its
value C, P or I is a grade, not a choice between two: without an order such a log is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.errors import DataError
from evenhand.logs.archive import ZIP_MAGIC, open_archive
from evenhand.logs.chosen import listed
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Document, Node, decode_json, decode_text, read_bytes, short
from evenhand.logs.mapped import MappedLog, MappedOptions
from evenhand.logs.mapped_row import MappedRow, slot_label
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Outcome

__all__ = ["InspectLog"]

_SAMPLE = re.compile(r"samples/[^/]{1,300}\.json")

_STOP = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filtered",
}
"""Inspect's ``StopReason`` (``src/inspect_ai/model/_model_output.py``) in our words; others say nothing."""

_GRADES = ("C", "P", "I", "N")
"""Inspect's CORRECT, PARTIAL, INCORRECT and NOANSWER (``src/inspect_ai/scorer/_metric.py``)."""

_ATTACHMENT = "attachment://"
"""How Inspect refers to a long text that it keeps once, in ``attachments``."""

_READ, _RIGHT, _REPEAT, _TEXT, _FINISH, _TOP, _ERROR = (
    "scores",
    "target",
    "epoch",
    "output.completion",
    "output.choices.0.stop_reason",
    "output.choices.0.logprobs",
    "error.message",
)


class InspectLog(MappedLog):
    """Reader of one Inspect log.

    Parameters
    ----------
    scorer
        Whose ``answer`` is the log's own reading, where there are several scorers.
    """

    name: ClassVar[str] = "inspect"
    tool: ClassVar[str] = "Inspect"

    def __init__(self, *, scorer: str | None = None, **options: Unpack[MappedOptions]) -> None:
        super().__init__(**options)
        self.scorer = scorer

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record is an Inspect log's object."""
        return isinstance(record, dict) and {"version", "eval", "status"} <= record.keys()

    def records(self, path: Path) -> Document:
        """Read header and samples of either form."""
        data = read_bytes(path)
        header, samples = _unpacked(data, path) if data.startswith(ZIP_MAGIC) else _object(data, path)
        about = Node(path=path, row=1, field="eval", value=header.get("eval"))
        self.condition = node.name() if (node := about.get("task")) else self.name
        if self.model is None and self.judge is None:
            self.model = node.name() if (node := about.get("model")) else None
        if not samples:
            status = header.get("status")
            raise DataError(f"has no samples (its status is {short(status)})", path=path)
        rows = tuple(Node(path=path, row=number, field="", value=value) for number, value in enumerate(samples, 1))
        return Document(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=rows)

    def map_columns(self, places: Sequence[str], path: Path) -> ColumnMap:
        """Find the columns in ``metadata``; what Inspect itself writes has fixed places."""
        self._choose_scorer(places, path)
        fixed = {
            "text": _TEXT,
            "finish_reason": _FINISH,
            "repeat": _REPEAT,
            "logprobs": _TOP,
            "error": _ERROR,
            "correct": _RIGHT,
            "outcome": _READ,
        }
        columns = super().map_columns(self.below("metadata.", places), path)
        if columns.place("gold"):
            del fixed["correct"]
        if columns.place("preference"):
            del fixed["outcome"]
        return columns.completed(fixed)

    def parse(self, row: Node) -> MappedRow:
        """Check one sample."""
        record = dict(row.mapping())
        record.update(_sample_facts(row, self.labels))
        record[_READ] = _reading(row, self.scorer, self.labels) if "outcome" not in self.given else record.get("scores")
        if record.get(_ERROR):
            # A sample that failed has an empty completion, which is no answer of no words.
            record.pop(_TEXT, None)
        columns = self.columns
        if record[_READ] is None and "outcome" not in self.given:
            columns = columns.without(_READ)
        return self.parse_by(replace(row, value=record), columns)

    def rules(self, *, stated: bool) -> str:
        """Whose answer it is."""
        if not stated:
            return "Inspect kept the text; no scorer took an answer from it."
        return (
            f"Inspect's scorer {self.scorer or 'named in map'} took an answer from the text; a sample for which it "
            "took none, or something that is no label, is unparsed."
        )

    def _choose_scorer(self, places: Sequence[str], path: Path) -> None:
        names = list(dict.fromkeys(place.split(".")[1] for place in places if place.startswith("scores.")))
        if self.scorer is not None:
            if self.scorer not in names:
                raise DataError(f"has no scorer {short(self.scorer)}: it has {listed(names)}", path=path)
        elif len(names) == 1:
            self.scorer = names[0]
        elif len(names) > 1 and not {"outcome", "preference"} & self.given.keys():
            raise DataError(
                f"has {len(names)} scorers: {listed(names)}", path=path, remedy=f"choose one: --set scorer={names[0]}"
            )


def _object(data: bytes, path: Path) -> tuple[Mapping[str, object], list[object]]:
    value = decode_json(decode_text(data, path), path=path)
    if not isinstance(value, dict):
        raise DataError(f"expected an object, got {short(value)}", path=path)
    samples = value.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise DataError(f"expected a list, got {short(samples)}", path=path, field="samples")
    return value, samples or []


def _unpacked(data: bytes, path: Path) -> tuple[Mapping[str, object], list[object]]:
    archive = open_archive(data, path)
    # A run that was broken off has no header yet, only what it began with.
    about = "header.json" if "header.json" in archive.names() else "_journal/start.json"
    header = decode_json(decode_text(archive.read(about), path), path=path, field=about)
    if not isinstance(header, dict):
        raise DataError(f"expected an object, got {short(header)}", path=path, field=about)
    names = [name for name in archive.names() if _SAMPLE.fullmatch(name)]
    samples = []
    for number, name in enumerate(names, 1):
        sample = decode_json(decode_text(archive.read(name), path), path=path, row=number, field=name)
        if isinstance(sample, dict):
            # What happened on the way is most of a sample, and no part of the answer.
            sample.pop("events", None)
            sample.pop("events_data", None)
        samples.append(sample)
    return header, samples


def _sample_facts(row: Node, labels: LabelSet) -> dict[str, object]:
    """The parts of a sample that need more than a look: text, why it ends, log probabilities, error, repeat, target."""
    epoch = row.get("epoch")
    if epoch is not None and (isinstance(epoch.value, bool) or not isinstance(epoch.value, int) or epoch.value < 1):
        raise epoch.error(f"is {short(epoch.value)}, expected 1, 2, 3, …")
    output, error, target = row.get("output"), row.get("error"), row.get("target")
    choices = output.get("choices") if output is not None else None
    first = next(iter(choices.items()), None) if choices is not None else None
    stop = first.get("stop_reason") if first is not None else None
    text = output.get("completion") if output is not None else None
    message = error.get("message") if error is not None and isinstance(error.value, dict) else None
    facts: dict[str, object] = {
        _REPEAT: 0 if epoch is None else int(str(epoch.value)) - 1,
        _TEXT: None if text is None else _attached(row, text),
        _FINISH: None if stop is None else _STOP.get(stop.text(), "unknown"),
        _TOP: None if first is None else _top(first),
        _ERROR: None if error is None else (message.text() if message is not None else "the log says error"),
        _RIGHT: None,
    }
    if target is not None and isinstance(target.value, str) and slot_label(target.value, labels) is not None:
        facts[_RIGHT] = target.value
    return facts


def _attached(row: Node, node: Node) -> str:
    """A text, or the attachment that it refers to."""
    text = node.text()
    if not text.startswith(_ATTACHMENT):
        return text
    attachments = row.get("attachments")
    kept = attachments.get(text.removeprefix(_ATTACHMENT)) if attachments is not None else None
    if kept is None:
        raise node.error(f"refers to {short(text)}, which is not among the sample's attachments")
    return kept.text()


def _top(choice: Node) -> dict[str, float] | None:
    """The largest log probabilities at the first position; None where only the token that was drawn has one.

    That token alone bounds nothing: what was not drawn may be likelier.
    """
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if logprobs is not None else None
    positions = content.items() if content is not None else ()
    if not positions:
        return None
    top = positions[0].get("top_logprobs")
    entries = top.items() if top is not None else ()
    return {entry.child("token").text(): entry.child("logprob").number() for entry in entries} or None


def _reading(row: Node, scorer: str | None, labels: LabelSet) -> str | None:
    """What the scorer took as the answer; None where the log has no scorer for this sample."""
    scores = row.get("scores")
    if scores is None or scorer is None:
        return None
    score = scores.get(scorer)
    if score is None:
        return None
    answer, value = score.get("answer"), score.get("value")
    # A value such as C says that the answer was correct, not that it was the label C.
    node = value if answer is None and value is not None and value.value not in _GRADES else answer
    if node is None or not isinstance(node.value, str):
        return str(Outcome.UNPARSED)
    return str(slot_label(node.value, labels) or Outcome.UNPARSED)
