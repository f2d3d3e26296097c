"""The one place that imports matplotlib: quiet where the user's directories can't be written."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType

__all__ = ["load_matplotlib"]


def load_matplotlib() -> ModuleType:
    """Import matplotlib, with a temporary directory for its settings and caches where it could write none.

    It would take one itself, and say so in two lines on stderr. ``MPLCONFIGDIR`` is set for this process only, and
    never where the user set it or matplotlib is loaded already. The directory is removed when the process ends.
    """
    chosen = "matplotlib" in sys.modules or os.environ.get("MPLCONFIGDIR")
    if not chosen and not all(map(_writable, _defaults())):
        with suppress(OSError):  # no temporary directory either: matplotlib says what it lacks
            directory = tempfile.mkdtemp(prefix="evenhand-matplotlib-")
            atexit.register(shutil.rmtree, directory, ignore_errors=True)
            os.environ["MPLCONFIGDIR"] = directory
    import matplotlib as mpl

    return mpl


def _defaults() -> tuple[Path, ...]:
    """Where matplotlib keeps settings and caches by default.

    Reference: https://matplotlib.org/stable/install/environment_variables_faq.html
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is no home
    if not sys.platform.startswith(("linux", "freebsd")):
        return (home / ".matplotlib",)
    config = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    cache = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return (Path(config) / "matplotlib", Path(cache) / "matplotlib")


def _writable(directory: Path) -> bool:
    """Whether the directory can be written, or made, since the nearest one above it that exists can be written."""
    try:
        while not directory.exists() and directory != directory.parent:
            directory = directory.parent
        return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
    except OSError:
        return False
