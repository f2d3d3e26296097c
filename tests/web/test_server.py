from __future__ import annotations

import socket

import pytest

from evenhand.errors import ConfigError
from evenhand.web.server import ServeError, address_of, bound


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "example.org", "192.168.0.1", "127.0.0.2", "127.0.0.1 "])  # noqa: S104
def test_what_other_machines_reach_is_refused(host: str) -> None:
    with pytest.raises(ConfigError, match=r"this machine only.*ssh -L"):
        bound(host, 0)


def test_a_free_port_is_taken_on_loopback() -> None:
    with bound("localhost", 0) as one, bound("127.0.0.1", 0) as two:
        assert one.getsockname()[0] == two.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != two.getsockname()[1]
        assert address_of(one, "t0k") == f"http://127.0.0.1:{one.getsockname()[1]}/?token=t0k"


def test_a_port_in_use_is_one_line_and_can_be_tried_again() -> None:
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ServeError, match=rf"port {port} of 127\.0\.0\.1 is in use: name another with --port"
        ) as found:
            bound("127.0.0.1", port)
        assert found.value.exit_code == 3


def test_the_link_of_a_longer_address_has_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        listening = bound("::1", 0)
    except ServeError as error:
        pytest.skip(f"no IPv6 loopback: {error}")
    with listening:
        assert address_of(listening, "t").startswith("http://[::1]:")
