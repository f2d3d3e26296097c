import io

import pytest
from rich.console import Console

from evenhand.probes import Retention
from evenhand.report.probes.retention import print_retention


@pytest.mark.parametrize("width", [50, 100])
def test_planned_usable_and_lost_are_printed(width):
    out = io.StringIO()
    lost = (("AB: no \x1b[31mconfidence line", 24), ("BA: the token budget was used up", 17))
    print_retention(Console(file=out, width=width), Retention(planned=620, usable=579, lost=lost))
    text = " ".join(out.getvalue().split())
    for part in ("Retention", "620", "579", "93.4 %", "24", "17", "[U+001B]"):
        assert part in text
    assert "\x1b" not in text
