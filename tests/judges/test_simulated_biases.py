"""How pulls add up, and how they compound."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths, Cues

STRENGTHS = [f.name for f in fields(BiasStrengths) if f.name not in ("repeat_noise", "compound", "family")]
CUES = [f.name for f in fields(Cues)]
OF = dict(
    zip(
        ["verbosity", "sycophancy", "authority", "injection", "self_preference", "tone", "formatting", "recency"],
        ["length", "endorsed", "authority", "injected", "own", "tone", "formatting", "late"],
        strict=True,
    )
)


@pytest.mark.parametrize("name", STRENGTHS)
def test_each_strength_answers_to_its_own_cue_alone(name):
    judge = BiasStrengths(**{name: 2.0}, family="x")
    cue = "informal" if name == "register" else OF[name]
    sign = -1 if name == "register" else 1
    for other in CUES:
        assert judge.pull(Cues(**{other: 1.5}), position=0.0) == (sign * 3.0 if other == cue else 0.0)


number = st.floats(-5, 5, allow_nan=False)


@given(length=number, endorsed=st.integers(-3, 3), position=number, compound=st.floats(-1, 3))
def test_turning_every_cue_round_turns_the_pull_round(length, endorsed, position, compound):
    judge = BiasStrengths(verbosity=1.3, sycophancy=0.4, compound=compound)
    there = judge.pull(Cues(length=length, endorsed=endorsed), position=position)
    back = judge.pull(Cues(length=-length, endorsed=-endorsed), position=-position)
    assert there == pytest.approx(-back)
    if compound == 0:
        assert there == pytest.approx(1.3 * length + 0.4 * endorsed + position)


def test_only_biases_that_agree_compound():
    judge = BiasStrengths(verbosity=1.0, sycophancy=1.0, compound=0.5)
    assert judge.pull(Cues(length=1, endorsed=1), position=0.0) == 3.0
    assert judge.pull(Cues(length=1, endorsed=-1), position=0.0) == 0.0
    assert judge.pull(Cues(length=1), position=2.0) == 4.5
    assert judge.pull(Cues(length=1, endorsed=-1), position=-1.0) == -2.0  # 1 - 1.5 · 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"verbosity": float("nan")}, "verbosity=nan"),
        ({"repeat_noise": -1.0}, "repeat_noise=-1.0: a spread"),
        ({"compound": -1.5}, "compound=-1.5"),
        ({"self_preference": 1.0}, "add family=NAME"),
    ],
)
def test_bad_strengths_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        BiasStrengths(**settings)
