"""The server on loopback: one socket, one process, ended by Ctrl-C."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Final

from evenhand.errors import ConfigError, EvenhandError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["HOSTS", "ServeError", "address_of", "bound", "serve"]

HOSTS: Final = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1"}
"""Addresses that only this machine reaches, by the names they may be given under."""

_GRACE_SECONDS: Final = 2
_MOST_AT_ONCE: Final = 64


class ServeError(EvenhandError):
    """The server can't listen where it should."""

    exit_code = 3


def bound(host: str, port: int) -> socket.socket:
    """A socket on loopback; port 0 takes a free one.

    Raises
    ------
    ConfigError
        A host that other machines could reach.
    ServeError
        The port is in use, or may not be used.
    """
    address = HOSTS.get(host)
    if address is None:
        raise ConfigError(
            f"host {host!r}: the pages show everything in a run, so they are served on this machine only: "
            f"{', '.join(HOSTS)} (from elsewhere: ssh -L PORT:127.0.0.1:PORT)"
        )
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind((address, port))
        listening.listen(_MOST_AT_ONCE)
    except OSError as error:
        listening.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"can't be used ({error.strerror or error})"
        raise ServeError(f"port {port} of {address} {why}: name another with --port, or leave it out") from error
    return listening


def address_of(listening: socket.socket, token: str) -> str:
    """The link that opens the pages.

    Examples
    --------
    >>> with bound("127.0.0.1", 0) as listening:
    ...     address_of(listening, "secret").startswith("http://127.0.0.1:")
    True
    """
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/?token={token}"


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer until Ctrl-C (or SIGTERM); what is being answered then is answered first, for a moment."""
    import uvicorn

    config = uvicorn.Config(
        app,
        access_log=False,  # uvicorn's has the query, and with it the token
        log_level="error",
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=_MOST_AT_ONCE,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])
