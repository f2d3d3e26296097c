"""A loop in a thread."""

import asyncio
import threading

import pytest

from evenhand.judges.openai.loop import LoopThread


def test_work_runs_in_the_other_thread_and_ends_with_it():
    loop = LoopThread(name="t")

    async def where():
        return threading.current_thread().name

    assert loop.start(where()).result() == "t"
    ended = []

    async def endless():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    running = loop.start(endless())
    loop.start(asyncio.sleep(0)).result()
    loop.close()
    loop.close()
    assert ended == [True]
    assert running.done()
    assert "t" not in [thread.name for thread in threading.enumerate()]


def test_errors_come_back():
    loop = LoopThread(name="t")

    async def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        loop.start(fail()).result()
    called = threading.Event()
    loop.soon(called.set)
    assert called.wait(10)
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.start(fail())
