"""What a call of execute did, also where it was cut short."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import JudgeError

__all__ = ["ExecutionError", "ExecutionSummary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionSummary:
    """Counts of one call; the journal's own counts speak of the whole plan.

    Attributes
    ----------
    planned
        Presentations of the plan: ``reused + asked + not asked``.
    reused
        Those finished before this call, which were not asked again.
    asked
        Those for which this call recorded at least one attempt: ``finished + errors``.
    finished, errors
        Of those asked, how many have an answer, and how many ended in an error.
    attempts
        Attempts recorded, retries included.
    prompt_tokens, completion_tokens
        Over all attempts that told; None where none did.
    seconds
        Wall-clock time of the call.
    interrupted
        Whether Ctrl-C, SIGTERM, ``stop`` or a limit ended it early.
    first_error
        The text of the first error that was recorded, for people; None where there was none.
    stopped
        Which limit ended it, for people; None where none did.
    """

    planned: int
    reused: int
    asked: int
    finished: int
    errors: int
    attempts: int
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    interrupted: bool
    first_error: str | None = None
    stopped: str | None = None


class ExecutionError(JudgeError):
    """The judge as a whole failed. ``summary`` counts what was recorded before: all of that stays."""

    def __init__(self, cause: JudgeError, summary: ExecutionSummary) -> None:
        super().__init__(
            f"{cause} ({summary.reused + summary.finished:,} of {summary.planned:,} presentations are answered and "
            "recorded; run the same command again to go on)",
            retryable=cause.retryable,
        )
        self.summary = summary
