"""What a reader would see at once: a text that lies on another, or that the figure's edge cuts."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

from evenhand.report.draw import STYLE
from evenhand.report.plotting import load_matplotlib

_TOUCH = 2.0  # pixels at 100 dpi by which the boxes of two texts may overlap: the boxes have empty corners


def seen_texts(make: Any) -> list[tuple[str, Any]]:
    """The figure's texts with their boxes in pixels, and the figure's own box first."""
    mpl = load_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        figure = make()
        FigureCanvasAgg(figure).draw()
        found = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
        hidden = {id(t) for axes in figure.axes for t in _ticks_outside(axes)}
        return [
            ("", figure.bbox),
            *((text.get_text(), text.get_window_extent()) for text in found if id(text) not in hidden),
        ]


def _ticks_outside(axes: Any) -> list[Any]:
    """Labels of ticks that matplotlib keeps but doesn't draw."""
    out = []
    for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
        for tick in axis.get_major_ticks():
            if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                out += [tick.label1, tick.label2]
    return out


def check_readable(make: Any, *, turned: bool = False) -> list[str]:
    """Assert that no two texts overlap and none leaves the figure; ``turned`` allows for boxes of slanted texts."""
    (_, whole), *texts = seen_texts(make)
    for text, box in texts:
        assert box.x0 >= whole.x0 - _TOUCH, f"{text!r} is cut at the left"
        assert box.x1 <= whole.x1 + _TOUCH, f"{text!r} is cut at the right"
        assert box.y0 >= whole.y0 - _TOUCH, f"{text!r} is cut below"
        assert box.y1 <= whole.y1 + _TOUCH, f"{text!r} is cut above"
    slanted = {text for text, _ in texts} if turned else set()
    for (one, a), (other, b) in combinations(texts, 2):
        if one in slanted and other in slanted and turned:
            continue
        wide, tall = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= _TOUCH or tall <= _TOUCH, f"{one!r} lies on {other!r}"
    return [text for text, _ in texts]
