"""From a local folder, a GGUF file or a hub name to a model and its tokenizer: safetensors only, no code of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError, JudgeError, install_hint
from evenhand.judges.hf.gguf import from_gguf, pretokenizer_name, repair_pretokenizer
from evenhand.records import content_hash, file_sha256

if TYPE_CHECKING:
    import torch

__all__ = ["Loaded", "Source", "find_source", "load", "versions"]

_DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a model comes from.

    Attributes
    ----------
    name
        A hub name, or the folder's path.
    folder
        None for the hub.
    gguf
        A GGUF file's name in there, if the weights come from one.
    revision
        Hub revision that was asked for.
    local_files_only
        Never ask the network.
    """

    name: str
    folder: Path | None = None
    gguf: str | None = None
    revision: str | None = None
    local_files_only: bool = False

    @property
    def model(self) -> str:
        """The model's name as people know it."""
        if self.folder is None:
            return self.name
        return self.gguf or self.folder.resolve().name


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model with its tokenizer.

    Attributes
    ----------
    revision
        The hub's commit, or the SHA-256 over the local files.
    dtype, attention
        What the model computes in, and how its attention is computed.
    generation_ends
        Tokens that its generation configuration says end a text.
    pretokenizer
        What a GGUF file calls its way to cut text into words; None for other files.
    """

    model: Any
    tokenizer: Any
    revision: str
    dtype: str
    attention: str
    generation_ends: frozenset[int]
    pretokenizer: str | None = None


def find_source(rest: str, *, spec: str, gguf_file: str | None, revision: str | None, local_files_only: bool) -> Source:
    """Tell a folder, a GGUF file and a hub name apart, and refuse what can't be loaded safely.

    Raises
    ------
    ConfigError
        No such file or folder, no safetensors in it, or a revision of something local.
    """
    path = Path(rest).expanduser()
    given = {"revision": revision, "local_files_only": local_files_only}
    if rest.lower().endswith(".gguf"):
        if not path.is_file():
            raise ConfigError(f"judge {spec!r}: model file {path}: no such file")
        source = Source(name=str(path.parent), folder=path.parent, gguf=path.name, **given)  # type: ignore[arg-type]
    elif path.is_dir():
        source = Source(name=str(path), folder=path, gguf=gguf_file, **given)  # type: ignore[arg-type]
        _check_folder(source, spec=spec)
    elif path.exists() or rest.startswith(("/", ".", "~")) or rest.count("/") > 1:
        raise ConfigError(f"judge {spec!r}: {path} is no folder with a model, no .gguf file and no hub name")
    else:
        source = Source(name=rest, gguf=gguf_file, **given)  # type: ignore[arg-type]
    if source.folder is not None and revision is not None:
        raise ConfigError(f"judge {spec!r}: revision={revision!r} is for hub models; local files are pinned by SHA-256")
    return source


def _check_folder(source: Source, *, spec: str) -> None:
    folder = source.folder or Path()
    if source.gguf is not None:
        if not (folder / source.gguf).is_file():
            raise ConfigError(f"judge {spec!r}: gguf_file={source.gguf!r}: no such file in {folder}")
        return
    if not (folder / "config.json").is_file():
        raise ConfigError(f"judge {spec!r}: {folder} has no config.json: expected a model as transformers saves it")
    if not any(folder.glob("*.safetensors")):
        pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for path in folder.glob(pattern))
        found = f"only {pickles[0]}, which can run code when it is loaded" if pickles else "no weights"
        raise ConfigError(
            f"judge {spec!r}: {folder} has {found}: expected *.safetensors (convert with save_pretrained)"
        )


def load(source: Source, *, dtype: str, device: str, attention: str) -> Loaded:
    """Load model and tokenizer.

    Parameters
    ----------
    source
        What :func:`find_source` found.
    dtype
        ``auto``: bfloat16 on CUDA, else float32.
    device
        ``auto``: CUDA where there is one, else the processor.
    attention
        ``auto``: ``eager`` where the model caps its attention scores (Gemma 2), which ``sdpa`` would leave out.

    Raises
    ------
    ConfigError
        The extra is not installed, the device is not there, or the model needs code of its own.
    JudgeError
        It can't be loaded; retryable where the network failed.
    """
    try:
        import torch  # noqa: F401 - named here, so that a missing one is told apart
        import transformers
    except ImportError as error:
        raise ConfigError(f"transformers judges need {error.name}: {install_hint('transformers')}") from error
    where = _device(device)
    number = _dtype(dtype, where)
    place = {"revision": source.revision, "local_files_only": source.local_files_only, "trust_remote_code": False}
    if source.gguf is not None:
        place["gguf_file"] = source.gguf
    with _said_as_ours(source), _without_bars():
        config = transformers.AutoConfig.from_pretrained(source.name, **place)
        tokenizer = transformers.AutoTokenizer.from_pretrained(source.name, **place)
        commit = getattr(config, "_commit_hash", None)
        chosen = _attention(config, attention)
        if source.gguf is not None:
            path = _gguf_path(source)
            pretokenizer = pretokenizer_name(path)
            repair_pretokenizer(tokenizer, pretokenizer)
            model = from_gguf(path, config, dtype=number, attention=chosen)
        else:
            pretokenizer = None
            model = transformers.AutoModelForCausalLM.from_pretrained(
                source.name, **place, config=config, dtype=number, attn_implementation=chosen, use_safetensors=True
            )
        model = model.to(where).eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return Loaded(
        model=model,
        tokenizer=tokenizer,
        revision=str(commit) if source.folder is None and commit else _files_hash(source, tokenizer),
        dtype=str(number).removeprefix("torch."),
        attention=chosen,
        generation_ends=_ends(model, tokenizer),
        pretokenizer=pretokenizer,
    )


def _device(name: str) -> str:
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(name).type
    except RuntimeError as error:
        raise ConfigError(f"device={name!r}: expected auto, cpu, cuda, cuda:N or mps") from error
    there = {
        "cpu": True,
        "cuda": (torch.device(name).index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if kind not in there:
        raise ConfigError(f"device={name!r}: expected auto, cpu, cuda, cuda:N or mps")
    if not there[kind]:
        raise ConfigError(f"device={name!r}: this machine has none (torch {torch.__version__})")
    return name


def _dtype(name: str, device: str) -> torch.dtype:
    import torch

    if name == "auto":
        name = "bfloat16" if device.startswith("cuda") else "float32"
    if name not in _DTYPES:
        raise ConfigError(f"dtype={name!r}: expected auto, {', '.join(_DTYPES)}")
    found: torch.dtype = getattr(torch, name)
    return found


def _attention(config: Any, asked: str) -> str:  # noqa: ANN401 - any configuration of transformers
    capped = getattr(config.get_text_config(decoder=True), "attn_logit_softcapping", None) is not None
    if asked == "auto":
        return "eager" if capped else "sdpa"
    if asked == "sdpa" and capped:
        raise ConfigError("attn='sdpa' leaves out this model's cap on attention scores: use attn=eager, or auto")
    return asked


@contextmanager
def _said_as_ours(source: Source) -> Iterator[None]:
    """Errors of the libraries as one line that names the model."""
    try:
        yield
    except (ConfigError, JudgeError):
        raise
    except ImportError as error:
        raise ConfigError(f"model {source.model} needs a package that is not installed: {_line(error)}") from error
    except ValueError as error:
        if "trust_remote_code" in str(error):
            raise ConfigError(
                f"model {source.model} comes with code of its own, which Evenhand does not run: "
                "choose a model that transformers knows"
            ) from error
        raise ConfigError(f"model {source.model} can't be loaded: {_line(error)}") from error
    except OSError as error:
        raise JudgeError(
            f"model {source.model} can't be loaded: {_line(error)}", retryable=source.folder is None
        ) from error
    except Exception as error:  # whatever damaged files raise in tokenizers, safetensors or gguf
        raise JudgeError(f"model {source.model} can't be loaded: {type(error).__name__}: {_line(error)}") from error


def _line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:300] or type(error).__name__


@contextmanager
def _without_bars() -> Iterator[None]:
    from transformers.utils import logging

    bars: Any = logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


def _gguf_path(source: Source) -> Path:
    if source.folder is not None:
        return source.folder / str(source.gguf)
    from huggingface_hub import hf_hub_download

    return Path(
        hf_hub_download(
            source.name, str(source.gguf), revision=source.revision, local_files_only=source.local_files_only
        )
    )


def _files_hash(source: Source, tokenizer: Any) -> str:  # noqa: ANN401
    folder = source.folder
    if folder is None:
        # A hub that tells no commit (a mirror): at least the tokenizer and what was asked for are pinned.
        return f"{source.revision or 'unknown'}+sha256:{content_hash(tokenizer.backend_tokenizer.to_str())}"
    if source.gguf is not None:
        return f"sha256:{file_sha256(folder / source.gguf)}"
    patterns = ("*.safetensors", "*.json", "*.jinja", "*.model")
    files = sorted({path for pattern in patterns for path in folder.glob(pattern)})
    return f"sha256:{content_hash([[path.name, file_sha256(path)] for path in files])}"


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:  # noqa: ANN401
    found: set[int] = set()
    named: tuple[object, ...] = (
        getattr(model.generation_config, "eos_token_id", None),
        getattr(model.config.get_text_config(decoder=True), "eos_token_id", None),
        tokenizer.eos_token_id,
    )
    for value in named:
        if isinstance(value, int):
            found.add(value)
        elif isinstance(value, list | tuple):
            found.update(int(token) for token in value)
    return frozenset(found)


def versions() -> Mapping[str, str]:
    """Versions of what computes: torch, transformers and tokenizers."""
    from importlib.metadata import version

    return {name: version(name) for name in ("torch", "transformers", "tokenizers")}
