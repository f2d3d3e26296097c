"""The user's rewrites beside a run's journal: a copy, so that the run can be analysed again without the user's file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import DataError, StoreError
from evenhand.records import Pair, RunManifest, VariantsIdentity
from evenhand.store.atomic import write_bytes_atomically

if TYPE_CHECKING:
    from evenhand.perturbations.variants import Variants

__all__ = ["keep_variants", "kept_variants", "variants_name"]

_NAMED_BY = 16  # digits of the hash: a copy is never written over by another file's


def variants_name(identity: VariantsIdentity) -> str:
    """The copy's file name; it follows from what is in it, and ends as the user's file does.

    Examples
    --------
    >>> variants_name(VariantsIdentity(spec="data/mine.csv", rewrites=3, sha256="0123456789abcdef0123"))
    'variants-0123456789abcdef.csv'
    """
    return f"variants-{identity.sha256[:_NAMED_BY]}{Path(identity.spec).suffix}"


def keep_variants(directory: Path, path: str | Path, manifest: RunManifest) -> None:
    """Copy the user's file into the run's directory, whole or not at all.

    Raises
    ------
    DataError
        It can't be read, or isn't the file any more that the plan was made with.
    StoreError
        The directory can't be written.
    """
    identity = manifest.variants
    if identity is None:
        return
    target = directory / variants_name(identity)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"can't be read ({error.strerror or error})", path=Path(path)) from error
    if not _is(data, identity):
        raise DataError("was changed while it was read", path=Path(path), remedy="start again")
    if not _kept(target, identity):
        write_bytes_atomically(target, data)


def kept_variants(directory: Path, manifest: RunManifest, pairs: Sequence[Pair]) -> Variants | None:
    """The rewrites that a run was made with; None where it was made without.

    Raises
    ------
    StoreError
        The copy is gone, or isn't the file any more that the run was made with.
    """
    from evenhand.perturbations.variants import load_variants

    identity = manifest.variants
    if identity is None:
        return None
    path = directory / variants_name(identity)
    if not _kept(path, identity):
        raise StoreError(
            f"{path}: the copy of the run's rewrites is missing or was changed; the command that made the run, with "
            f"--variants {identity.spec}, puts it back and asks nothing again"
        )
    return load_variants(path, pairs, partial=True)  # its rewrites of pairs beyond the run's limit are there too


def _kept(path: Path, identity: VariantsIdentity) -> bool:
    try:
        return _is(path.read_bytes(), identity)
    except OSError:
        return False


def _is(data: bytes, identity: VariantsIdentity) -> bool:
    return hashlib.sha256(data).hexdigest() == identity.sha256
