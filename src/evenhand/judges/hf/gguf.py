"""GGUF files through transformers: the weights dequantised, and the tokenizer cutting text as the file says."""

from __future__ import annotations

import contextlib
import io
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from evenhand.errors import ConfigError

if TYPE_CHECKING:
    import torch

__all__ = ["from_gguf", "pretokenizer_name", "repair_pretokenizer"]

_DIGITS_APART = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"})
"""GGUF names of pre-tokenizers that cut every digit off before GPT-2's own pattern (llama.cpp, ``llama-vocab.cpp``).
transformers leaves that out, and numbers would become other tokens than the model was trained with."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
"""Value types of GGUF 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""


def from_gguf(path: Path, config: Any, *, dtype: torch.dtype, attention: str) -> Any:  # noqa: ANN401
    """A dequantised model; ``from_pretrained(gguf_file=…)`` does the same and insists on accelerate besides."""
    import torch
    import transformers
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    # Functions of transformers without types.
    make: Any = transformers.AutoModelForCausalLM.from_config
    read: Any = load_gguf_checkpoint
    with torch.device("meta"):
        shape = make(config)
    # Its progress bar knows no switch.
    with contextlib.redirect_stderr(io.StringIO()):
        state = read(str(path), return_tensors=True, model_to_load=shape, torch_dtype=dtype)["tensors"]
    return type(shape).from_pretrained(
        None, config=config, state_dict=state, dtype=dtype, attn_implementation=attention
    )


def pretokenizer_name(path: Path) -> str | None:
    """What a GGUF file calls its way to cut text into words (``tokenizer.ggml.pre``); None where it doesn't say.

    Raises
    ------
    ConfigError
        It is no GGUF file of version 2 or 3, or ends too early.
    """
    try:
        with path.open("rb") as file:
            magic, version, _, fields = struct.unpack("<4sIQQ", file.read(24))
            if magic != b"GGUF" or version not in (2, 3):
                raise ConfigError(f"model file {path} is not GGUF version 2 or 3")
            for _ in range(fields):
                name = _text(file)
                value = _value(file, *struct.unpack("<I", file.read(4)))
                if name == "tokenizer.ggml.pre":
                    return str(value)
    except (struct.error, KeyError, UnicodeDecodeError) as error:
        raise ConfigError(f"model file {path} is damaged: its header can't be read ({error})") from error
    return None


def _text(file: BinaryIO) -> str:
    (size,) = struct.unpack("<Q", file.read(8))
    return file.read(size).decode()


def _value(file: BinaryIO, kind: int) -> object:
    """A value; of an array, which nobody asks for, only the place behind it."""
    if kind == _TEXT:
        return _text(file)
    if kind == _ARRAY:
        inner, size = struct.unpack("<IQ", file.read(12))
        if inner in _SCALARS:
            file.seek(size * struct.calcsize(_SCALARS[inner]), io.SEEK_CUR)
        else:
            for _ in range(size):
                _value(file, inner)
        return None
    form = "<" + _SCALARS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def repair_pretokenizer(tokenizer: Any, name: str | None) -> None:  # noqa: ANN401
    """Make a byte-level tokenizer that was read from a GGUF file cut digits off, where the file's kind does."""
    from tokenizers import pre_tokenizers

    backend = getattr(tokenizer, "backend_tokenizer", None)
    if name in _DIGITS_APART and backend is not None:
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
