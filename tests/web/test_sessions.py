from __future__ import annotations

from threading import Thread

from evenhand.web.sessions import Sessions, fresh_token, same


def test_a_link_works_once_and_the_next_is_announced() -> None:
    announced: list[str] = []
    sessions = Sessions("one", announce=announced.append)

    first = sessions.enter("one")
    assert first is not None
    assert sessions.enter("one") is None
    assert len(announced) == 1
    second = sessions.enter(announced[0])
    assert second is not None
    assert len({first.key, first.csrf, second.key, second.csrf}) == 4
    assert sessions.find(first.key) == first
    assert sessions.find(second.key) == second


def test_a_wrong_token_or_key_opens_nothing_and_uses_nothing_up() -> None:
    sessions = Sessions("one")
    for wrong in ("", "on", "one ", "ONE", "\ud800", "o" * 10_000):
        assert sessions.enter(wrong) is None
        assert sessions.find(wrong) is None
    assert sessions.enter("one") is not None


def test_of_many_at_once_exactly_one_gets_in() -> None:
    sessions, got = Sessions("one"), []
    threads = [Thread(target=lambda: got.append(sessions.enter("one"))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(session is not None for session in got) == 1


def test_old_sessions_make_room() -> None:
    following = ["start"]
    sessions = Sessions("start", announce=following.append)
    opened = [sessions.enter(following[-1]) for _ in range(70)]
    assert opened[0] is not None
    assert opened[-1] is not None
    assert sessions.find(opened[0].key) is None
    assert sessions.find(opened[-1].key) == opened[-1]


def test_secrets_are_long_and_compared_whole() -> None:
    assert len(fresh_token()) == 43
    assert same("é", "é")
    assert not same("é", "e")
