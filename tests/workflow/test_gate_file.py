from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.workflow.gate_file import GateFile, read_gates


def read(tmp_path: Path, text: str) -> GateFile:
    path = tmp_path / "gates.toml"
    path.write_text(text, encoding="utf-8")
    return read_gates(path)


def test_shorthands_and_tables(tmp_path: Path) -> None:
    made = read(
        tmp_path,
        """
        readout = "generated"
        max_flip_rate = 0.15
        min_compliance = 1
        max_sycophancy = 0.05
        max_failures = 0.02

        [[require]]
        measure = "verdict-rate"
        min = 0.9
        max = 1.0
        condition = "c"

        [[require]]
        measure = "position_bias"
        max_size = 0.1
        readout = "hybrid"

        [[require]]
        measure = "toward_rate"
        audit = "sycophancy"
        max = 0.1
        """,
    )
    assert [each.text for each in made.requirements] == [
        "flip_rate@generated<=0.15",
        "compliance_pairs@generated>=1",
        "sycophancy:net_shift@generated<=0.05",
        "verdict_rate>=0.9 and verdict_rate<=1 (c)",
        "|position_bias_strength|@hybrid<=0.1",
        "sycophancy:toward_rate<=0.1",
    ]
    assert (made.max_failures, made.allow_undecided) == (0.02, None)


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("max_flip_rat = 0.1", "max_flip_rat", "unknown key; expected one of"),
        ("max_flip_rate = '0.1'", "max_flip_rate", "expected a number"),
        ("max_flip_rate = true", "max_flip_rate", "expected a number"),
        ("max_flip_rate = 15", "max_flip_rate", "between 0 and 1"),
        ("max_flip_rate = nan", "max_flip_rate", "expected a number between"),
        ("max_failures = -1", "max_failures", "between 0 and 1"),
        ("allow_undecided = 1", "allow_undecided", "expected true or false"),
        ("readout = 'vibes'", "readout", "expected one of"),
        ("condition = 3", "condition", "expected a text"),
        ("require = 3", "require", "each headed"),
        ("[[require]]\nmax = 0.1", "require, table 1", "has no measure"),
        ("[[require]]\nmeasure = 'flip_rate'", "require, table 1", "a largest or a smallest"),
        ("[[require]]\nmeasure = 'vibes'\nmax = 1", "require, table 1", "no measure 'vibes'"),
        ("[[require]]\nmeasure = 'flip_rate'\nmaxx = 1", "require, table 1", "unknown key 'maxx'"),
        ("[[require]]\nmeasure = 'flip_rate'\nmax = 1\nmax_size = 1", "require, table 1", "stands alone"),
        ("x = [", None, "not a TOML file"),
        ("x = " + "[" * 5000, None, "not a TOML file"),
    ],
)
def test_a_mistake_names_file_and_field(tmp_path: Path, text: str, field: str | None, said: str) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, text)
    assert said in str(error.value)
    assert error.value.path == tmp_path / "gates.toml"
    assert error.value.field == field


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "g.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="not a TOML file"):
        read_gates(path)
    with pytest.raises(DataError, match="can't be read"):
        read_gates(tmp_path / "none.toml")
