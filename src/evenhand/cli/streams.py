"""Standard output that can't say everything, is full, or whose reader has gone: no traceback for any of them."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

__all__ = ["abandon_output", "flush_output", "open_closed_streams", "reader_may_leave", "tolerate_narrow_encodings"]

_HANDLER = "evenhand-plain"

_PLAIN = str.maketrans(
    {
        "\u00a0": " ",
        "\u202f": " ",
        "–": "-",
        "—": "-",
        "−": "-",
        "×": "x",
        "·": ".",
        "•": "*",
        "…": "...",
        "✓": "+",
        "“": '"',
        "”": '"',
        "’": "'",
        "─": "-",
        "│": "|",
        "╭": "+",
        "╮": "+",
        "╯": "+",
        "╰": "+",
    }
)
"""What our own text uses beyond ASCII, in ASCII; anything else is escaped."""


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Stand-ins for characters that the stream's encoding hasn't.

    Examples
    --------
    >>> tolerate_narrow_encodings()
    >>> "19.5 % [10.2–34.0]".encode("ascii", "evenhand-plain")
    b'19.5 % [10.2-34.0]'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def tolerate_narrow_encodings() -> None:
    """Let stdout and stderr write in ASCII what their encoding hasn't (``LANG=C``, a Windows pipe), not fail at it."""
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.casefold().replace("_", "-") not in ("utf-8", "utf8"):
            stream.reconfigure(errors=_HANDLER)


def open_closed_streams() -> None:
    """Stand in for standard streams that whoever started us had closed (``>&-``, some services): they lead nowhere.

    Without one, Python has None for the stream, and the next file that is opened gets its number: what a library then
    writes to standard output would go into a run's journal.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def flush_output() -> None:
    """Write out what is buffered, so that a full disk or a closed pipe shows now and not as the interpreter ends.

    Raises
    ------
    OSError
        It can't be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print, and go on where the reader went away (as of `| head`): what is decided later keeps its exit code."""
    try:
        yield
    except BrokenPipeError:
        abandon_output()


def abandon_output() -> None:
    """Send what is still buffered for stdout nowhere: the interpreter would try to write it again as it ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
