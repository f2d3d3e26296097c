import os
import signal

import pytest

from evenhand.runner.interrupts import Interrupts

ENDINGS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


@pytest.fixture(autouse=True)
def as_a_terminal_starts_a_program():
    """nohup and a shell's background jobs start pytest with signals ignored, which Interrupts would leave alone."""
    usual = [signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL]
    before = [signal.signal(number, action) for number, action in zip(ENDINGS, usual, strict=False)]
    yield
    for number, action in zip(ENDINGS, before, strict=True):
        signal.signal(number, action)


@pytest.mark.parametrize("number", ENDINGS)
def test_a_signal_raises_at_once_outside_and_at_the_end_of_a_held_block(number):
    trail = []
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        with pytest.raises(KeyboardInterrupt), interrupts.held_back():  # noqa: PT012 - where it raises is the test
            os.kill(os.getpid(), number)
            trail.append("written")
        with interrupts.held_back():
            trail.append("no signal, no interrupt")
    assert trail == ["written", "no signal, no interrupt"]


@pytest.mark.parametrize("number", ENDINGS)
def test_an_error_in_a_held_block_is_not_hidden(number):
    with Interrupts() as interrupts:
        with pytest.raises(ZeroDivisionError), interrupts.held_back():  # noqa: PT012 - the signal comes first
            os.kill(os.getpid(), number)
            raise ZeroDivisionError
        with pytest.raises(KeyboardInterrupt), interrupts.held_back():  # the signal is remembered
            pass


@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.parametrize("own", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "the host's"])
def test_what_the_host_installed_is_left_alone(number, own):
    before = signal.signal(number, own)
    try:
        with Interrupts():
            assert signal.getsignal(number) is own
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is own
    finally:
        signal.signal(number, before)


def test_handlers_are_restored_after_an_error():
    before = [signal.getsignal(number) for number in ENDINGS]
    with pytest.raises(ZeroDivisionError), Interrupts():  # noqa: PT012 - the error inside is the test
        assert [signal.getsignal(number) for number in ENDINGS] != before
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in ENDINGS] == before


def test_the_first_signal_can_be_softened_and_the_second_is_not():
    heard = []
    with Interrupts() as interrupts, interrupts.softened(lambda: heard.append(1)):
        signal.raise_signal(signal.SIGINT)
        assert heard == [1]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with Interrupts(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_signal_held_back_is_softened_too():
    heard = []
    with Interrupts() as interrupts, interrupts.softened(lambda: heard.append(1)):
        with interrupts.held_back():
            signal.raise_signal(signal.SIGTERM)
            assert heard == []
        assert heard == [1]
