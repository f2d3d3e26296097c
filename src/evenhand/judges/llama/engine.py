"""llama.cpp in this process, through the ``xllamacpp`` wheel: start, tokenise, complete, stop."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.llama.start import interrupt_held_back

__all__ = ["EngineSettings", "LlamaEngine", "TextPiece"]

_TIMEOUT_SECONDS = 600
"""For tokenising on a machine that is busy with other work; nothing else goes over the port."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """How the engine runs.

    Attributes
    ----------
    n_ctx
        Context length in tokens; 0 takes what the model was trained with.
    threads
        None: the physical cores that this process may use. Measured not to change log probabilities.
    n_batch
        Prompt tokens computed at a time.
    flash_attention
        Off by default: see docs/decisions/0002-llamacpp-judge.md.
    """

    n_ctx: int = 0
    threads: int | None = None
    n_batch: int = 512
    flash_attention: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """What streaming gives: text, the count of tokens written in this call, and whether the model ended its turn."""

    text: str
    tokens: int
    stopped: bool


class LlamaEngine:
    """One model in one llama.cpp server that runs in this process.

    The server also listens on a random loopback port, which is how it tokenises; a random key that never leaves this
    process keeps others out. Calls must come from one thread at a time.

    Raises
    ------
    JudgeError
        The file is no model that llama.cpp can load.
    """

    def __init__(self, path: Path, *, settings: EngineSettings) -> None:
        # OpenMP threads that spin while they wait make llama.cpp several times slower beside other work (measured in
        # docs/decisions/0002-llamacpp-judge.md). Read when the library is loaded; the user's own setting wins.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp
        except ImportError as error:
            raise ConfigError(f"llamacpp judges need xllamacpp ({error}): pip install xllamacpp") from error
        if not path.is_file():
            raise ConfigError(f"model file {path}: no such file")
        self._key = secrets.token_hex(32)
        self._lock = threading.Lock()
        with interrupt_held_back():
            self._server: Any = _start(xllamacpp, path, settings=settings, key=self._key)
            # One answer shows that the server's loop runs: from now on it can be stopped.
            self.complete([0], max_tokens=1, reuse=False)
        properties = self._http("/props")
        self.chat_template = str(properties.get("chat_template", ""))
        self.bos_text = str(properties.get("bos_token", ""))
        self.n_ctx = int(properties["default_generation_settings"]["n_ctx"])
        self.n_vocab = int(self._http("/v1/models")["data"][0]["meta"]["n_vocab"])

    def close(self) -> None:
        """Stop the server and free the model; waits for a call in progress. Closing twice is harmless."""
        with self._lock:
            self._server = None

    def tokenize(self, text: str, *, special: bool, add_special: bool = False) -> list[int]:
        """Token ids; ``special`` reads special-token text such as ``<|im_end|>`` as control tokens."""
        body = {"content": text, "add_special": add_special, "parse_special": special}
        return [int(token) for token in self._http("/tokenize", body)["tokens"]]

    def pieces(self, text: str) -> list[tuple[int, str]]:
        """Token ids with their texts, special tokens read as such."""
        body = {"content": text, "add_special": False, "parse_special": True, "with_pieces": True}
        found = []
        for token in self._http("/tokenize", body)["tokens"]:
            piece = token["piece"]
            found.append(
                (int(token["id"]), piece if isinstance(piece, str) else bytes(piece).decode("utf-8", "replace"))
            )
        return found

    def detokenize(self, token: int) -> str:
        """Text of one token, special tokens included."""
        return str(self._http("/detokenize", {"tokens": [token]})["content"])

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The model's own chat template applied once, ready for the judge's turn."""
        return str(self._http("/apply-template", {"messages": list(messages)})["prompt"])

    def complete(
        self,
        prompt: Sequence[int],
        *,
        max_tokens: int,
        n_probs: int = 0,
        reuse: bool = True,
        force: int | None = None,
        grammar: str | None = None,
        ignore_eos: bool = False,
    ) -> dict[str, Any]:
        """Greedy completion of token ids, whole.

        Parameters
        ----------
        reuse
            Whether tokens that the engine still holds from its last prompt are taken from its cache.
        force
            A token to write first, whatever the model would; log probabilities stay the model's.
        grammar
            In llama.cpp's GBNF: each token is the most probable one that the grammar allows.
        """
        body = _body(prompt, max_tokens=max_tokens, reuse=reuse) | {"n_probs": n_probs, "ignore_eos": ignore_eos}
        if force is not None:
            body["logit_bias"] = [[force, 1e6]]
        if grammar is not None:
            body["grammar"] = grammar
        return self._call(body, None)

    def stream(self, prompt: Sequence[int], *, max_tokens: int, take: Callable[[TextPiece], bool]) -> None:
        """Greedy completion of token ids, handed over piece by piece until ``take`` returns True."""
        body = _body(prompt, max_tokens=max_tokens, reuse=True) | {"stream": True, "timings_per_token": True}
        failures: list[BaseException] = []

        def chunk(data: object) -> bool:
            # An exception must not cross native code: it is kept, the stream is stopped, and it is raised below.
            try:
                return take(_piece(data))
            except BaseException as error:
                failures.append(error)
                return True

        self._call(body, chunk)
        if failures:
            raise failures[0]

    def _call(self, body: dict[str, Any], callback: Callable[[object], bool] | None) -> dict[str, Any]:
        with self._lock:
            if self._server is None:
                raise JudgeError("the judge is closed")
            got = (
                self._server.handle_completions(body)
                if callback is None
                else self._server.handle_completions(body, callback)
            )
        return _decoded(got) if callback is None else {}

    def _http(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask the loopback port, past any proxy, on a connection of its own (idle ones are closed by the server)."""
        with self._lock:
            if self._server is None:
                raise JudgeError("the judge is closed")
            connection = http.client.HTTPConnection(
                str(self._server.listening_address).removeprefix("http://"), timeout=_TIMEOUT_SECONDS
            )
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode("ascii")
            try:
                connection.request("GET" if data is None else "POST", path, body=data, headers=headers)
                answer = connection.getresponse().read()
            except (OSError, http.client.HTTPException) as error:
                raise JudgeError(f"llama.cpp does not answer {path}: {error!r}", retryable=True) from error
            finally:
                connection.close()
        return _decoded(answer)


def _start(xllamacpp: Any, path: Path, *, settings: EngineSettings, key: str) -> Any:  # noqa: ANN401 - native module
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = settings.n_ctx
    # One slot: with several, what else is in the batch can change a presentation's log probabilities.
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = settings.n_batch
    params.flash_attn_type = (
        xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        if settings.flash_attention
        else xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    )
    params.n_gpu_layers = 0
    # Only the live context counts as cache; nothing is shifted, shrunk or brought back behind our back.
    params.cache_ram_mib = 0
    params.ctx_shift = False
    params.fit_params = False
    params.warmup = False
    params.verbosity = -1
    params.api_keys = [key]
    params.ui = False
    params.endpoint_slots = False
    threads = settings.threads or _allowed_cores()
    if threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError, OSError) as error:
        raise JudgeError(f"llama.cpp can't load {path}: {error}") from error


def _allowed_cores() -> int | None:
    """Cores that this process may use where that is fewer than there are; None leaves the choice to llama.cpp."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = len(os.sched_getaffinity(0))
    return allowed if allowed < (os.cpu_count() or allowed) else None


def _body(prompt: Sequence[int], *, max_tokens: int, reuse: bool) -> dict[str, Any]:
    # Temperature 0 is greedy in llama.cpp whatever the other samplers; penalties are named so that no default enters.
    return {
        "prompt": list(prompt),
        "max_tokens": max_tokens,
        "temperature": 0,
        "top_k": 1,
        "repeat_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "cache_prompt": reuse,
        "id_slot": 0,
    }


def _decoded(answer: Any) -> dict[str, Any]:  # noqa: ANN401 - what the engine says is not typed
    got = json.loads(answer) if isinstance(answer, (str, bytes)) else answer
    if not isinstance(got, dict):
        raise JudgeError(f"llama.cpp answered {str(got)[:200]!r}", retryable=True)
    if "error" in got:
        problem = got["error"]
        message = problem.get("message", problem) if isinstance(problem, dict) else problem
        raise JudgeError(f"llama.cpp: {str(message)[:500]}")
    return got


def _piece(data: Any) -> TextPiece:  # noqa: ANN401 - what the engine says is not typed
    got = _decoded(data)
    choice = got["choices"][0]
    return TextPiece(
        text=choice.get("text") or "",
        tokens=int(got["timings"]["predicted_n"]),
        stopped=choice.get("finish_reason") == "stop",
    )
