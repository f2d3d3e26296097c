from hypothesis import given
from hypothesis import strategies as st

from evenhand.datasets.comparisons import Question, compare

TEXT = st.sampled_from(["", "yes", "no", "maybe"])
ANSWERS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("wxyz"), st.lists(st.none() | TEXT, max_size=3).map(tuple), max_size=4),
    max_size=3,
)
QUESTIONS = {"q1": Question(category="c", turns=("1?", "1??")), "q2": Question(category="d", turns=("2?",))}


@given(answers=ANSWERS)
def test_every_comparison_is_a_pair_or_counted(answers):
    loaded = compare(QUESTIONS, answers, spec="s")
    models = {model for given in answers.values() for model in given}
    counted = sum(int(note.rpartition(" ")[2]) for note in loaded.notes if note.startswith("comparisons"))
    assert len(loaded.pairs) + counted == 3 * len(models) * (len(models) - 1) // 2
    assert len({pair.id for pair in loaded.pairs}) == len(loaded.pairs)
    texts = {(pair.instruction, frozenset((pair.response_a, pair.response_b))) for pair in loaded.pairs}
    assert len(texts) == len(loaded.pairs)
    assert all(pair.response_a != pair.response_b for pair in loaded.pairs)


@given(answers=ANSWERS)
def test_the_order_of_models_changes_nothing(answers):
    turned = {key: dict(reversed(given.items())) for key, given in reversed(answers.items())}
    assert compare(QUESTIONS, answers, spec="s") == compare(QUESTIONS, turned, spec="s")
