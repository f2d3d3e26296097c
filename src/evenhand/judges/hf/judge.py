"""Open-weight judges on torch through transformers: both readouts from one prefill, batched, activations on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Self

from evenhand.errors import ConfigError, EvenhandError
from evenhand.judges.base import Answer, CostEstimate, Generate, JudgeRequest
from evenhand.judges.hf.batches import Limits
from evenhand.judges.hf.capture import Captured, Recorder, Sink, Tap
from evenhand.judges.hf.constrain import Constraint, constraint_of
from evenhand.judges.hf.estimate import estimate
from evenhand.judges.hf.forward import Forward
from evenhand.judges.hf.generate import generate
from evenhand.judges.hf.load import Loaded, Source, find_source, load, versions
from evenhand.judges.hf.prompt import ChatEncoder
from evenhand.judges.hf.replay import Replayed, replay
from evenhand.judges.hf.rows import Row, failed
from evenhand.judges.hf.tokens import TokenTexts, label_tokens
from evenhand.judges.options import Option, read_options
from evenhand.judges.writing import check_requests
from evenhand.records import JudgeIdentity, LabelSet, LabelTokens

__all__ = ["OPTIONS", "Captured", "TransformersJudge"]

OPTIONS: Mapping[str, Option] = {
    "revision": Option(kind=str, help="hub revision: a branch, tag or commit", default="the hub's main branch"),
    "dtype": Option(
        kind=str,
        help="auto is bfloat16 on CUDA, else float32",
        choices=("auto", "float32", "bfloat16", "float16"),
        default="auto",
    ),
    "device": Option(kind=str, help="auto, cpu, cuda, cuda:N or mps", default="auto"),
    "thinking": Option(kind=bool, help="let a model think first whose template has the switch (Qwen3)", default="off"),
    "batch_tokens": Option(
        kind=int,
        help="prompt tokens, padding included, of one forward pass",
        least=1,
        default="4096; on a GPU 32768",
    ),
    "max_batch": Option(kind=int, help="presentations in one forward pass", least=1, default="64; on a GPU 256"),
    "attn": Option(kind=str, help="how attention is computed", choices=("auto", "sdpa", "eager"), default="auto"),
    "n_ctx": Option(kind=int, help="context length in tokens", least=1, default="the model's own"),
    "gguf_file": Option(kind=str, help="a GGUF file of the hub model or folder"),
    "local_files_only": Option(kind=bool, help="never ask the network", default="off"),
    "reuse_prefix": Option(kind=bool, help="compute the common beginning of neighbours once", default="on"),
}


class TransformersJudge:
    """A judge on torch. Greedy only.

    In float32 a presentation's text is the same alone and in any batch, and its log probabilities agree within
    1e-4 nats; in half precision what shares a batch can turn a near tie.

    Parameters
    ----------
    loaded
        Model and tokenizer.
    source
        Where they came from.
    spec
        How the user named the judge.
    thinking
        Whether the judge may think first, where its template has the switch.
    n_ctx
        Context length; None: the model's own.
    limits
        How much is computed at once; None: 4,096 tokens and 64 rows, on a GPU 32,768 and 256.
    reuse_prefix
        Whether the common beginning of neighbours, the two orders of a pair, is computed once.

    Raises
    ------
    ConfigError
        No chat template, no fast tokenizer, an unsupported kind of model, or a context beyond the model's.
    """

    SPEC: ClassVar[str] = "a hub model, a folder with safetensors, or PATH.gguf"
    OPTIONS: ClassVar[Mapping[str, Option]] = OPTIONS

    def __init__(
        self,
        loaded: Loaded,
        *,
        source: Source,
        spec: str,
        thinking: bool = False,
        n_ctx: int | None = None,
        limits: Limits | None = None,
        reuse_prefix: bool = True,
    ) -> None:
        self._loaded: Loaded | None = loaded
        self._texts = TokenTexts(loaded.tokenizer)
        self._encoder = ChatEncoder(self._texts, thinking=thinking, model=source.model)
        self._forward = Forward(loaded.model, reuse_prefix=reuse_prefix)
        self._n_ctx = _context(loaded, n_ctx, most=self._forward.most, model=source.model)
        self._limits = limits or default_limits(str(loaded.model.device))
        self._ends = loaded.generation_ends | self._encoder.turn_ends()
        self._identity = _identity(loaded, source, spec=spec, n_ctx=self._n_ctx, encoder=self._encoder)
        self._labels: dict[LabelSet, tuple[LabelTokens, ...]] = {}
        self._recorder: Recorder | None = None

    @classmethod
    def from_spec(cls, rest: str, *, spec: str, **options: object) -> Self:
        """Load a folder, a ``.gguf`` file or a hub model; ``options`` as :data:`OPTIONS` lists them.

        Raises
        ------
        ConfigError
            An unknown option or value, an extra that is not installed, or a model that can't be used.
        JudgeError
            The model can't be loaded.
        """
        got = read_options(options, OPTIONS, spec=spec)
        source = find_source(
            rest,
            spec=spec,
            gguf_file=_text(got.get("gguf_file")),
            revision=_text(got.get("revision")),
            local_files_only=bool(got.get("local_files_only", False)),
        )
        loaded = load(
            source,
            dtype=str(got.get("dtype", "auto")),
            device=str(got.get("device", "auto")),
            attention=str(got.get("attn", "auto")),
        )
        usual = default_limits(str(loaded.model.device))
        return cls(
            loaded,
            source=source,
            spec=spec,
            thinking=bool(got.get("thinking", False)),
            n_ctx=int(got["n_ctx"]) if "n_ctx" in got else None,
            limits=Limits(
                tokens=int(got.get("batch_tokens", usual.tokens)), rows=int(got.get("max_batch", usual.rows))
            ),
            reuse_prefix=bool(got.get("reuse_prefix", True)),
        )

    @property
    def identity(self) -> JudgeIdentity:
        """Weights, versions, and the settings that can change an answer. Batch sizes are left out."""
        return self._identity

    @property
    def limits(self) -> Limits:
        """How much is computed at once now; lowered where memory ran out."""
        return self._limits

    @property
    def layers(self) -> int:
        """Blocks of the model: the layers that :meth:`capture` knows are 0 to this."""
        return len(self._blocks())

    @property
    def size(self) -> int:
        """Width of the residual stream: numbers in one captured vector."""
        return int(self._check_open().model.config.get_text_config(decoder=True).hidden_size)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as it stands inside a message: nothing in it is a control token, and none is added."""
        self._check_open()
        return len(self._texts.plain(text))

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant with its token id; see :class:`evenhand.judges.Judge`."""
        if labels not in self._labels:
            self._labels[labels] = label_tokens(self._texts, labels, model=self._identity.model)
        return self._labels[labels]

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """Exact prompt tokens, and seconds at the speed of a short run; see :class:`evenhand.judges.Judge`."""
        self._check_open()
        check_requests(requests, judge="transformers")
        prompt = sum(len(self._encoder.encode(r.messages, prefill=r.prefill)) for r in requests)
        low = len(requests)
        high = sum(self._room(request) for request in requests)
        words = self._texts.plain("Which of these two answers is better, and why? " * 40)
        return estimate(
            self._forward, words=words[: self._n_ctx // 2], prompt=prompt, low=low, high=high, limits=self._limits
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer in batches of like length, yielding as they finish; see :class:`evenhand.judges.Judge`.

        The two orders of a pair, side by side, share their common beginning. Ctrl-C is noticed between operations;
        closing the iterator stops.
        """
        self._check_open()
        check_requests(requests, judge="transformers")
        for request in requests:
            if not (request.constrained and not request.first_token):
                self.label_tokens(request.labels)
        return self._answers(requests)

    @contextmanager
    def capture(self, *, layers: Sequence[int], sink: Sink) -> Iterator[None]:
        """While this is open, ``sink`` gets the residual stream and the labels' logits of every answered request.

        Parameters
        ----------
        layers
            Which layers: see :class:`evenhand.judges.hf.capture.Captured` for what a number means.
        sink
            Called with a request's vectors just before its answer is yielded.

        Raises
        ------
        ConfigError
            A layer that the model doesn't have, or two captures at once.
        """
        if self._recorder is not None:
            raise ConfigError("activations are being captured already: leave that capture first")
        with Recorder(blocks=self._blocks(), layers=tuple(layers), sink=sink) as recorder:
            self._recorder = recorder
            try:
                yield
            finally:
                self._recorder = None

    def replay(
        self, prompt_ids: Sequence[int], token_ids: Sequence[int], *, layers: Sequence[int] | None = None
    ) -> Replayed:
        """Read saved tokens one by one through the cache, alone, and say what would be written after each.

        To check a verdict at token ``k``, ``token_ids[:k]`` are enough: the last of ``greedy`` is then what the judge
        would write in its place. What was written under a constraint isn't comparable: there the judge's own most
        probable token needs not be the one that was taken.

        Parameters
        ----------
        prompt_ids, token_ids
            As :class:`evenhand.judges.hf.capture.Captured` holds them.
        layers
            Whose vectors are wanted too; None: none.

        Raises
        ------
        ConfigError
            An empty prompt, a layer that the model doesn't have, or more tokens than the context.
        JudgeError
            The model failed.
        """
        blocks = self._blocks()
        self._check_fits(len(prompt_ids), len(token_ids))
        tap = None if layers is None else Tap(blocks=blocks, layers=tuple(layers))
        return replay(self._forward, prompt_ids, token_ids, tap=tap)

    def close(self) -> None:
        """Free the model. Closing twice is harmless."""
        if self._loaded is None:
            return
        from evenhand.judges.hf.memory import free_memory

        self._loaded = None
        del self._forward
        free_memory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _check_open(self) -> Loaded:
        if self._loaded is None:
            raise ConfigError("the judge is closed")
        return self._loaded

    def _blocks(self) -> Sequence[object]:
        found: Sequence[object] = self._check_open().model.get_decoder().layers
        return found

    def _answers(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        self._check_open()
        rows = []
        for index, request in enumerate(requests):
            row = self._row(index, request)
            try:
                row.prompt = self._encoder.encode(request.messages, prefill=request.prefill)
                self._check_fits(len(row.prompt), self._room(request))
            except EvenhandError as error:
                yield Answer(index=index, completion=failed(row, error))
            else:
                rows.append(row)
        for row, completion in generate(self._forward, rows, limits=self._limits, recorder=self._recorder):
            yield Answer(index=row.index, completion=completion)

    def _row(self, index: int, request: JudgeRequest) -> Row:
        constraint = self._constraint(request) if request.constrained else None
        variants = () if constraint is not None and not request.first_token else self.label_tokens(request.labels)
        return Row(
            index=index,
            request=request,
            prompt=(),
            variants=variants,
            texts=self._texts,
            ends=self._ends,
            constraint=constraint,
        )

    def _constraint(self, request: JudgeRequest) -> Constraint:
        single = []
        for outcome, label in request.labels.by_outcome.items():
            for variant in request.labels.variants(outcome):
                token = self._texts.single(variant)
                single += [] if token is None else [(label, token)]
        return constraint_of(self._texts, request.labels, single)

    def _room(self, request: JudgeRequest) -> int:
        if request.constrained:
            return self._constraint(request).longest
        return 1 if request.generate is Generate.NEVER else request.budgets[-1]

    def _check_fits(self, length: int, room: int) -> None:
        if not length:
            raise ConfigError("the prompt is empty")
        if length + room > self._n_ctx:
            raise ConfigError(
                f"prompt of {length} tokens and budget of {room} do not fit the context of {self._n_ctx} "
                "tokens: shorten the pair, lower the budget, or raise n_ctx where the model allows it"
            )
        switch = self._forward.rotary_switch
        if switch is not None and length <= switch < length + room - 1:
            raise ConfigError(
                f"prompt of {length} tokens and budget of {room} cross {switch} tokens, where this model changes its "
                "rotary scaling and what it has read would no longer fit: lower the budget or shorten the pair"
            )


def default_limits(device: str) -> Limits:
    """How much is computed at once where nobody says."""
    return Limits(tokens=4096, rows=64) if not device.startswith("cuda") else Limits(tokens=32_768, rows=256)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _context(loaded: Loaded, asked: int | None, *, most: int | None, model: str) -> int:
    own = getattr(loaded.model.config.get_text_config(decoder=True), "max_position_embeddings", None)
    bounds = [int(bound) for bound in (own, most) if bound is not None]
    if not bounds and asked is None:
        raise ConfigError(f"model {model} does not say its context length: set n_ctx")
    if asked is not None and bounds and asked > min(bounds):
        raise ConfigError(f"n_ctx={asked}: model {model} has a context of {min(bounds)} tokens")
    return asked if asked is not None else min(bounds)


def _identity(loaded: Loaded, source: Source, *, spec: str, n_ctx: int, encoder: ChatEncoder) -> JudgeIdentity:
    engine = ", ".join(f"{name} {number}" for name, number in versions().items())
    cut = (("pretokenizer", loaded.pretokenizer),) if loaded.pretokenizer is not None else ()
    return JudgeIdentity(
        spec=spec,
        model=source.model,
        revision=loaded.revision,
        engine=engine,
        settings=(
            ("dtype", loaded.dtype),
            ("attention", loaded.attention),
            ("device", str(loaded.model.device).partition(":")[0]),
            ("n_ctx", str(n_ctx)),
            *encoder.settings,
            *cut,
        ),
    )
