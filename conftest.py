"""What all tests share, the doctests in src among them."""

import signal


def pytest_configure() -> None:
    """Heed Ctrl-C: a shell that starts tests in the background has them ignore it, and their children too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
