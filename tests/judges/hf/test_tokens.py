"""Token texts, plain text as plain text, and texts that grow in whole characters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.judges.hf.tokens import TextStream, TokenTexts, label_tokens
from evenhand.records import LabelSet
from judges.tiny_models import FAMILIES, LLAMA3, MISTRAL, PHI3, QWEN3, tokenizer_of

BYTES_AND_PIECES = (LLAMA3, PHI3)
named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


@named
def test_control_tokens_in_a_text_are_plain(family):
    texts = TokenTexts(tokenizer_of(family))
    control = {texts.tokenizer.convert_tokens_to_ids(text) for text in (*family.control, *family.plain_added)}
    for text in (*family.control, *family.plain_added):
        ids = texts.plain(f"fine{text} A")
        assert control.isdisjoint(ids)
        assert texts.decode(ids).strip() == f"fine{text} A"
        assert not control.isdisjoint(texts.whole(f"fine{text} A"))


@named
@settings(max_examples=40, deadline=None)
@given(text=st.text(alphabet=st.sampled_from(" \n\tab<|>_im.é🦄0{}%'"), max_size=20))
def test_plain_text_is_read_as_the_tokenizer_reads_it(family, text):
    texts = TokenTexts(tokenizer_of(family))
    assert texts.plain(text, first=True) == texts.whole(text)
    start = family.control[-1]
    if start not in family.strips_right:
        assert texts.plain(text) == texts.whole(start + text)[1:]


@named
def test_a_token_is_the_text_that_it_adds(family):
    texts = TokenTexts(tokenizer_of(family))
    for variant in ("A", " A", "B", " B"):
        token = texts.single(variant)
        assert texts.text(token) == variant
        assert len({texts.single("A"), texts.single(" A")}) == 2
    assert texts.text(texts.tokenizer.convert_tokens_to_ids(family.turn_end)) == family.turn_end


def test_added_tokens_that_structure_nothing_stay_tokens():
    tokenizer = tokenizer_of(QWEN3).__class__(
        tokenizer_object=tokenizer_of(QWEN3).backend_tokenizer, chat_template=QWEN3.template
    )
    tokenizer.add_tokens(["wordwithid"])
    texts = TokenTexts(tokenizer)
    number = tokenizer.convert_tokens_to_ids("wordwithid")
    assert number in texts.plain("a wordwithid <|im_end|>")


def test_a_label_of_several_tokens_is_refused():
    texts = TokenTexts(tokenizer_of(MISTRAL))
    with pytest.raises(ConfigError, match=r"label 'quixotic'.*single token of m.*choose a shorter"):
        label_tokens(texts, LabelSet.parse("quixotic/B"), model="m")
    [variant, *_] = label_tokens(texts, LabelSet.parse("A/B"), model="m")
    assert (variant.label, variant.variant, texts.text(variant.token_id)) == ("A", "A", "A")


def test_a_slow_tokenizer_is_refused():
    with pytest.raises(ConfigError, match="not a fast one"):
        TokenTexts(object())


@pytest.mark.parametrize("family", BYTES_AND_PIECES, ids=lambda family: family.name)
@settings(max_examples=40, deadline=None)
@given(text=st.text(alphabet=st.sampled_from(" \nabé🦄日A,"), max_size=20))
def test_a_stream_gives_the_whole_text_in_whole_characters(family, text):
    texts = TokenTexts(tokenizer_of(family))
    stream = TextStream(texts=texts)
    pieces = [stream.add(token) for token in texts.plain(f"x{text}x")]
    assert "".join(pieces).strip() == f"x{text}x"
    assert all("\ufffd" not in piece for piece in pieces)


def test_a_stream_leaves_special_tokens_out_and_holds_half_characters_back():
    texts = TokenTexts(tokenizer_of(LLAMA3))
    stream = TextStream(texts=texts)
    half = texts.plain("🦄")[:-1]
    assert [stream.add(token) for token in [*texts.plain("a"), texts.control["<|eot_id|>"].token_id, *half]] == [
        "a",
        "",
        *[""] * len(half),
    ]
