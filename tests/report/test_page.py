import base64
import hashlib

import pytest
from jinja2 import UndefinedError

from evenhand.report.page import page_template, style_hash, style_sheet


def test_the_hash_is_of_the_style_sheet():
    assert base64.b64decode(style_hash()) == hashlib.sha256(style_sheet().encode("utf-8")).digest()


def test_the_style_sheet_loads_nothing():
    assert "@import" not in style_sheet()
    assert "url(" not in style_sheet()
    assert "<" not in style_sheet()


@pytest.mark.parametrize("name", ["parts", "report"])
def test_templates_escape_and_refuse_undefined_names(name):
    template = page_template(name)
    assert template.environment.autoescape is True
    with pytest.raises(UndefinedError):
        template.environment.from_string("{{ nothing }}").render()


def test_filters_keep_headings_whole_and_break_only_long_words():
    filters = page_template("parts").environment.filters
    assert filters["heading"]("first-token") == "first-\u2060token"
    assert filters["breaking"]("short words " * 9) == ""
    assert filters["breaking"]("w" * 27) == "long"
