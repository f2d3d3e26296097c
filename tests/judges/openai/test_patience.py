"""Backoff, budget and slots."""

import asyncio

import numpy as np

from evenhand.judges.openai.patience import Backoff, RetryBudget, Slots, SystemClock


def test_backoff_doubles_with_full_jitter_and_is_seeded():
    one, other = (Backoff(random=np.random.default_rng(3)) for _ in range(2))
    drawn = [[one.seconds(k) for _ in range(400)] for k in (0, 2, 10, 1000)]
    assert drawn == [[other.seconds(k) for _ in range(400)] for k in (0, 2, 10, 1000)]
    for waits, most in zip(drawn, (0.5, 2.0, 60.0, 60.0), strict=True):
        assert 0 <= min(waits) < 0.1 * most
        assert 0.9 * most < max(waits) <= most


def test_a_small_batch_may_retry_too_and_none_at_all_means_none():
    assert RetryBudget(requests=1, share=0.5).size == 20
    assert RetryBudget(requests=1000, share=0.1).size == 100
    assert not RetryBudget(requests=1000, share=0).spend()


def test_slots_are_never_more_than_the_limit_which_falls_and_recovers():
    async def work():
        slots, most = Slots(4), []

        async def one():
            async with slots.one():
                most.append(slots.active)
                await asyncio.sleep(0)

        await asyncio.gather(*(one() for _ in range(20)))
        before = max(most)
        most.clear()
        slots.slower()
        slots.slower()
        slots.slower()
        await asyncio.gather(*(one() for _ in range(20)))
        slowed = max(most)
        for _ in range(100):
            slots.faster()
        return before, slowed, slots.limit, slots.active

    assert asyncio.run(work()) == (4, 1, 4.0, 0)


def test_one_who_waits_for_a_slot_can_be_cancelled():
    async def work():
        slots = Slots(1)
        async with slots.one():
            waiting = asyncio.create_task(slots.one().__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with slots.one():
            return slots.active

    assert asyncio.run(work()) == 1


def test_the_system_clock_goes_on():
    clock = SystemClock()
    before = clock.now()
    asyncio.run(clock.sleep(0))
    assert clock.now() >= before
    assert clock.wall() > 1e9


def test_a_share_beyond_all_numbers_is_a_budget():
    assert RetryBudget(requests=512, share=1e308).spend()
