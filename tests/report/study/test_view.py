import re
import unicodedata
from dataclasses import asdict, replace
from importlib.metadata import version

import pytest

from evenhand.report.study.view import build_study_view, evenhand_version, study_tables
from report.study.examples import COMMAND, CREATED, LEADERBOARD, make_empty, make_study


def texts(value):
    match value:
        case str():
            yield value
        case dict():
            yield from (text for item in value.items() for text in texts(item))
        case list() | tuple():
            yield from (text for item in value for text in texts(item))


def test_where_it_comes_from_is_kept(study_view):
    assert study_view.subtitle == "60 pairs of starter, both orders · 2026-11-30 07:10 UTC"
    assert study_view.command == COMMAND
    assert study_view.facts == (
        ("clusters", "question groups"),
        ("seed", "0"),
        ("created", "2026-11-30 07:10 UTC"),
        ("Evenhand", version("evenhand")),
    )
    assert evenhand_version() == version("evenhand")


def test_nothing_is_invented_where_nothing_is_given():
    bare = build_study_view(make_study())
    assert (bare.command, bare.subtitle) == ("", "60 pairs of starter, both orders")
    assert [name for name, _ in bare.facts] == ["clusters", "seed", "Evenhand"]


@pytest.mark.parametrize(
    ("status", "look", "sign"),
    [
        ("good", "steady", "✓"),
        ("bad", "sensitive", "!"),
        ("undecided", "undecided", "?"),
        ("described", "described", "·"),
        ("failed", "failed", "×"),
    ],
)
def test_a_status_chooses_colour_and_sign_and_the_study_the_words(status, look, sign):
    study = make_study()
    view = build_study_view(replace(study, headline=replace(study.headline, status=status)))
    assert (view.status, view.headline.status, view.sign) == (status, look, sign)
    assert view.headline.verdict == "Length sways this judge"


def test_columns_with_a_definition_make_the_glossary_once():
    study = replace(make_study(), tables=(*make_study().tables, LEADERBOARD))
    terms = build_study_view(study).glossary
    assert terms.count(("rank", "1 is best.")) == 1
    assert [term for term, _ in terms] == ["effect", "flip rate", "β₂", "rank"]


def test_figures_without_anything_to_draw_are_left_out(study_view):
    assert [named.name for named in study_view.figures] == ["effects", "control", "swaps"]
    assert build_study_view(make_empty()).figures == ()


def test_tables_of_one_id_get_names_of_their_own():
    study = replace(make_study(), tables=(LEADERBOARD, LEADERBOARD))
    assert [table.id for table in study_tables(study)] == ["leaderboard", "leaderboard-2"]


def test_study_tables_are_the_view_s(study_view):
    assert study_tables(make_study()) == study_view.tables


def test_hostile_text_is_clean_and_bounded_everywhere(hostile_study_view):
    found = list(texts({k: v for k, v in asdict(hostile_study_view).items() if k != "figures"}))
    assert len(found) > 60
    for text in found:
        text.encode("utf-8")
        assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Cn")]
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
        assert len(text) < 4000
    for name in (hostile_study_view.kind, *(table.id for table in hostile_study_view.tables)):
        assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name)


def test_a_time_that_is_none_stays_text():
    assert build_study_view(make_study(), created=CREATED[:0] or "yesterday").subtitle.endswith(" · yesterday")
