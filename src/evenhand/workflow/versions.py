"""What a run was made with, and when."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

__all__ = ["now", "versions"]

_PACKAGES = ("evenhand", "numpy", "scipy", "polars", "xllamacpp", "openai", "torch", "transformers", "vllm", "ray")


def versions() -> tuple[tuple[str, str], ...]:
    """Python, platform and the packages whose version can change a figure; those absent are left out."""
    found = [("python", platform.python_version()), ("platform", platform.platform(terse=True))]
    for package in _PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return tuple(found)


def now() -> str:
    """The time in UTC as ISO 8601, to the second."""
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
