"""Rows leave, join and begin as others do; every row ends in the last column."""

import torch

from evenhand.judges.hf.cache import RowCache, joined, new_cache, select, shared_start


def held(lengths, *, mark):
    """Two layers whose keys tell row and token, and whose values are their negatives; padding is 99."""
    columns = max(lengths)
    keys = torch.full((len(lengths), 1, columns, 1), 99.0)
    mask = torch.zeros(len(lengths), columns, dtype=torch.bool)
    for row, length in enumerate(lengths):
        for token in range(length):
            keys[row, 0, columns - length + token, 0] = 100 * (mark + row) + token
            mask[row, columns - length + token] = True
    return RowCache(cache=new_cache([(keys, -keys), (keys + 0.5, -keys - 0.5)]), mask=mask)


def contents(cache):
    """For each row what it holds, the same in all layers."""
    rows = []
    for row in range(cache.mask.shape[0]):
        (keys, values), (more, _) = cache.tensors
        kept = keys[row, 0, cache.mask[row], 0]
        assert torch.equal(kept, -values[row, 0, cache.mask[row], 0])
        assert torch.equal(kept + 0.5, more[row, 0, cache.mask[row], 0])
        rows.append(kept.tolist())
    assert bool(cache.mask[:, -1].all())
    return rows


def test_selected_rows_keep_what_they_hold_and_lose_common_padding():
    chosen = select(held([3, 5, 2], mark=1), [2, 0])
    assert contents(chosen) == [[300, 301], [100, 101, 102]]
    assert chosen.columns == 3


def test_joined_rows_are_right_aligned():
    both = joined(held([2], mark=1), held([4, 1], mark=5))
    assert contents(both) == [[100, 101], [500, 501, 502, 503], [600]]
    assert contents(joined(held([4, 1], mark=5), held([2], mark=1)))[2] == [100, 101]


def test_rows_begin_as_others_do():
    begun = shared_start(held([5, 3], mark=1), [0, 0, 1], [4, 5, 2])
    assert contents(begun) == [[100, 101, 102, 103], [100, 101, 102, 103, 104], [200, 201]]


def test_a_row_may_begin_with_nothing():
    begun = shared_start(held([3], mark=1), [0, 0], [2, 0])
    assert begun.mask.tolist() == [[True, True], [False, False]]


def test_growing_in_place_is_like_appending():
    cache = new_cache()
    steps = [torch.rand(2, 1, size, 4) for size in (5, 1, 1, 3, *[1] * 70)]
    for step in steps:
        keys, values = cache.update(step, -step, 0)
    whole = torch.cat(steps, dim=2)
    assert torch.equal(keys, whole)
    assert torch.equal(values, -whole)
    assert cache.get_seq_length() == whole.shape[2]


def test_what_was_handed_out_is_not_overwritten_by_selected_rows():
    cache = held([2, 2], mark=1)
    cache.cache.update(torch.ones(2, 1, 1, 1), torch.ones(2, 1, 1, 1), 0)
    cache.cache.update(torch.ones(2, 1, 1, 1), torch.ones(2, 1, 1, 1), 1)
    cache.mask = torch.nn.functional.pad(cache.mask, (0, 1), value=True)
    chosen = select(cache, [0])
    cache.cache.update(torch.full((2, 1, 1, 1), 7.0), torch.full((2, 1, 1, 1), 7.0), 0)
    chosen.cache.update(torch.full((1, 1, 1, 1), 8.0), torch.full((1, 1, 1, 1), 8.0), 0)
    assert cache.tensors[0][0][0, 0, :, 0].tolist() == [100, 101, 1, 7]
    assert chosen.tensors[0][0][0, 0, :, 0].tolist() == [100, 101, 1, 8]
