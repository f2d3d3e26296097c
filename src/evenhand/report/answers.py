"""What answers say of themselves: remarks that many of them carry, and which models an endpoint served."""

from __future__ import annotations

from evenhand.report.format import integer, percent
from evenhand.report.model import Answers
from evenhand.report.text import visible

__all__ = ["answer_notes", "answer_rows", "changed_model"]

_LIMIT = 120
_SHOWN = 5


def answer_notes(answers: Answers | None) -> list[str]:
    """One sentence for each frequent remark, with how many answers carry it."""
    if answers is None or not answers.notes:
        return []
    shown = [
        f"{_share(count, answers.answered)} came with the remark: {visible(note, limit=_LIMIT)}"
        for note, count in answers.notes[:_SHOWN]
    ]
    rest = answers.notes[_SHOWN:]
    if rest:
        shown.append(
            f"{_share(sum(count for _, count in rest), answers.answered)} came with one of {integer(len(rest))} more "
            "remarks, which are in audit.json"
        )
    return [text if text.endswith((".", "!", "?")) else f"{text}." for text in shown]


def answer_rows(answers: Answers | None) -> tuple[tuple[str, str], ...]:
    """Which models answered, as a row of the run's facts; none where no endpoint said so."""
    if answers is None or not answers.served:
        return ()
    named = [f"{visible(text, limit=_LIMIT)} ({integer(count)})" for text, count in answers.served[:_SHOWN]]
    rest = len(answers.served) - len(named)
    return (("answered by", "; ".join((*named, *([f"{integer(rest)} more"] if rest > 0 else [])))),)


def changed_model(answers: Answers | None) -> list[str]:
    """A warning where more than one model, or build of one, answered: a fingerprint tells builds apart too."""
    if answers is None or len(answers.served) < 2:
        return []
    named = [f"“{visible(text, limit=_LIMIT)}” gave {integer(count)}" for text, count in answers.served[:_SHOWN]]
    rest = len(answers.served) - len(named)
    more = f", {integer(rest)} more gave the rest" if rest > 0 else ""
    return [
        f"More than one model or build answered: of {integer(answers.answered)} answers, {', '.join(named)}{more}. The "
        "figures mix them; where the endpoint allows it, pin the version and judge again."
    ]


def _share(count: int, everything: int) -> str:
    share = f" ({percent(count / everything)})" if everything else ""
    return f"{integer(count)} of {integer(everything)} answers{share}"
