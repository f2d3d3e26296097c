"""One page a statistic: each measure and each public function has its page, with the same headings, in the index."""

import inspect
import re
from collections import Counter
from pathlib import Path

import pytest

from evenhand import stats
from evenhand.analysis import MEASURES

STATISTICS = Path(__file__).parents[2] / "docs" / "statistics"
INDEX = STATISTICS / "README.md"
PAGES = sorted(page for page in STATISTICS.glob("*.md") if page != INDEX)
HEADINGS = ["What it says", "Formula", "Assumptions", "When not to use it", "Source", "How it was checked"]
NOT_A_STATISTIC: dict[str, str] = {}
"""Public functions of ``evenhand.stats`` without a page, and why; none today."""


def named(page: Path, what: str) -> list[str]:
    """The names on a page's ``Measures:`` or ``Function:`` line, which may run over several lines."""
    found = re.findall(rf"^{what}: (.+?)\n\n", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) <= 1, f"{page.name} has {len(found)} lines {what}:"
    return re.findall(r"`([^`]+)`", found[0]) if found else []


def everywhere(what: str) -> Counter[str]:
    return Counter(name for page in PAGES for name in named(page, what))


def test_every_measure_is_on_exactly_one_page() -> None:
    assert everywhere("Measures") == Counter({measure.name: 1 for measure in MEASURES})


def test_every_public_function_is_on_exactly_one_page() -> None:
    public = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    listed = everywhere("Function")
    own = Counter({name.rpartition(".")[2]: times for name, times in listed.items() if name.count(".") == 2})
    assert own == Counter(dict.fromkeys(public - NOT_A_STATISTIC.keys(), 1))
    assert set(listed.values()) == {1}
    assert NOT_A_STATISTIC.keys() <= public


@pytest.mark.parametrize("name", sorted(everywhere("Function")))
def test_every_function_named_is_there(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    found = getattr(__import__(module, fromlist=[attribute]), attribute)
    assert callable(found)
    assert found.__name__ == attribute
    assert found.__doc__, "a page's statistic says in its docstring what it is"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts_in_order(page: Path) -> None:
    text = page.read_text("utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^## (.+)$", prose, re.MULTILINE) == HEADINGS
    assert len(re.findall(r"^# ", prose, re.MULTILINE)) == 1
    assert named(page, "Measures") or named(page, "Function")
    parts = re.split(r"^## .+$", prose, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts), "a part is empty"
    blocks = re.findall(r"^```python run\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert "assert" in "".join(blocks), "the formula is held against the code"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_checked_it_is_there(page: Path) -> None:
    """Every file named under *How it was checked* is in the repository; a bare name somewhere among the tests."""
    checked = page.read_text("utf-8").rpartition("## How it was checked")[2]
    root = STATISTICS.parents[1]
    for name in re.findall(r"`((?:[\w/]+/)?\w+\.py)`", checked):
        there = (root / name).is_file() if "/" in name else any((root / "tests").rglob(name))
        assert there, f"{page.name}: there is no {name}"


def test_the_index_lists_every_page_and_nothing_else() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", INDEX.read_text("utf-8")))
    assert linked == {page.name for page in PAGES}
