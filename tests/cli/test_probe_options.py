from dataclasses import replace

import pytest

from evenhand.cli.probe_options import complete_predictor, left_out, parse_layers, with_layers
from evenhand.errors import ConfigError
from evenhand.probes.predictors import PREDICTORS
from probes.saved_examples import probe_data


def test_completion_knows_every_predictor() -> None:
    assert complete_predictor("") == list(PREDICTORS)
    assert complete_predictor("comb") == ["combined", "combined-without-choice"]


def test_only_some_is_without_the_others_but_for_those_that_every_report_has() -> None:
    assert set(PREDICTORS) - set(left_out(("margin",), ())) == {"probe", "no-signal", "shuffled-labels", "margin"}
    assert "shuffled-labels" in left_out(("margin",), ("shuffled-labels",))
    assert left_out((), ("margin", "margin")) == ("margin",)
    assert left_out((), ()) == ()


@pytest.mark.parametrize(("only", "without"), [(("x",), ()), ((), ("x",)), (("margin",), ("combined",))])
def test_what_makes_no_sense_is_refused(only: tuple[str, ...], without: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError):
        left_out(only, without)


def test_layers_are_numbers() -> None:
    assert parse_layers(None) is None
    assert parse_layers("14, 21") == {14, 21}
    for wrong in ("", "a", "1,", "-1", "1.5", "٣", "1" * 5000):
        with pytest.raises(ConfigError, match="expected numbers"):
            parse_layers(wrong)


def test_layers_keep_both_positions() -> None:
    data = probe_data(6)
    assert with_layers(data, None) is data
    assert sorted(place.name for place in with_layers(data, {3}).activations) == ["before-verdict@3", "prompt-end@3"]
    with pytest.raises(ConfigError, match=r"--layers 2: not among those collected for tiny/judge \(1, 3\)"):
        with_layers(data, {2, 3})
    with pytest.raises(ConfigError, match="none"):
        with_layers(replace(data, activations={}), {2})
