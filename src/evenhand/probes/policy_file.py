"""A policy as a file: JSON that nobody changed, whole or not there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.errors import DataError, StoreError
from evenhand.probes.policy import SwapPolicy
from evenhand.records import content_hash
from evenhand.store.atomic import write_text_atomically
from evenhand.store.bounded import read_bounded
from evenhand.store.codec import decode, dump, encode, load

__all__ = ["load_policy", "policy_path", "save_policy"]

_FORMAT: Final = "evenhand swap policy"
_VERSION: Final = 1
_LARGEST: Final = 1 << 20
"""Bytes. A policy is a page of JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PolicyFile:
    format: str
    version: int
    policy: SwapPolicy
    sha256: str


def _checksum(policy: SwapPolicy) -> str:
    # As a reader will have it: a whole number in a field of floats would else hash otherwise there than here.
    return content_hash(encode(load(SwapPolicy, dump(policy), what="policy")))


def save_policy(path: Path, policy: SwapPolicy) -> Path:
    """Write a policy as JSON, whole or not at all; the folder is made where it isn't there.

    Raises
    ------
    StoreError
        It can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path.parent}: can't be made ({error.strerror or error})") from error
    file = _PolicyFile(format=_FORMAT, version=_VERSION, policy=policy, sha256=_checksum(policy))
    write_text_atomically(path, dump(file, indent=2) + "\n")
    return path


def policy_path(path: Path) -> Path:
    """Where a policy named so lies: ``NAME`` is ``NAME.json``.

    Examples
    --------
    >>> [policy_path(Path(name)).name for name in ("policy.json", "qwen3-1.7b")]
    ['policy.json', 'qwen3-1.7b.json']
    """
    return path if path.name.endswith(".json") else path.with_name(f"{path.name}.json")


def load_policy(path: Path) -> SwapPolicy:
    """Read a policy and check every field, and that nothing was changed: a guarantee is of the threshold beside it.

    Raises
    ------
    DataError
        Missing, damaged, changed, not a policy, or of a newer format; the message names the file and field.
    """
    data = read_bounded(path, most=_LARGEST, what="policy")
    try:
        tree = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError("not a policy: it isn't JSON", path=path) from error
    if not isinstance(tree, dict) or tree.get("format") != _FORMAT:
        raise DataError("not a policy of evenhand triage", path=path, field="format")
    version = tree.get("version")
    if version != _VERSION:
        later = isinstance(version, int) and version > _VERSION
        problem = f"is {version!r:.40}; this version of Evenhand reads {_VERSION}{': update Evenhand' if later else ''}"
        raise DataError(problem, path=path, field="version")
    try:
        file = decode(_PolicyFile, tree, what="policy")
    except DataError as error:
        raise DataError(error.problem, path=path) from error
    if file.sha256 != _checksum(file.policy):
        raise DataError(
            "doesn't fit its own checksum: it was changed after it was written, or is damaged",
            path=path,
            remedy="make it with evenhand triage --save",
        )
    return file.policy
