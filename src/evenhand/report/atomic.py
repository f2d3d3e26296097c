"""Files that are whole or not there: written beside their place, then renamed onto it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_bytes", "write_text"]


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file's content in one step; a reader sees the old file or the new one, never half of it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """The same for text, as UTF-8. A lone surrogate that slipped through is written as its escape, never a crash."""
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))
