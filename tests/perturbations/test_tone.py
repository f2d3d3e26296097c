import pytest

from evenhand.perturbations.tone import FRAMES, set_tone


def test_both_frames_have_the_same_length_in_characters_and_words():
    assert len({len(frame) for frame in FRAMES.values()}) == 1
    assert len({len(frame.split()) for frame in FRAMES.values()}) == 1
    assert len(FRAMES) == 2


@pytest.mark.parametrize("level", FRAMES)
def test_content_is_untouched_and_a_frame_stands_once(level):
    framed = set_tone("Seven is.", level)
    assert framed == f"Seven is.\n\n{FRAMES[level]}"
    assert set_tone(framed, level).reason == f"the response already has this {level} frame"


def test_code_alone_has_no_tone():
    assert set_tone("```\nls\n```", "hedged").reason == "the response is code only"
    assert set_tone("Run:\n```\nls\n```", "hedged").startswith("Run:\n```\nls\n```\n\nI am ")
