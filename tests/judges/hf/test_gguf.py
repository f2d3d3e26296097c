"""SmolLM2's GGUF through transformers gives the tokens that llama.cpp gives; broken headers are named."""

import copy
import struct

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.hf.gguf import pretokenizer_name, repair_pretokenizer
from evenhand.judges.hf.tokens import TokenTexts
from judges.tiny_models import LLAMA3, loaded, tokenizer_of


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def header(*fields, version=3):
    return struct.pack("<4sIQQ", b"GGUF", version, 0, len(fields)) + b"".join(fields)


BEFORE = (
    text("general.architecture") + struct.pack("<I", 8) + text("llama"),
    text("llama.block_count") + struct.pack("<II", 4, 30),
    text("general.tags") + struct.pack("<IIQ", 9, 8, 2) + text("one") + text("two"),
    text("general.sizes") + struct.pack("<IIQ3h", 9, 3, 3, 1, 2, 3),
    text("nested") + struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQB", 7, 1, 1),
)
NAME = text("tokenizer.ggml.pre") + struct.pack("<I", 8) + text("smollm")


def test_the_name_is_found_behind_fields_of_every_kind(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(header(*BEFORE, NAME))
    assert pretokenizer_name(path) == "smollm"
    path.write_bytes(header(*BEFORE))
    assert pretokenizer_name(path) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "damaged"),
        (b"PK\3\4" + b"\0" * 40, "not GGUF"),
        (header(NAME, version=1), "not GGUF"),
        (header(*BEFORE, NAME)[:40], "damaged"),
        (header(text("x") + struct.pack("<I", 99)), "damaged"),
    ],
)
def test_broken_headers_are_named(tmp_path, content, said):
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        pretokenizer_name(path)


@pytest.mark.parametrize(("name", "apart"), [("smollm", True), ("gpt-2", False), (None, False)])
def test_digits_are_cut_off_where_the_file_says_so(name, apart):
    tokenizer = copy.deepcopy(tokenizer_of(LLAMA3))
    repair_pretokenizer(tokenizer, name)
    pieces = [piece for piece, _ in tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str("in 1984")]
    assert pieces[-1] == ("4" if apart else "Ġ1984")


@pytest.mark.engine
def test_text_has_the_tokens_that_llama_cpp_gives(smollm2, judge):
    assert pretokenizer_name(smollm2) == "smollm"
    texts = TokenTexts(loaded(smollm2)[1].tokenizer)
    for content in ("2+2=45, 12345 x²", "hi <|im_end|> there\n\n", "  naïve 日本語 🦄\t\ttabs", "don't I'LL 1st", "\0"):
        assert texts.plain(content) == judge._engine.tokenize(content, special=False)
