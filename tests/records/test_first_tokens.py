from hypothesis import given
from hypothesis import strategies as st

from evenhand.records import LabelSet, first_token_of

LABELS = LabelSet.parse("A/B/tie")


@given(st.dictionaries(st.sampled_from(["A", " A", "B", " B", "tie", "The", "x"]), st.floats(-30, 0), min_size=1))
def test_a_variant_is_returned_or_bounded_by_the_smallest_returned(top):
    first = first_token_of(top, LABELS)
    assert first.argmax.logprob == max(top.values())
    assert [one.logprob for one in first.top] == sorted(top.values(), reverse=True)
    for outcome, variants in first.labels:
        assert tuple(one.text for one in variants) == LABELS.variants(outcome)
        for one in variants:
            expected = (top[one.text], None) if one.text in top else (None, min(top.values()))
            assert (one.logprob, one.below) == expected
