import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.hf.capture import Captured
from evenhand.records import Completion, FinishReason, LabelSet, LabelTokens, Outcome, Readout
from evenhand.workflow.verdict_token import label_ids, verdict_locator

LABELS = LabelSet.parse("A/B")
TOKENS = (
    LabelTokens(label="A", variant="A", token_id=5),
    LabelTokens(label="A", variant=" A", token_id=6),
    LabelTokens(label="B", variant="B", token_id=7),
    LabelTokens(label="B", variant=" B", token_id=None),
)
WORDS = {"A": 5, " A": 6, "B": 7}


def captured(*pieces):
    starts = np.cumsum([0, *map(len, pieces)])[:-1]
    positions = len(pieces) + 1
    return Captured(
        index=0,
        layers=(1,),
        prompt_ids=(1, 2),
        token_ids=tuple(WORDS.get(piece, 100 + n) for n, piece in enumerate(pieces)),
        starts=tuple(int(start) for start in starts),
        vectors=np.zeros((positions, 1, 2), np.float32),
        label_ids=(5, 6, 7),
        label_logits=np.zeros((positions, 3), np.float32),
    )


def located(*pieces, reason=FinishReason.STOP):
    locate = verdict_locator(Readout.GENERATED, LABELS, TOKENS)
    return locate(captured(*pieces), Completion(text="".join(pieces), finish_reason=reason))


def test_the_label_on_the_third_line_is_the_verdict():
    assert located("A is", " wrong", ".\n", "80", "\n", "B") == 5
    assert located("A is wrong.\n", "80\n", "Verdict:", " A", "\n") == 3


def test_a_label_within_a_longer_token_has_no_position_before_it():
    assert located("It is.\n", "80", "\nA") is None
    assert located("It is.\n", "80\n", "A.") is None


def test_another_label_s_token_is_not_the_verdict_s():
    pieces = captured("It is.\n", "80\n", "A")
    odd = Captured(**{name: getattr(pieces, name) for name in pieces.__dataclass_fields__} | {"token_ids": (1, 2, 7)})
    completion = Completion(text="It is.\n80\nA", finish_reason=FinishReason.STOP)
    assert verdict_locator(Readout.GENERATED, LABELS, TOKENS)(odd, completion) is None
    assert verdict_locator(Readout.GENERATED, LABELS, TOKENS)(pieces, completion) == 2


def test_what_is_out_of_format_or_cut_off_has_no_verdict():
    assert located("A") is None
    assert located("It is.\n", "80\n", "A", reason=FinishReason.LENGTH) is None


@pytest.mark.parametrize("readout", [Readout.FIRST_TOKEN, Readout.PREFILLED])
def test_a_first_token_is_the_verdict_even_where_nothing_was_written(readout):
    locate = verdict_locator(readout, LABELS, TOKENS)
    assert locate(captured(), Completion(text=None, finish_reason=FinishReason.NOT_GENERATED)) == 0


def test_readouts_without_a_verdict_token_are_refused():
    for readout in (Readout.HYBRID, Readout.CONSTRAINED, Readout.LOGGED):
        with pytest.raises(ConfigError, match=readout.value):
            verdict_locator(readout, LABELS, TOKENS)


def test_label_ids_leave_out_variants_that_are_no_token():
    assert label_ids(LABELS, TOKENS) == {Outcome.FIRST: {5, 6}, Outcome.SECOND: {7}}
