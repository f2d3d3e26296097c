import re
from pathlib import Path

from evenhand.report.study.markdown import study_markdown
from evenhand.report.study.view import build_study_view
from report.study.examples import make_empty

EXPECTED = Path(__file__).parent / "expected"


def test_the_sample_study_as_it_is_written(study_view):
    text = re.sub(r"(?m)^(\| Evenhand \| ).*( \|)$", r"\1VERSION\2", study_markdown(study_view))
    assert text == (EXPECTED / "biases.md").read_text(encoding="utf-8")


def test_an_empty_study_has_no_empty_parts():
    text = study_markdown(build_study_view(make_empty()))
    assert "**No verdicts.** Nothing was judged." in text
    assert "## Notes" not in text
    assert "What to do" not in text


def test_hostile_text_makes_no_markup(hostile_study_view):
    text = study_markdown(hostile_study_view)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
    outside = re.sub(r"\\[\\`*_{}\[\]#|~$]", "", text)
    assert not re.search(r"<(?!/?sup>)", outside)
    assert "](" not in outside
    assert "://" not in outside
    assert not re.search(r"(?m)^#(?!#? (How it was made|Notes|Terms|Reproduce and cite)| )", outside)
    assert len(text) < 200_000
