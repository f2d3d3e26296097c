"""vLLM's offline engine in this process: start, hand passes in, take results out, stop.

Written against vLLM 0.33.0's source; ``tests/judges/vllm/test_engine.py`` holds our argument names against its
signatures wherever that source can be imported. The engine itself needs a GPU, or vLLM's build
for processors: see docs/decisions/0008.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from evenhand.errors import ConfigError, JudgeError, install_hint
from evenhand.judges.hf.load import Source
from evenhand.judges.vllm.course import Pass, Passed
from evenhand.records import content_hash, file_sha256

__all__ = [
    "Engine",
    "EngineSettings",
    "VllmEngine",
    "engine_arguments",
    "load_tokenizer",
    "read_output",
    "sampling_arguments",
]


class Engine(Protocol):
    """What the judge needs of an engine."""

    n_ctx: int
    dtype: str
    revision: str
    name: str

    def submit(self, key: str, asked: Pass) -> None:
        """Hand a pass in; a key is used once at a time."""
        ...

    def step(self) -> Sequence[tuple[str, Passed]]:
        """Work for a moment; what has finished."""
        ...

    def abort(self, keys: Sequence[str]) -> None:
        """Forget these passes."""
        ...

    def close(self) -> None:
        """Free the engine. Closing twice is harmless."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """How vLLM runs; None leaves a choice to vLLM.

    Attributes
    ----------
    dtype
        ``auto`` is the model's own, or float16 where that is float32.
    tensor_parallel_size
        GPUs that share one model.
    gpu_memory_utilization
        Share of each GPU's memory that vLLM takes.
    max_model_len
        Context length in tokens.
    quantization
        How the weights are quantised, where the model's files don't say.
    enforce_eager
        No CUDA graphs: slower, less memory.
    """

    dtype: str = "auto"
    tensor_parallel_size: int = 1
    gpu_memory_utilization: float | None = None
    max_model_len: int | None = None
    quantization: str | None = None
    enforce_eager: bool = False
    seed: int = 0


def engine_arguments(source: Source, settings: EngineSettings) -> dict[str, Any]:
    """Arguments of ``vllm.LLM``.

    Nobody else's code is run (``trust_remote_code``, and weights from safetensors alone), and log probabilities are the
    model's, before any constraint (``raw_logprobs``).
    """
    chosen = {
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "max_model_len": settings.max_model_len,
        "quantization": settings.quantization,
    }
    return {
        "model": source.name,
        "revision": source.revision,
        "tokenizer_revision": source.revision,
        "tokenizer_mode": "hf",
        "trust_remote_code": False,
        "load_format": "safetensors",
        "dtype": settings.dtype,
        "tensor_parallel_size": settings.tensor_parallel_size,
        "enforce_eager": settings.enforce_eager,
        "seed": settings.seed,
        "enable_prefix_caching": True,
        "logprobs_mode": "raw_logprobs",
        "disable_log_stats": True,
        "use_tqdm_on_load": False,
        **{name: value for name, value in chosen.items() if value is not None},
    }


def sampling_arguments(asked: Pass, *, ends: Sequence[int]) -> dict[str, Any]:
    """Arguments of ``vllm.SamplingParams``: greedy, every penalty off, no text (it is made from the tokens here)."""
    return {
        "temperature": 0.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "repetition_penalty": 1.0,
        "max_tokens": asked.max_tokens,
        "stop_token_ids": sorted(ends),
        "logprob_token_ids": list(asked.logprob_ids) or None,
        "allowed_token_ids": list(asked.allowed) or None,
        "detokenize": False,
        "watermarking": False,
    }


def read_output(output: Any) -> Passed:  # noqa: ANN401 - vllm.RequestOutput
    """A finished ``vllm.RequestOutput`` as a record."""
    written = output.outputs[0]
    reason = written.finish_reason
    if reason not in ("stop", "length"):
        return Passed(tokens=(), stopped=False, error=f"vllm ended the request with {reason!r}")
    positions = written.logprobs
    first = positions[0] if positions else {}
    return Passed(
        tokens=tuple(int(token) for token in written.token_ids),
        stopped=reason == "stop",
        first={int(token): float(entry.logprob) for token, entry in first.items()},
        cached=output.num_cached_tokens,
    )


def load_tokenizer(source: Source) -> Any:  # noqa: ANN401 - transformers' tokenizers have no common typed base
    """The model's own tokenizer, from transformers, which vLLM brings along."""
    transformers = import_module("transformers")
    try:
        return transformers.AutoTokenizer.from_pretrained(
            source.name,
            revision=source.revision,
            local_files_only=source.local_files_only,
            trust_remote_code=False,
        )
    except (OSError, ValueError, KeyError) as error:
        raise JudgeError(f"can't load the tokenizer of {source.name}: {_one_line(error)}") from error


class VllmEngine:
    """``vllm.LLM`` behind :class:`Engine`, driven step by step, so that answers come as they finish.

    Raises
    ------
    ConfigError
        vLLM is not installed, or knows none of these settings.
    JudgeError
        It can't load the model, for instance for want of a GPU or its memory.
    """

    def __init__(self, source: Source, *, settings: EngineSettings, ends: Sequence[int]) -> None:
        vllm = import_vllm()
        self._ends = tuple(ends)
        self._sampling: Any = vllm.SamplingParams
        self._kind: Any = import_module("vllm.sampling_params").RequestOutputKind.FINAL_ONLY
        self._tokens_input: Any = import_module("vllm.inputs").tokens_input
        try:
            self._llm: Any = vllm.LLM(**engine_arguments(source, settings))
        except TypeError as error:
            raise ConfigError(f"this vllm ({vllm.__version__}) takes other settings: {_one_line(error)}") from error
        # vLLM raises whatever its parts raise: torch, CUDA, the hub and its own process.
        except Exception as error:
            raise JudgeError(f"vllm can't load {source.name}: {_one_line(error)}") from error
        self._engine: Any = self._llm.llm_engine
        config = self._llm.model_config
        self.n_ctx = int(config.max_model_len)
        self.dtype = str(config.dtype).removeprefix("torch.")
        self.revision = _revision(source, getattr(config.hf_config, "_commit_hash", None))
        self.name = f"vllm {vllm.__version__}"

    def submit(self, key: str, asked: Pass) -> None:
        """See :class:`Engine`."""
        params = self._sampling(**sampling_arguments(asked, ends=self._ends), output_kind=self._kind)
        self._engine.add_request(key, self._tokens_input(list(asked.prompt)), params)

    def step(self) -> Sequence[tuple[str, Passed]]:
        """See :class:`Engine`."""
        try:
            outputs = self._engine.step()
        except Exception as error:
            raise JudgeError(f"vllm stopped working: {_one_line(error)}") from error
        return [(output.request_id, read_output(output)) for output in outputs if output.finished]

    def abort(self, keys: Sequence[str]) -> None:
        """See :class:`Engine`."""
        self._engine.abort_request(list(keys))

    def close(self) -> None:
        """See :class:`Engine`."""
        engine, self._engine, self._llm = self._engine, None, None
        if engine is not None:
            engine.engine_core.shutdown()


def import_vllm() -> Any:  # noqa: ANN401 - a module that may be missing
    """The library.

    Raises
    ------
    ConfigError
        It is not installed.
    """
    # Its messages go to standard error at each start; the user's own setting wins.
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        return import_module("vllm")
    except ImportError as error:
        raise ConfigError(f"vllm judges need vllm ({error}): {install_hint('vllm')}") from error


def _revision(source: Source, commit: object) -> str:
    """The hub's commit, or a hash over the local files, as for transformers judges."""
    if source.folder is None:
        return str(commit or source.revision or "unknown")
    patterns = ("*.safetensors", "*.json", "*.jinja", "*.model")
    files = sorted({path for pattern in patterns for path in source.folder.glob(pattern)})
    return f"sha256:{content_hash([[path.name, file_sha256(path)] for path in files])}"


def _one_line(error: BaseException) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:500]


def settings_texts(settings: EngineSettings) -> Mapping[str, str]:
    """What of the settings belongs to a judge's identity: all that can turn a near tie."""
    return {
        "tensor_parallel_size": str(settings.tensor_parallel_size),
        "quantization": settings.quantization or "as the files say",
        "cuda_graphs": "off" if settings.enforce_eager else "on",
        "seed": str(settings.seed),
    }
