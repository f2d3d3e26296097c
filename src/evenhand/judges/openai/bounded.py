"""How much of an answer is read: a server that sends without end must not fill this machine's memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

__all__ = ["MAX_BYTES", "BodyError", "bound_body"]

MAX_BYTES = 32 * 2**20
"""A text of 1,500 tokens with 20 log probabilities at each has about 3 MB as JSON."""


class BodyError(Exception):
    """A body that we don't read on."""


async def bound_body(response: httpx2.Response) -> None:
    """A hook on responses: refuse compressed bodies, which may be any size, and end long ones at :data:`MAX_BYTES`.

    Raises
    ------
    BodyError
        The body is compressed, though we ask for it plain.
    """
    import httpx2

    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise BodyError(f"the body is sent as {coding[:20]!r} though asked for plain")
    plain = response.stream

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in plain:  # type: ignore[union-attr] # an async client has async streams
                read += len(part)
                if read > MAX_BYTES:
                    raise BodyError(f"the body is longer than {MAX_BYTES // 2**20} MiB")
                yield part

        async def aclose(self) -> None:
            await plain.aclose()  # type: ignore[union-attr] # as above

    response.stream = Bounded()
