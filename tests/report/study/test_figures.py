from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from evenhand.analysis.study import ForestRow, LineChart
from evenhand.errors import ConfigError
from evenhand.report.study.figures import (
    figure_caption,
    figure_words,
    is_drawn,
    study_figure_svg,
    write_study_figures,
)
from evenhand.report.study.view import build_study_view
from report.study.examples import CONTROL, EFFECTS, NAN, SWAPS, TOO_FEW, figure, make_study


def test_what_has_something_to_draw():
    assert all(is_drawn(each) for each in (EFFECTS, CONTROL, SWAPS))
    assert not is_drawn(replace(EFFECTS, rows=()))
    assert not is_drawn(replace(EFFECTS, rows=(ForestRow(label="a", estimate=TOO_FEW),)))
    assert not is_drawn(replace(EFFECTS, rows=(ForestRow(label="a", estimate=figure(NAN, 0, 1)),)))
    assert not is_drawn(replace(CONTROL, series=(replace(CONTROL.series[0], y=(NAN,) * 5),)))
    assert not is_drawn(replace(SWAPS, z=()))
    assert not is_drawn(replace(SWAPS, x=()))


def test_the_words_hold_every_figure():
    words = figure_words(EFFECTS)
    assert "padding, redundant: +12.0 pp [+6.0, +18.0]" in words
    assert "padding, supplied: — needs at least 5 clusters, has 3" in words
    words = figure_words(CONTROL)
    assert "2026-11-01: 12.0 %" in words
    assert "upper control limit at 20.0 %" in words
    assert "2026-11-15" not in words, "a gap has no figure"
    assert "strength of position bias 1.5, strength of verbosity bias 2: 36.0 %" in figure_words(SWAPS)


def test_the_words_of_much_data_stay_few():
    xs = tuple(float(i) for i in range(1000))
    line = replace(CONTROL.series[0], x=xs, y=xs, low=(), high=())
    assert len(figure_words(replace(CONTROL, series=(line,), x_ticks=()))) < 600
    large = replace(SWAPS, x=xs[:20], y=xs[:20], z=(tuple(x / 20 for x in xs[:20]),) * 20)
    words = figure_words(large)
    assert "Lowest and highest: " in words
    assert "0.0 %" in words or "0 %" in words
    assert "95.0 %" in words


def test_captions_say_how_to_read_them():
    assert "The vertical line is at 0." in figure_caption(EFFECTS)
    assert "A dash: no figure" in figure_caption(EFFECTS)
    assert "vertical line" not in figure_caption(replace(EFFECTS, reference=None))
    assert figure_caption(CONTROL) == (
        "Shaded areas and bars are intervals. A gap: no figure there. Dashed horizontal lines are limits."
    )
    plain = LineChart(id="p", title="", x_label="", y_label="", series=(replace(CONTROL.series[0], low=(), high=()),))
    assert "intervals" not in figure_caption(plain)
    assert figure_caption(SWAPS).endswith("Empty cells: no figure.")


def test_files_have_the_study_s_name_and_are_the_same_each_time(study_view, tmp_path):
    first = write_study_figures(study_view, tmp_path / "a", formats=("svg", "pdf", "png"))
    second = write_study_figures(study_view, tmp_path / "b", formats=("svg", "pdf", "png"))
    assert [path.name for path in first] == [
        f"biases-{name}.{form}" for name in ("effects", "control", "swaps") for form in ("svg", "pdf", "png")
    ]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one
    assert first[1].read_bytes().startswith(b"%PDF")
    assert first[2].read_bytes().startswith(b"\x89PNG")


def test_on_a_page_a_figure_has_ids_of_its_own_and_words(study_view):
    root = ET.fromstring(study_figure_svg("control", study_view))  # noqa: S314 - our own
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "fig-control-title fig-control-desc"
    assert [child.text for child in root][:1] == ["Flip rate over runs"]
    assert all(e.get("id", "fig-control-").startswith("fig-control-") for e in root.iter())
    assert not [e for e in root.iter() if e.get("style") or e.tag == "image"]


def test_unknown_names_and_formats(study_view, tmp_path):
    with pytest.raises(ConfigError, match="no figure 'pie'"):
        study_figure_svg("pie", study_view)
    with pytest.raises(ConfigError, match="'gif'"):
        write_study_figures(study_view, tmp_path / "none", formats=("gif",))
    assert not (tmp_path / "none").exists()


def test_hostile_labels_are_labels_in_every_format(hostile_study_view, tmp_path):
    files = write_study_figures(hostile_study_view, tmp_path, formats=("svg", "png"))
    assert len(files) == 6
    for path in files:
        assert path.stat().st_size < 500_000
        if path.suffix == ".svg":
            root = ET.parse(path).getroot()  # noqa: S314 - our own
            assert not [e for e in root.iter() if e.tag.endswith("}script")]


@pytest.mark.filterwarnings("error")
def test_a_script_that_the_typeface_lacks_warns_nobody(tmp_path):
    rows = (ForestRow(label="日本語の審判", estimate=figure(0.1, 0.0, 0.2)),)
    view = build_study_view(replace(make_study(), figures=(replace(EFFECTS, rows=rows),)))
    svg, *_ = write_study_figures(view, tmp_path, formats=("svg", "png", "pdf"))
    assert "日本語の審判" in svg.read_text(encoding="utf-8")
