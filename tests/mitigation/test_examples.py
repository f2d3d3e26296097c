"""The little language of the examples."""

from evenhand.mitigation.examples import judged


def test_letters_and_marks():
    pairs = judged(["AB", "T-", "A."], gold="BT.", clusters=[0, 0, 1], authors=[("x", None)] * 3)
    assert pairs.preference.tolist() == [[0, 1], [2, -1], [0, -1]]
    assert pairs.asked.tolist() == [[True, True], [True, True], [True, False]]
    assert (pairs.gold.tolist(), pairs.clusters.tolist(), len(pairs)) == ([1, 2, -1], [0, 0, 1], 3)
    assert pairs.authors[0] == ("x", None)
    assert judged([], gold="").preference.shape == (0, 2)
