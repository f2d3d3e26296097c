from evenhand.records import Completion, FinishReason, Order, Presentation
from evenhand.store import JournalEntry
from evenhand.workflow.tally import OTHERS, AnswerTally


def entry(*, note=None, served=None, error=None, answered=True):
    reason = FinishReason.STOP if error is None else FinishReason.ERROR
    answer = Completion(text="A", finish_reason=reason, note=note, served=served, error=error) if answered else None
    presentation = Presentation(key="k", pair_id="p", condition="c", order=Order.AB)
    return JournalEntry(presentation=presentation, completion=answer)


def counted(entries):
    tally = AnswerTally()
    assert list(tally.watch(entries)) == entries, "handed on as they are"
    return tally.answers


def test_remarks_and_models_are_counted_most_frequent_first():
    answers = counted(
        [entry(note="b", served="m-1"), entry(note="a", served="m-2"), entry(note="a", served="m-2"), entry()]
    )
    assert answers.answered == 4
    assert answers.notes == (("a", 2), ("b", 1))
    assert answers.served == (("m-2", 2), ("m-1", 1))


def test_failed_and_pending_are_no_answers():
    assert counted([entry(error="boom", note="x", served="m"), entry(answered=False)]) == counted([])


def test_memory_stays_bounded():
    answers = counted([entry(note=f"{i} {'n' * 10_000}") for i in range(400)])
    assert sum(count for _, count in answers.notes) == 400
    assert len(answers.notes) == 51
    assert answers.notes[0] == (OTHERS, 350)
    assert max(len(text) for text, _ in answers.notes) == 120
