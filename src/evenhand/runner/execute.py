"""Asking a judge what the journal doesn't know yet, and writing each answer down before it counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import NoReturn

from evenhand.errors import JudgeError
from evenhand.judges.base import Answer, Judge, JudgeRequest, WindsDown
from evenhand.records import Completion, FinishReason, Presentation, Usage
from evenhand.runner.interrupts import Interrupts
from evenhand.runner.progress import Progress, SilentProgress
from evenhand.runner.spend import SpendLimit
from evenhand.runner.summary import ExecutionError, ExecutionSummary
from evenhand.store import Journal, TokenTotals

__all__ = ["BATCH_SIZE", "execute"]

BATCH_SIZE = 512
"""Presentations handed to a judge at once: enough for it to order them by common prefix, few enough for memory."""


def execute(
    judge: Judge,
    journal: Journal,
    *,
    request_for: Callable[[Presentation], JudgeRequest],
    retries: int = 2,
    batch_size: int | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    limit: SpendLimit | None = None,
    extend: Callable[[], bool] | None = None,
) -> ExecutionSummary:
    """Ask every planned presentation that has no answer yet.

    Each completion is durable in the journal before it is counted or shown. Whatever ends this call early, the next
    one goes on where it ended. A judge that works on several requests at once (:class:`WindsDown`) is waited for: the
    answers in flight are paid for, so they are recorded; a second Ctrl-C abandons them.

    Parameters
    ----------
    judge
        Who answers.
    journal
        Open for writing, with its plan set.
    request_for
        What to ask for a presentation.
    retries
        How often a presentation with a retryable error is asked again in this call. Waiting is the judge's matter.
        What still fails stays recorded as an error, and is asked again by the next call.
    batch_size
        Presentations in one call of ``judge.answer``; :data:`BATCH_SIZE` by default.
    progress
        Told of every settled presentation.
    stop
        Asked before each batch and after each answer whether to end early.
    limit
        What the run may cost, earlier calls on its journal included. Reached, it ends the call as ``stop`` does, and
        the summary's ``stopped`` says so.
    extend
        Called once the whole plan was asked. It may give the journal a longer plan, made from the answers so far, and
        says whether it did: then what is new in it is asked too.

    Returns
    -------
    ExecutionSummary
        With ``interrupted`` set where Ctrl-C, SIGTERM (both caught in the main thread only) or ``stop`` ended it.

    Raises
    ------
    ExecutionError
        The judge as a whole failed, or answered an index twice, never, or out of range. It carries the summary.
    StoreError
        An answer could not be written down: it is not counted.
    ValueError
        A batch size below 1 or negative retries.
    """
    if retries < 0 or (batch_size is not None and batch_size < 1):
        raise ValueError(f"retries {retries}, batch size {batch_size}: expected at least 0 and at least 1")
    work = _Work(judge, journal, request_for, progress or SilentProgress(), stop or _never, limit or SpendLimit())
    return work.run(retries=retries, batch_size=batch_size or BATCH_SIZE, extend=extend)


def _never() -> bool:
    return False


class _Stopped(Exception):  # noqa: N818 - not an error: the caller's wish
    """``stop`` said so."""


class _Work:
    """One call of :func:`execute`: the counts and the loop that fills them."""

    def __init__(
        self,
        judge: Judge,
        journal: Journal,
        request_for: Callable[[Presentation], JudgeRequest],
        progress: Progress,
        stop: Callable[[], bool],
        limit: SpendLimit,
    ) -> None:
        self._judge = judge
        self._journal = journal
        self._request_for = request_for
        self._progress = progress
        self._stop = stop
        self._limit = limit
        self._spent = TokenTotals(answers=0, prompt_tokens=0, completion_tokens=0, untold=0)
        self._ending = False
        self._winder: threading.Thread | None = None
        self._stopped: str | None = None
        self._interrupts = Interrupts()
        self._began = time.monotonic()
        self._planned = self._reused = self._attempts = 0
        self._finished: set[str] = set()
        self._failed: set[str] = set()
        self._prompt_tokens: int | None = None
        self._completion_tokens: int | None = None
        self._first_error: str | None = None

    def run(self, *, retries: int, batch_size: int, extend: Callable[[], bool] | None) -> ExecutionSummary:
        self._spent = self._journal.token_totals()
        interrupted = False
        try:
            with self._interrupts:
                self._ask_plan(retries, batch_size)
                longer, extend = extend is not None and extend(), None
                if longer:
                    self._ask_plan(retries, batch_size)
        except KeyboardInterrupt:
            interrupted = True
        except _Stopped:
            # Where that was the last answer of all there is nothing to go on with.
            interrupted = bool(self._journal.pending_keys()) or (extend is not None and extend())
            self._stopped = self._stopped if interrupted else None
        except JudgeError as error:
            raise ExecutionError(error, self._summary(interrupted=False)) from error
        finally:
            self._progress.finish()
        if self._stopped is not None:
            # As it stands now that the answers in flight have come.
            self._stopped = self._limit.reached(self._spent, in_flight=0) or self._stopped
        return self._summary(interrupted=interrupted)

    def _ask_plan(self, retries: int, batch_size: int) -> None:
        """Ask what is pending and has not failed in this call already."""
        pending = self._journal.pending_keys()
        self._planned = self._journal.counts().planned
        self._reused = self._planned - len(pending) - len(self._finished)
        to_ask = [key for key in pending if key not in self._failed]
        self._progress.start(self._planned, self._planned - len(to_ask))
        for begin in range(0, len(to_ask), batch_size):
            self._ask_batch(to_ask[begin : begin + batch_size], retries)

    def _ask_batch(self, keys: Sequence[str], retries: int) -> None:
        batch = [self._journal.presentation(key) for key in keys]
        for attempt in range(retries + 1):
            batch = self._ask_once(batch, last=attempt == retries)
            if not batch:
                return

    def _ask_once(self, batch: Sequence[Presentation], *, last: bool) -> list[Presentation]:
        """Ask a batch, record every answer as it comes, and return those worth asking again."""
        if self._must_end():
            raise _Stopped
        requests = [self._request_for(presentation) for presentation in batch]
        again: list[int] = []
        answered: set[int] = set()
        answers = self._judge.answer(requests)
        try:
            with self._waiting_for_answers():
                for answer in answers:
                    presentation = self._check(answer, batch, answered)
                    retry = answer.completion.retryable and not last and _is_error(answer.completion)
                    with self._interrupts.held_back():
                        self._journal.record(presentation.key, answer.completion)
                        answered.add(answer.index)
                        self._count(presentation, answer.completion)
                        if retry:
                            again.append(answer.index)
                        else:
                            self._progress.advance(presentation, answer.completion)
                    if self._ending and isinstance(self._judge, WindsDown):
                        # Once more: the signal can have come before the judge had begun.
                        self._judge.wind_down()
                    elif not self._ending and self._must_end():
                        self._end()
        finally:
            _close(answers)
        if self._ending:
            if self._winder is not None and self._winder.is_alive():
                self._winder.join()
            raise _Stopped
        missing = [index for index in range(len(batch)) if index not in answered]
        if missing:
            self._refuse(f"never answered {len(missing)} of {len(batch)}; the first is", missing[0], batch)
        return [batch[index] for index in sorted(again)]

    def _waiting_for_answers(self) -> AbstractContextManager[None]:
        """A judge that can wind down isn't torn from its answers by the first Ctrl-C."""
        if not isinstance(self._judge, WindsDown):
            return nullcontext()
        # A thread of its own: a signal can come while this one holds a lock that winding down needs.
        self._winder = threading.Thread(target=self._wind_down, name="evenhand-wind-down", daemon=True)
        return self._interrupts.softened(self._winder.start)

    def _end(self) -> None:
        """Send nothing more, and wait for what was sent; without anything to wait for, end at once."""
        if not isinstance(self._judge, WindsDown):
            raise _Stopped
        self._wind_down()

    def _wind_down(self) -> None:
        if isinstance(self._judge, WindsDown):
            self._ending = True
            self._judge.wind_down()
            self._progress.winding_down(self._judge.in_flight)

    def _must_end(self) -> bool:
        flying = self._judge.in_flight if isinstance(self._judge, WindsDown) else 0
        self._stopped = self._limit.reached(self._spent, in_flight=flying)
        return self._stopped is not None or self._stop()

    def _check(self, answer: Answer, batch: Sequence[Presentation], answered: set[int]) -> Presentation:
        index = answer.index
        if not 0 <= index < len(batch):
            raise JudgeError(
                f"judge {self._judge.identity.spec} answered index {index} of a batch of {len(batch)}: "
                "this is a fault of the judge's code"
            )
        if index in answered:
            self._refuse("answered twice:", index, batch)
        if _is_error(answer.completion) != (answer.completion.error is not None):
            self._refuse("gave an error without its text, or an answer with one, for", index, batch)
        return batch[index]

    def _refuse(self, what: str, index: int, batch: Sequence[Presentation]) -> NoReturn:
        asked = batch[index]
        raise JudgeError(
            f"judge {self._judge.identity.spec} {what} index {index} (pair {asked.pair_id!r}, order {asked.order}, "
            f"{asked.condition!r}): this is a fault of the judge's code"
        )

    def _count(self, presentation: Presentation, completion: Completion) -> None:
        self._attempts += 1
        if _is_error(completion):
            self._failed.add(presentation.key)
            if self._first_error is None:
                self._first_error = completion.error
        else:
            self._failed.discard(presentation.key)
            self._finished.add(presentation.key)
        usage = completion.usage
        self._spend(usage, failed=_is_error(completion))
        if usage.prompt_tokens is not None:
            self._prompt_tokens = (self._prompt_tokens or 0) + usage.prompt_tokens
        if usage.completion_tokens is not None:
            self._completion_tokens = (self._completion_tokens or 0) + usage.completion_tokens

    def _spend(self, usage: Usage, *, failed: bool) -> None:
        spent = self._spent
        told = usage.prompt_tokens is not None and usage.completion_tokens is not None
        self._spent = TokenTotals(
            answers=spent.answers + told,
            prompt_tokens=spent.prompt_tokens + (usage.prompt_tokens or 0),
            completion_tokens=spent.completion_tokens + (usage.completion_tokens or 0),
            untold=spent.untold + (not told and not failed),
        )

    def _summary(self, *, interrupted: bool) -> ExecutionSummary:
        return ExecutionSummary(
            planned=self._planned,
            reused=self._reused,
            asked=len(self._finished) + len(self._failed),
            finished=len(self._finished),
            errors=len(self._failed),
            attempts=self._attempts,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            seconds=time.monotonic() - self._began,
            interrupted=interrupted,
            first_error=self._first_error,
            stopped=self._stopped,
        )


def _is_error(completion: Completion) -> bool:
    return completion.finish_reason is FinishReason.ERROR


def _close(answers: Iterator[Answer]) -> None:
    # A second Ctrl-C while the judge winds up its work: leave it, nothing more is to be recorded.
    with suppress(KeyboardInterrupt):
        close = getattr(answers, "close", None)
        if close is not None:
            close()
