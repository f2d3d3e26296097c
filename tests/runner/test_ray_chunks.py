from hypothesis import given
from hypothesis import strategies as st

from evenhand.runner.ray_chunks import ALONE_DEATHS, ChunkQueue


def drain(queue):
    chunks = []
    while chunk := queue.take():
        chunks.append(chunk)
    return chunks


def test_every_index_once_in_order_and_in_even_chunks():
    chunks = drain(ChunkQueue(500, workers=3))
    assert [index for chunk in chunks for index in chunk] == list(range(500))
    assert all(len(chunk) % 2 == 0 for chunk in chunks[:-1])
    sizes = [len(chunk) for chunk in chunks]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 20 * sizes[-1]


def test_a_fixed_length():
    assert drain(ChunkQueue(5, workers=9, chunk=2)) == [[0, 1], [2, 3], [4]]


def test_few_requests_still_leave_neighbours_together():
    assert drain(ChunkQueue(6, workers=2)) == [[0, 1, 2, 3], [4, 5]]


def test_an_engine_that_works_on_many_gets_many():
    assert [len(chunk) for chunk in drain(ChunkQueue(400, workers=1, smallest=64))] == [200, 100, 64, 36]


def test_nothing_to_do():
    queue = ChunkQueue(0, workers=1)
    assert queue.empty
    assert queue.take() == []
    assert queue.give_back([]) == ()
    assert queue.empty


def test_what_died_alone_too_often_is_given_up():
    queue = ChunkQueue(1, workers=1)
    for _ in range(ALONE_DEATHS - 1):
        assert queue.give_back(queue.take()) == ()
        assert not queue.empty
    assert queue.give_back(queue.take()) == (0,)
    assert queue.empty
    assert queue.deaths(0) == ALONE_DEATHS


def test_known_suspects_come_last_and_alone():
    queue = ChunkQueue(4, workers=1, chunk=4, deaths={0: 1, 2: 0})
    assert drain(queue) == [[1, 2, 3], [0]]


@given(
    count=st.integers(1, 120),
    workers=st.integers(1, 5),
    chunk=st.none() | st.integers(1, 50),
    deadly=st.sets(st.integers(0, 119), max_size=3),
    sequential=st.booleans(),
    data=st.data(),
)
def test_all_but_the_deadly_are_answered_once(count, workers, chunk, deadly, sequential, data):
    """Whoever dies of whatever: a judge that asks one after the other, or all of a chunk at once."""
    deadly = {index for index in deadly if index < count}
    queue = ChunkQueue(count, workers=workers, chunk=chunk)
    answered, given_up, deaths = [], [], 0
    while part := queue.take():
        culprits = [index for index in part if index in deadly]
        if not culprits:
            answered += part
            continue
        survivors = part[: part.index(culprits[0])] if sequential else []
        answered += survivors
        deaths += 1
        given_up += queue.give_back([index for index in part if index not in survivors])
    assert sorted(answered) == sorted(set(range(count)) - deadly)
    assert sorted(given_up) == sorted(deadly)
    assert deaths <= len(deadly) * (ALONE_DEATHS + (1 if sequential else 9))
