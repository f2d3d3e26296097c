"""The measures are named once, and the glossary says the same."""

import re
from pathlib import Path

import pytest

from evenhand.analysis import MEASURES, measure_info

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
TERMS = (
    *("pair", "order", "slot", "presentation", "verdict labels", "outcome", "preference", "flip", "inconsistency"),
    *("swap consistency", "compliant presentation", "compliant pair", "first-slot rate", "first-position bias rate"),
    *("slot lock", "lead–conclusion divergence", "readout", "condition"),
)


def test_names_are_unique_and_units_known() -> None:
    assert len({m.name for m in MEASURES}) == len({m.label for m in MEASURES}) == len(MEASURES)
    assert {m.unit for m in MEASURES} <= {"share", "difference", "number"}
    assert all(m.definition.endswith(".") for m in MEASURES)


def test_unknown_measure() -> None:
    with pytest.raises(KeyError):
        measure_info("flips")


def test_glossary_lists_every_measure_with_its_own_words() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| (\w+) \|$", GLOSSARY.read_text("utf-8"), re.M)
    assert rows == [(m.name, m.label, m.definition, m.unit) for m in MEASURES]


@pytest.mark.parametrize("term", TERMS)
def test_glossary_defines_each_term_once(term: str) -> None:
    headings = re.findall(r"^\*\*(.+?)\*\*", GLOSSARY.read_text("utf-8"), re.M)
    assert headings.count(term) == 1
