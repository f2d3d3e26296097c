from evenhand.report.answers import answer_notes, answer_rows, changed_model
from evenhand.report.model import Answers

SEVEN = tuple((f"remark {i}", 7 - i) for i in range(7))


def test_nothing_counted_is_nothing_said():
    for answers in (None, Answers(answered=9)):
        assert answer_notes(answers) == changed_model(answers) == []
        assert answer_rows(answers) == ()


def test_remarks_are_counted_and_the_rare_ones_summed_up():
    notes = answer_notes(Answers(answered=100, notes=SEVEN))
    assert notes[0] == "7 of 100 answers (7.0 %) came with the remark: remark 0."
    assert len(notes) == 6
    assert notes[-1] == "3 of 100 answers (3.0 %) came with one of 2 more remarks, which are in audit.json."


def test_one_model_is_a_fact_and_two_are_a_warning():
    one = Answers(answered=8, served=(("m-2026-01 fp_1", 8),))
    assert answer_rows(one) == (("answered by", "m-2026-01 fp_1 (8)"),)
    assert changed_model(one) == []
    two = Answers(answered=9, served=(("m-1", 8), ("m-2", 1)))
    assert answer_rows(two) == (("answered by", "m-1 (8); m-2 (1)"),)
    (warning,) = changed_model(two)
    assert warning.startswith("More than one model or build answered: of 9 answers, “m-1” gave 8, “m-2” gave 1.")


def test_hostile_texts_are_cut_and_shown_harmless():
    text = "\x1b]0;x\x07\u202e" + "n" * 10_000
    answers = Answers(answered=2, notes=((text, 1),), served=((text, 1), ("m", 1)))
    for said in (*answer_notes(answers), *changed_model(answers), answer_rows(answers)[0][1]):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert len(said) < 600


def test_a_changed_model_stands_first_below_the_lead(manifest, audit, counts):
    from evenhand.report.view import build_view

    answers = Answers(answered=250, notes=(("the endpoint refuses logprobs", 250),), served=(("m-1", 200), ("m-2", 50)))
    view = build_view(manifest, audit, counts=counts, answers=answers)
    assert view.headline.doubt[0].text.startswith("More than one model or build answered")
    assert any("250 of 250 answers (100 %) came with the remark: the endpoint refuses" in note for note in view.notes)
    assert ("answered by", "m-1 (200); m-2 (50)") in view.setup
    assert view.card["judge"]["served"] == [{"text": "m-1", "count": 200}, {"text": "m-2", "count": 50}]
