"""Fonts for other scripts: found where there are any, codes where there are none, never an empty box."""

import os
from pathlib import Path

import pytest

from evenhand.report.figure_files import figure_bytes
from evenhand.report.fonts import BASE, Fallback, fallback_for, show_codes, text_of

CJK = "判断 한국어 テスト"


def drawn(text):
    def draw():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3, 1))
        figure.text(0.1, 0.5, text)
        return figure

    return draw


def has_cjk():
    return not fallback_for(frozenset(CJK)).missing


@pytest.fixture
def cjk():
    if not has_cjk():
        if os.environ.get("CI"):
            pytest.fail("CI installs fonts-noto-cjk, and it is not found")
        pytest.skip("no font with Chinese, Japanese and Korean is installed")
    return fallback_for(frozenset(CJK))


def test_what_the_figures_own_typeface_has_needs_no_other():
    plain = fallback_for(frozenset("flip rate 41.7 % [29.2, 54.9] — é ü ≥ → Ελληνικά Кириллица"))
    assert plain == Fallback()


def test_a_cjk_font_is_found_and_its_kind_is_told(cjk):
    assert cjk.families
    assert BASE not in cjk.families
    assert cjk.missing == frozenset()


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_no_glyph_is_missing(cjk, form, recwarn):
    first = figure_bytes(drawn(CJK), name="cjk", form=form)
    assert first == figure_bytes(drawn(CJK), name="cjk", form=form)
    assert [w for w in recwarn if "Glyph" in str(w.message)] == []
    # Every character is drawn, so that the text differs from one of as many boxes.
    assert first != figure_bytes(drawn("判判 判判判 判判判"), name="cjk", form=form)
    if form == "pdf":
        assert b"/Type3" in first.replace(b" ", b"") or b"/CIDFontType2" in first.replace(b" ", b"")


def test_svg_keeps_text_and_names_no_font_of_this_machine(cjk):
    svg = figure_bytes(drawn(CJK), name="cjk", form="svg").decode("utf-8")
    assert CJK in svg
    assert not any(family in svg for family in cjk.families)


def test_what_no_font_has_is_a_code_a_run():
    figure = drawn("a ᚠᚢᚦ b 𓀀c")()
    missing = frozenset("ᚠᚢᚦ𓀀")
    assert missing < text_of(figure)
    show_codes(figure, missing)
    assert [text.get_text() for text in figure.texts] == ["a [U+16A0…] b [U+13000]c"]


def test_no_box_where_no_font_is_installed(monkeypatch, recwarn):
    from evenhand.report import fonts

    monkeypatch.setattr(fonts, "_known", list)
    fallback_for.cache_clear()
    try:
        found = fallback_for(frozenset("判断x"))
        assert (found.families, found.missing) == ((), frozenset("判断"))
        png = figure_bytes(drawn("判断x"), name="cjk", form="png")
        assert png == figure_bytes(drawn("[U+5224…]x"), name="cjk", form="png")
        assert [w for w in recwarn if "Glyph" in str(w.message)] == []
    finally:
        fallback_for.cache_clear()


def test_invisible_characters_are_no_missing_ones():
    assert fallback_for(frozenset("a\n\u200b")).missing == frozenset()


def test_nothing_is_said_on_stderr(cjk, capfd):
    def bold():
        figure = drawn(CJK)()
        figure.texts[0].set_fontweight("bold")
        return figure

    figure_bytes(bold, name="cjk", form="pdf")
    assert capfd.readouterr().err == ""


def test_a_damaged_font_file_is_passed_over(monkeypatch, tmp_path):
    from matplotlib import font_manager

    from evenhand.report import fonts

    bad = tmp_path / "NotoSansCJK-Bad.ttc"
    bad.write_bytes(b"ttcf nothing")
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda *_, **__: [str(bad)])
    fonts._add_installed.cache_clear()
    try:
        fonts._add_installed()
        assert str(bad) not in {entry.fname for entry in font_manager.fontManager.ttflist}
    finally:
        fonts._add_installed.cache_clear()
    assert Path(bad).exists()
