import pytest

from evenhand.records.toml_text import parse_toml


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".".join(["a"] * 20_000) + " = 1", "64 parts"),
        ("x = 1\n[" + " . ".join(["a"] * 100) + "]", "line 2"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "9" * 5_000, "digits"),
        ("a = ", "Invalid value"),
    ],
)
def test_what_takes_for_ever_or_ends_otherwise_is_a_value_error(text, message):
    with pytest.raises(ValueError, match=message):
        parse_toml(text)


def test_prose_and_ordinary_keys_are_read():
    prose = "No. Yes. 1.2.3.4. e.g. i.e. ... " * 30
    assert parse_toml(f'a.b.c = 1\ntext = """{prose}"""') == {"a": {"b": {"c": 1}}, "text": prose}


@pytest.mark.parametrize("unit", ["w", "a.", "a ", '"', "a .", "\n", "."])
def test_a_megabyte_of_anything_is_told_at_once(unit):
    with pytest.raises(ValueError, match=r"."):
        parse_toml(unit * (1_000_000 // len(unit)) + " = \0")
