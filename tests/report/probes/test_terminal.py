import io
import re

import pytest
from rich.console import Console

from evenhand.report.probes.terminal import print_probe_report


def printed(report, width, *, brief=False):
    out = io.StringIO()
    print_probe_report(report, Console(file=out, width=width, force_terminal=False), brief=brief)
    return out.getvalue()


def words(text):
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("width", [60, 80, 110, 160])
def test_headline_and_figures_at_every_width(report, width):
    text = printed(report, width)
    assert "The probe ranks flips better than chance, but is not shown to be better" in words(text)
    assert "0.664" in text
    assert "[0.601, 0.723]" in words(text)
    assert max(len(line) for line in text.splitlines()) <= width


def test_brief_stops_after_the_main_table(report):
    text = printed(report, 110, brief=True)
    assert "How well flips are predicted" in text
    assert "Paired differences" not in text
    assert "more tables" in text


def test_a_transfer_prints(transfer):
    assert "The transferred probe ranks flips" in words(printed(transfer, 110))


def test_hostile_text_moves_no_cursor(hostile_report):
    text = printed(hostile_report, 100)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
