import json
from collections import Counter

import pytest

from evenhand.datasets.mt_bench import MtBenchDataset
from evenhand.errors import DataError

TURNS = ["Name a prime.", "Now an even one."]
ANSWERS = {"m1": ["7", "2"], "m2": ["11", "2, the only one"]}


def question(identity=81, **changes):
    return {"question_id": identity, "category": "math", "turns": TURNS} | changes


def answer(model, turns, identity=81, **changes):
    choices = [{"index": 0, "turns": turns}]
    return {"question_id": identity, "answer_id": "x", "model_id": model, "choices": choices, "tstamp": 1.0} | changes


def write(folder, questions, answers):
    (folder / "model_answer").mkdir(exist_ok=True)
    (folder / "question.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    for name, rows in answers.items():
        (folder / "model_answer" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return MtBenchDataset(path=folder)


def plain(folder, **changes):
    rows = {model: [answer(model, turns)] for model, turns in (ANSWERS | changes).items()}
    return write(folder, [question()], rows)


def test_a_first_turn_is_question_and_answers_and_a_second_shows_both_turns(tmp_path):
    first, second = sorted(plain(tmp_path).pairs(), key=lambda pair: pair.id)
    texts = {first.author_a: first.response_a, first.author_b: first.response_b}
    assert first.instruction == TURNS[0]
    assert texts == {"m1": "7", "m2": "11"}
    assert "### Question 1:\nName a prime.\n\n### Question 2:\nNow an even one." in second.instruction
    assert "last question" in second.instruction
    texts = {second.author_a: second.response_a, second.author_b: second.response_b}
    assert texts["m1"] == (
        "### User:\nName a prime.\n\n### Assistant:\n7\n\n### User:\nNow an even one.\n\n### Assistant:\n2"
    )
    # Nothing in a response says which slot or model it is.
    assert "Assistant A" not in second.response_a + second.response_b
    assert first.group == second.group
    assert (first.source, first.gold) == ("math", None)
    assert dict(second.metadata) == {"question_id": "81", "turn": "2"}
    # Both turns have the same A.
    assert first.author_a == second.author_a


def test_the_published_size(tmp_path):
    models = [f"model-{name}" for name in "abcdef"]
    questions = [question(i, category=f"c{(i - 81) // 10}", turns=[f"{i}?", f"{i}??"]) for i in range(81, 161)]
    answers = {m: [answer(m, [f"{m} {i}", f"{m} {i} more"], i) for i in range(81, 161)] for m in models}
    loaded = write(tmp_path, questions, answers).read()
    assert len(loaded.pairs) == 80 * 15 * 2 == 2400
    assert loaded.notes == ()
    assert len({pair.group for pair in loaded.pairs}) == 80
    # No model is always A, and no side of an unordered pair either.
    a = Counter(pair.author_a for pair in loaded.pairs)
    assert all(330 < a[model] < 470 for model in models)
    # A prefix mixes categories, questions and turns.
    start = loaded.pairs[:80]
    assert Counter(pair.source for pair in start) == dict.fromkeys((f"c{n}" for n in range(8)), 10)
    assert len({pair.group for pair in start}) > 40
    assert 20 < sum(dict(pair.metadata)["turn"] == "1" for pair in start) < 60


def test_what_cannot_be_judged_is_left_out_and_counted(tmp_path):
    rows = {
        "m1": [answer("m1", ["7", "2"])],
        "m2": [answer("m2", ["11", "$ERROR$"])],
        "m3": [answer("m3", ["7", "4"])],
        "m4": [answer("m4", ["13"]), answer("m4", ["?"], 999)],
    }
    loaded = write(tmp_path, [question(), question(82, turns=["Alone?"])], rows).read()
    first = [pair for pair in loaded.pairs if dict(pair.metadata)["turn"] == "1"]
    # 7-11, 7-7 (identical), 7-13, 11-7 (repeated), 11-13, 7-13 (repeated)
    texts = [frozenset((pair.response_a, pair.response_b)) for pair in first]
    assert len(texts) == 3
    assert set(texts) == {frozenset(pair) for pair in (("7", "11"), ("7", "13"), ("11", "13"))}
    # Of the second turns only m1-m3 has both.
    assert [{p.author_a, p.author_b} for p in loaded.pairs if p not in first] == [{"m1", "m3"}]
    assert loaded.notes == (
        "comparisons left out whose two responses are identical: 1",
        "comparisons left out that repeat another's instruction and responses: 2",
        "comparisons left out for which a model's answer is missing: 11",
        "questions with answers but not among the questions, left out: 1",
    )


def test_only_the_first_choice_counts(tmp_path):
    two = [{"index": 0, "turns": ["7", "2"]}, {"index": 1, "turns": ["9", "3"]}]
    rows = {"m1": [answer("m1", [], choices=two)], "m2": [answer("m2", ANSWERS["m2"])]}
    texts = {pair.response_a for pair in write(tmp_path, [question()], rows).pairs()}
    texts |= {pair.response_b for pair in MtBenchDataset(path=tmp_path).pairs()}
    assert "7" in texts
    assert not any("9" in text for text in texts)


@pytest.mark.parametrize(
    ("questions", "answers", "said"),
    [
        ([question(turns=[])], {}, "question.jsonl, row 1, field 'turns': expected a list of texts"),
        ([question(turns=["a", 3])], {}, "field 'turns': expected a list of texts"),
        ([question(category=None)], {}, "field 'category': is null, expected text"),
        ([question(None)], {}, "field 'question_id': is null, expected a whole number or a text"),
        ([question(), question()], {}, "row 2, field 'question_id': question 81 is there twice"),
        ([question()], {"m1": [answer("m1", ["7"], choices=[])]}, "m1.jsonl, row 1, field 'choices': is a list"),
        ([question()], {"m1": [answer("m1", "7")]}, r"field 'choices\[0\].turns': expected a list of texts"),
        ([question()], {"m1": [answer(None, ["7"])]}, "field 'model_id': is null, expected text"),
        ([question()], {"m1": [answer(" ", ["7"])]}, "field 'model_id': is ' '"),
        ([question()], {"m1": [answer("m", ["7"])], "m2": [answer("m", ["8"])]}, "m2.jsonl, row 1.*already in .*m1"),
    ],
)
def test_errors_name_file_row_and_field(tmp_path, questions, answers, said):
    data = write(tmp_path, questions, answers or {"m0": [answer("m0", ["7"])]})
    with pytest.raises(DataError, match=said):
        data.pairs()


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such directory"):
        MtBenchDataset(path=tmp_path / "absent").pairs()
    with pytest.raises(DataError, match=r"question.jsonl: no such file"):
        MtBenchDataset(path=tmp_path).pairs()
    (tmp_path / "question.jsonl").write_text(json.dumps(question()))
    with pytest.raises(DataError, match="holds no model_answer"):
        MtBenchDataset(path=tmp_path).pairs()
