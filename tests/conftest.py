import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def sigint_as_at_a_terminal() -> Iterator[None]:
    """A shell that starts tests in the background has them ignore Ctrl-C, and their children too; here they don't."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
