"""A Ray cluster: one of our own on this machine, started quietly and stopped without a trace, or one that exists."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.errors import ConfigError, JudgeError, install_hint

__all__ = ["RayCluster", "import_ray"]

_OBJECT_STORE = 80 * 2**20
"""Bytes of shared memory; Ray wants at least 75 MiB. Requests and answers are small: few pass through it."""
_KNOCK_SECONDS = 10.0
_LONGEST_DIRECTORY = 30
"""Ray keeps sockets below its directory, and a socket's whole path may have 107 bytes."""


def import_ray() -> Any:  # noqa: ANN401 - a module that may be missing
    """The library.

    Raises
    ------
    ConfigError
        It is not installed.
    """
    try:
        return import_module("ray")
    except ImportError as error:
        raise ConfigError(f"the ray executor needs ray ({error}): {install_hint('ray')}") from error


class RayCluster:
    """A connection to a cluster; ours to stop only where we started it.

    A cluster of our own has no dashboard and sends no usage statistics, and its files lie in a temporary directory that
    goes with it. Environment variables, API keys among them, reach its workers by inheritance alone: nothing is put
    into Ray's job description. Where the process is already connected to a cluster, that one is used and left as it is.

    Parameters
    ----------
    address
        None: a cluster of our own. Else what ``ray.init`` takes, such as ``auto`` or ``ray://HOST:10001``.

    Raises
    ------
    ConfigError
        Ray is not installed.
    JudgeError
        No cluster can be started or reached.
    """

    def __init__(self, *, address: str | None) -> None:
        self.ray = import_ray()
        self._directory: Path | None = None
        self._unhook: Any = None
        self.connected_by_us = not self.ray.is_initialized()
        self.started_by_us = self.connected_by_us and address is None
        if not self.connected_by_us:
            return
        try:
            if address is not None:
                _knock(address)
            with _no_usage_statistics(), _sigterm_left_alone():
                self._connect(address)
        except (RuntimeError, ConnectionError, OSError, ValueError, TimeoutError) as error:
            self.close()
            where = "a Ray cluster on this machine" if address is None else f"the Ray cluster at {address}"
            raise JudgeError(f"can't start or reach {where}: {_one_line(error)}") from error
        except BaseException:
            self.close()
            raise

    @property
    def logs(self) -> Path | None:
        """Where workers' output goes, where the cluster is ours."""
        return None if self._directory is None else self._directory / "session_latest" / "logs"

    def check_room(self, workers: int, needs: Mapping[str, float]) -> None:
        """Refuse workers that would wait for ever for cores or GPUs that this machine hasn't.

        A cluster that exists may grow, so only one of our own is checked.
        """
        if not self.started_by_us:
            return
        total = self.ray.cluster_resources()
        for name, each in needs.items():
            if workers * each > total.get(name, 0.0) + 1e-9:
                raise ConfigError(
                    f"{workers} workers need {workers * each:g} {name} ({each:g} each), this machine has "
                    f"{total.get(name, 0.0):g}: ask for fewer workers, or less for each"
                )

    def close(self, *, keep_logs: bool = False) -> None:
        """Leave the cluster; stop it where it is ours. Closing twice is harmless."""
        if self.connected_by_us:
            self.connected_by_us = False
            with suppress(RuntimeError):
                self.ray.shutdown()
        if self._unhook is not None:
            self._unhook()
            self._unhook = None
        if self._directory is not None and not keep_logs:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def _connect(self, address: str | None) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        self._unhook = _silence_raylet()
        if address is not None:
            self.ray.init(address=address, **quiet)
            return
        place: dict[str, Any] = {}
        # Where the user's directory for temporary files has a long name, Ray's own default is taken.
        if len(tempfile.gettempdir()) <= _LONGEST_DIRECTORY:
            self._directory = Path(tempfile.mkdtemp(prefix="eh-ray-"))
            place["_temp_dir"] = str(self._directory)
        self.ray.init(
            # Not None: that would join whatever cluster RAY_ADDRESS or this machine's own files name.
            address="local",
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE,
            **place,
            **quiet,
        )


@contextmanager
def _no_usage_statistics() -> Iterator[None]:
    """Ray reads it from the environment, where the cluster's processes have it from us."""
    name = "RAY_USAGE_STATS_ENABLED"
    before = os.environ.get(name)
    os.environ[name] = "0"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


@contextmanager
def _sigterm_left_alone() -> Iterator[None]:
    """Undo what ``ray.init`` does to SIGTERM.

    It would exit the process at once, also in the middle of writing an answer down; here
    :class:`evenhand.runner.interrupts.Interrupts` waits for it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _knock(address: str) -> None:
    """See whether anybody listens at HOST:PORT: Ray tries for several minutes, and prints while it does."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        with socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS):
            pass


def _silence_raylet() -> Any:  # noqa: ANN401 - what undoes it
    """Keep the notice of a worker's death off standard output, where it would spoil ``--json``.

    ``log_to_driver=False`` leaves that one notice on (ray 2.60, ``listen_error_messages``). A version that has no such
    function prints what it prints.
    """
    module = import_module("ray._private.worker")
    name = "print_to_stdstream"
    before = getattr(module, name, None)
    if before is None:
        return None
    log = logging.getLogger("evenhand.ray")

    def note(data: Mapping[str, Any], *args: object, **options: object) -> None:  # noqa: ARG001 - its signature
        log.debug("%s", " ".join(map(str, data.get("lines", ()))))

    setattr(module, name, note)
    return lambda: setattr(module, name, before)


def _one_line(error: BaseException) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:500]
