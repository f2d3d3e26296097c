"""Open-weight judges on vLLM's offline engine: many presentations at once, common beginnings computed once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from threading import Event
from typing import Any, ClassVar, Self

from evenhand.errors import ConfigError, EvenhandError
from evenhand.judges.base import Answer, CostEstimate, JudgeRequest
from evenhand.judges.hf.constrain import Constraint, constraint_of
from evenhand.judges.hf.load import Source, find_source
from evenhand.judges.hf.prompt import ChatEncoder
from evenhand.judges.hf.tokens import TokenTexts, label_tokens
from evenhand.judges.options import Option, read_options
from evenhand.judges.vllm.course import Course, failed, room
from evenhand.judges.vllm.engine import (
    Engine,
    EngineSettings,
    VllmEngine,
    import_vllm,
    load_tokenizer,
    settings_texts,
)
from evenhand.judges.writing import check_requests
from evenhand.records import JudgeIdentity, LabelSet, LabelTokens

__all__ = ["OPTIONS", "VllmJudge"]

OPTIONS: Mapping[str, Option] = {
    "revision": Option(kind=str, help="hub revision: a branch, tag or commit", default="the hub's main branch"),
    "dtype": Option(
        kind=str,
        help="auto is the model's own",
        choices=("auto", "bfloat16", "float16", "float32"),
        default="auto",
    ),
    "tensor_parallel_size": Option(kind=int, help="GPUs that share one model", least=1, default="1"),
    "gpu_memory_utilization": Option(
        kind=float, help="share of each GPU's memory that vLLM takes", least=0.01, default="vLLM's own"
    ),
    "max_model_len": Option(kind=int, help="context length in tokens", least=1, default="the model's own"),
    "thinking": Option(kind=bool, help="let a model think first whose template has the switch (Qwen3)", default="off"),
    "quantization": Option(
        kind=str, help="how the weights are quantised: awq, gptq, fp8 …", default="what the model's files say"
    ),
    "enforce_eager": Option(kind=bool, help="no CUDA graphs: slower, less memory", default="off"),
    "seed": Option(kind=int, help="engine seed", least=0, default="0"),
    "local_files_only": Option(kind=bool, help="never ask the network for the tokenizer", default="off"),
}

_IN_FLIGHT = 512
"""Requests in the engine's hands: more than it computes at once, so that it never waits for us."""


class VllmJudge:
    """A judge on vLLM. Greedy only.

    The first position is asked for by itself, with the labels' own log probabilities, so that none is censored; vLLM's
    prefix cache makes going on from it cheap. What shares a batch can turn a near tie, as on any GPU engine.

    Parameters
    ----------
    engine
        What computes.
    encoder, texts
        Chats to token ids and back, with the model's own tokenizer and template.
    ends
        Tokens that end the judge's turn.
    source
        Where the model comes from.
    settings
        How the engine runs.
    spec
        How the user named the judge.
    """

    SPEC: ClassVar[str] = "a hub model, or a folder with safetensors"
    OPTIONS: ClassVar[Mapping[str, Option]] = OPTIONS

    def __init__(
        self,
        engine: Engine,
        *,
        encoder: ChatEncoder,
        texts: TokenTexts,
        ends: frozenset[int],
        source: Source,
        settings: EngineSettings,
        spec: str,
    ) -> None:
        self._engine: Engine | None = engine
        self._n_ctx = engine.n_ctx
        self._encoder, self._texts, self._ends = encoder, texts, ends
        self._identity = JudgeIdentity(
            spec=spec,
            model=source.model,
            revision=engine.revision,
            engine=engine.name,
            settings=(
                ("dtype", engine.dtype),
                ("n_ctx", str(engine.n_ctx)),
                *settings_texts(settings).items(),
                *encoder.settings,
            ),
        )
        self._labels: dict[LabelSet, tuple[LabelTokens, ...]] = {}
        self._live: dict[str, Course] = {}
        self._winding = Event()
        self._keys = count()

    @classmethod
    def from_spec(cls, rest: str, *, spec: str, **options: object) -> Self:
        """Load a hub model or a folder; ``options`` as :data:`OPTIONS` lists them.

        Raises
        ------
        ConfigError
            vLLM is not installed, an unknown option or value, or a model that can't be used.
        JudgeError
            The model can't be loaded.
        """
        got: dict[str, Any] = dict(read_options(options, OPTIONS, spec=spec))
        source = find_source(
            rest,
            spec=spec,
            gguf_file=None,
            revision=got.pop("revision", None),
            local_files_only=got.pop("local_files_only", False),
        )
        if source.gguf is not None:
            raise ConfigError(f"judge {spec!r}: vllm judges take safetensors; for a .gguf file use llamacpp:{rest}")
        if got.get("gpu_memory_utilization", 0.5) > 1:
            raise ConfigError(f"judge {spec!r}: gpu_memory_utilization is a share, at most 1")
        thinking = bool(got.pop("thinking", False))
        import_vllm()
        tokenizer = load_tokenizer(source)
        settings = EngineSettings(**got)
        texts = TokenTexts(tokenizer)
        encoder = ChatEncoder(texts, thinking=thinking, model=source.model)
        ends = turn_ends(tokenizer, encoder)
        engine = VllmEngine(source, settings=settings, ends=sorted(ends))
        return cls(engine, encoder=encoder, texts=texts, ends=ends, source=source, settings=settings, spec=spec)

    @property
    def identity(self) -> JudgeIdentity:
        """Weights, engine version, and the settings that can change an answer."""
        return self._identity

    @property
    def in_flight(self) -> int:
        """Requests in the engine's hands."""
        return len(self._live)

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant with its token id; see :class:`evenhand.judges.Judge`."""
        if labels not in self._labels:
            self._labels[labels] = label_tokens(self._texts, labels, model=self._identity.model)
        return self._labels[labels]

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """Exact prompt tokens; no seconds, which depend on the batch. See :class:`evenhand.judges.Judge`."""
        check_requests(requests, judge="vllm")
        return CostEstimate(
            prompt_tokens=sum(len(self._encoder.encode(r.messages, prefill=r.prefill)) for r in requests),
            completion_tokens_low=len(requests),
            completion_tokens_high=sum(room(request, self._constraint(request)) for request in requests),
            seconds_low=None,
            seconds_high=None,
            basis="prompts tokenised exactly; low: one token each, high: every budget used up; seconds depend on how "
            "much the GPU computes at once: time a small run (docs/how-to/scale.md)",
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer as they finish; see :class:`evenhand.judges.Judge`.

        Closing the iterator takes back what the engine has in hand.
        """
        self._open()
        check_requests(requests, judge="vllm")
        for request in requests:
            if not request.constrained or request.first_token:
                self.label_tokens(request.labels)
        return self._answers(requests)

    def wind_down(self) -> None:
        """Send nothing more; see :class:`evenhand.judges.WindsDown`."""
        self._winding.set()

    def close(self) -> None:
        """Free the engine. Closing twice is harmless."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _open(self) -> Engine:
        if self._engine is None:
            raise ConfigError("the judge is closed")
        return self._engine

    def _answers(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        engine = self._open()
        self._winding.clear()
        waiting = enumerate(requests)
        try:
            while True:
                yield from self._send(engine, waiting)
                if not self._live:
                    return
                began = time.perf_counter()
                done = engine.step()
                share = (time.perf_counter() - began) / len(self._live)
                for course in self._live.values():
                    course.seconds += share
                for key, passed in done:
                    course = self._live.pop(key)
                    completion = course.take(passed)
                    if completion is not None:
                        yield Answer(index=course.index, completion=completion)
                    else:
                        self._submit(engine, course)
        finally:
            if self._live and self._engine is not None:
                engine.abort(list(self._live))
            self._live.clear()

    def _send(self, engine: Engine, waiting: Iterator[tuple[int, JudgeRequest]]) -> Iterator[Answer]:
        """Fill the engine's hands; requests that can't be asked are answered at once."""
        while len(self._live) < _IN_FLIGHT and not self._winding.is_set():
            index, request = next(waiting, (None, None))
            if index is None or request is None:
                return
            try:
                course = self._course(index, request)
            except EvenhandError as error:
                yield Answer(index=index, completion=failed(error))
            else:
                self._submit(engine, course)

    def _submit(self, engine: Engine, course: Course) -> None:
        key = f"evenhand-{next(self._keys)}"
        self._live[key] = course
        engine.submit(key, course.next())

    def _course(self, index: int, request: JudgeRequest) -> Course:
        constraint = self._constraint(request)
        prompt = tuple(self._encoder.encode(request.messages, prefill=request.prefill))
        most = room(request, constraint)
        if not prompt:
            raise ConfigError("the prompt is empty")
        if len(prompt) + most > self._n_ctx:
            raise ConfigError(
                f"prompt of {len(prompt)} tokens and budget of {most} do not fit the context of {self._n_ctx} "
                "tokens: shorten the pair, lower the budget, or raise max_model_len where the model allows it"
            )
        reads_labels = constraint is None or request.first_token
        return Course(
            index=index,
            request=request,
            prompt=prompt,
            variants=self.label_tokens(request.labels) if reads_labels else (),
            texts=self._texts,
            ends=self._ends,
            constraint=constraint,
        )

    def _constraint(self, request: JudgeRequest) -> Constraint | None:
        if not request.constrained:
            return None
        single = [
            (label, token)
            for outcome, label in request.labels.by_outcome.items()
            for variant in request.labels.variants(outcome)
            if (token := self._texts.single(variant)) is not None
        ]
        return constraint_of(self._texts, request.labels, single)


def turn_ends(tokenizer: Any, encoder: ChatEncoder) -> frozenset[int]:  # noqa: ANN401 - no common typed base
    """Tokens that end the judge's turn; vLLM adds those of the model's generation configuration by itself."""
    own = tokenizer.eos_token_id
    return encoder.turn_ends() | (frozenset() if own is None else frozenset({int(own)}))
