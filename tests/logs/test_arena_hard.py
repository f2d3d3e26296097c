import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs import inspect, read_log
from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import FinishReason, Order, Outcome, preference_of
from logs.samples import write_lines
from logs.tool_samples import arena_row, arena_rows, arena_v2_row

KEEP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)


def read(tmp_path, rows, **options):
    return read_log("arena_hard", write_lines(tmp_path / "model-1.jsonl", rows), **options)


def preferences(log):
    return [preference_of(entry.completion.log_outcome, entry.presentation.order) for entry in log.entries]


@pytest.mark.parametrize("row", [arena_row, arena_v2_row])
def test_game_one_shows_the_baseline_first(tmp_path, row):
    # show_result.py: game 2's A>B is a win of the model, game 1's a win of the baseline.
    log = read(tmp_path, [row(0, "A>B", "A>B"), row(1, "B>>A", "A>>B"), row(2, "B=A", "B<A")])
    assert preferences(log) == ["A", "B", "B", "B", "tie", "B"]
    pair = log.pairs[0]
    assert (pair.response_a, pair.response_b) == ("baseline 0", "model-1 0")
    assert [entry.presentation.order for entry in log.entries[:2]] == [Order.AB, Order.BA]


def test_strong_preferences_count_once_and_are_kept(tmp_path):
    log = read(tmp_path, [arena_row(0, "A>>B", "A>B")])
    assert [entry.completion.log_note for entry in log.entries] == ["score 'A>>B'", "score 'A>B'"]
    assert {entry.completion.log_outcome for entry in log.entries} == {Outcome.FIRST}


@KEEP
@given(score=st.sampled_from(["A>B", "A>>B", "A=B", "A<B", "A<<B", "B>A", "B>>A", "B=A", "B<A", "B<<A"]))
def test_a_label_and_its_mirror_in_the_other_game_are_one_preference(tmp_path, score):
    mirrored = score.translate(str.maketrans("AB", "BA"))
    first, second = preferences(read(tmp_path, [arena_row(0, score, mirrored)]))
    assert first is second is not None


@pytest.mark.parametrize("score", [None, "", "A", "A>>>B", "AB"])
def test_no_label_is_unparsed_and_never_a_tie(tmp_path, score):
    row = arena_row(0, "A>B", "A>B")
    row["games"][0]["score"] = score
    assert read(tmp_path, [row]).entries[0].completion.log_outcome is Outcome.UNPARSED


def test_a_null_game_and_a_failed_call_are_errors(tmp_path):
    row, failed = arena_v2_row(0, "A>B", "A>B"), arena_v2_row(1, "A>B", "A>B")
    row["games"][1] = None
    failed["games"][0] = {"score": None, "judgment": {"answer": "$ERROR$"}, "prompt": []}
    log = read(tmp_path, [row, failed])
    for entry in (log.entries[1], log.entries[2]):
        assert entry.completion.log_outcome is Outcome.ERROR
        assert entry.completion.finish_reason is FinishReason.ERROR
        assert entry.completion.text is None


def test_our_parser_reads_the_texts_as_the_log_does(tmp_path):
    log = read(tmp_path, arena_rows())
    grammar = DecisionGrammar.from_hint(log.grammar.labels, log.grammar)
    for entry in log.entries:
        ours = parse_decision(entry.completion.text, grammar).outcome
        assert (ours or Outcome.UNPARSED) is entry.completion.log_outcome


def test_the_second_layout_names_baseline_and_category(tmp_path):
    log = read(tmp_path, [arena_v2_row(0, "A>B", "B>A")])
    pair = log.pairs[0]
    assert (pair.author_a, pair.author_b, pair.source) == ("base-1", "model-1", "hard_prompt")
    assert [message.role for message in log.entries[0].presentation.messages] == ["system", "user"]
    assert log.entries[0].completion.text == "\nMy final verdict is: [[A>B]]"


def test_the_first_layout_needs_the_baseline_s_name(tmp_path):
    assert any("--set baseline=NAME" in note for note in read(tmp_path, [arena_row(0, "A>B", "B>A")]).notes)
    assert read(tmp_path, [arena_row(0, "A>B", "B>A")], baseline="gpt").pairs[0].author_a == "gpt"


def test_models_share_question_groups_and_one_can_be_chosen(tmp_path):
    log = read(tmp_path, arena_rows())
    assert len({pair.id for pair in log.pairs}) == 5
    assert log.pairs[0].group == log.pairs[4].group == "arena_hard-q0"
    assert [pair.author_b for pair in read(tmp_path, arena_rows(), model="model-2").pairs] == ["model-2"]
    with pytest.raises(DataError, match="no model 'x': it has 'model-1', 'model-2'"):
        read(tmp_path, arena_rows(), model="x")


def test_a_judge_s_folder_is_one_log(tmp_path):
    write_lines(tmp_path / "judge" / "b.jsonl", [arena_row(0, "A>B", "B>A", model="b")])
    write_lines(tmp_path / "judge" / "a.jsonl", [arena_row(0, "A>B", "B>A", model="a")])
    found = inspect(tmp_path / "judge")
    assert (found.format, found.rows, found.importable) == ("arena_hard", 2, True)
    assert [pair.author_b for pair in read_log("arena_hard", tmp_path / "judge").pairs] == ["a", "b"]
    write_lines(tmp_path / "judge" / "c.jsonl", [arena_row(0, "A>B", "B>A", model="a")])
    with pytest.raises(DataError, match=r"the same question and model as row 1 of a.jsonl") as caught:
        read_log("arena_hard", tmp_path / "judge")
    assert caught.value.path == tmp_path / "judge" / "c.jsonl"


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"games": []}, "games", "expected 2 games, got 0"),
        ({"games": [{"score": 8}, {"score": 7}]}, "games[0].score", "expected a label"),
        ({"games": [{}, {}]}, "games[0]", "has no score"),
        ({"model": ""}, "model", "is empty"),
    ],
)
def test_bad_rows_name_their_field(tmp_path, change, field, problem):
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, [{**arena_row(0, "A>B", "B>A"), **change}])
    assert (caught.value.row, caught.value.field) == (1, field)


def test_two_judges_and_two_layouts_are_not_one_log(tmp_path):
    with pytest.raises(DataError, match="2 values of judge"):
        read(tmp_path, [arena_row(0, "A>B", "B>A"), {**arena_row(1, "A>B", "B>A"), "judge": "judge-2"}])
    with pytest.raises(DataError, match="mixes the layouts"):
        read(tmp_path, [arena_row(0, "A>B", "B>A"), arena_v2_row(1, "A>B", "B>A")])


def test_images_in_a_prompt_leave_the_texts_out(tmp_path):
    row = arena_row(0, "A>B", "B>A")
    row["games"][0]["user_prompt"] = ["a text", ["hash"]]
    log = read(tmp_path, [row])
    assert log.pairs[0].instruction == ""
    assert log.entries[0].presentation.messages == ()


def test_scores_alone_are_enough(tmp_path):
    # Some projects publish the scores without prompts and texts.
    rows = [arena_row(number, "A>>B", "B>A") for number in range(2)]
    for row in rows:
        row["games"] = [{"score": game["score"]} for game in row["games"]]
    log = read(tmp_path, rows)
    assert preferences(log) == ["A", "A", "A", "A"]
    assert {entry.completion.text for entry in log.entries} == {None}
    assert "the file keeps no prompts, so its pairs are without their texts" in log.notes
    assert not any("several attempts" in note for note in log.notes)
