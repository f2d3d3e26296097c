"""The manifest of a run as JSON: the text of ``run.json``."""

from __future__ import annotations

import json

from evenhand.errors import StoreError
from evenhand.records import SCHEMA_VERSION, RunManifest
from evenhand.store.codec import dump, load

__all__ = ["manifest_from_json", "manifest_to_json"]


def manifest_to_json(manifest: RunManifest) -> str:
    """The manifest as indented JSON, ending in a line feed."""
    return dump(manifest, indent=2) + "\n"


def manifest_from_json(text: str) -> RunManifest:
    """Read :func:`manifest_to_json`'s text.

    Raises
    ------
    StoreError
        The run format is newer than this version reads.
    DataError
        Not a manifest: the message names the field.

    Examples
    --------
    >>> manifest_from_json('{"schema_version": 999}')
    Traceback (most recent call last):
        ...
    evenhand.errors.StoreError: run format 999 is newer than the 2 that this version of Evenhand reads: update Evenhand
    """
    # A newer format may have fields that this version can't know, so the version is looked at before anything else.
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    version = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise newer_format(version)
    return load(RunManifest, text, what="manifest")


def newer_format(version: int) -> StoreError:
    """The refusal of a run that a later version wrote."""
    return StoreError(
        f"run format {version} is newer than the {SCHEMA_VERSION} that this version of Evenhand reads: update Evenhand"
    )
