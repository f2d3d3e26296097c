import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.openai.settings import ApiSettings
from evenhand.judges.options import read_options
from evenhand.judges.vllm.engine import EngineSettings
from evenhand.registry import available, resolve

Run = Callable[..., Any]


def test_every_kind_is_listed_with_a_line_about_it(evenhand: Run) -> None:
    done = evenhand("judges", "--json")
    assert done.code == 0
    listed = json.loads(done.out)
    assert tuple(listed) == available("judges")
    assert all(kind["about"] for kind in listed.values())


def test_options_are_listed_with_what_they_take(evenhand: Run) -> None:
    done = evenhand("judges", "llamacpp:")
    assert done.code == 0
    assert "llamacpp:… takes smollm2-135m (fetched once from PyPI), or PATH.gguf\n" in done.out
    assert "n_ctx (int; default what the model was trained with): context length in tokens\n" in done.out
    assert "simulated" not in done.out


@pytest.mark.parametrize("kind", available("judges"))
def test_options_are_told_where_a_judge_has_them(kind: str) -> None:
    for option in getattr(resolve("judges", kind), "OPTIONS", {}).values():
        assert option.help


def test_the_parameters_of_a_simulated_judge_are_listed_with_their_defaults(evenhand: Run) -> None:
    done = evenhand("judges", "simulated")
    lines = [line.strip() for line in done.out.splitlines()]
    assert "position (float, default 0): bias toward the first slot; 0 is a fair judge" in lines
    assert "seed (int, default 0): another seed is another judge of the same kind" in lines
    found = json.loads(evenhand("judges", "simulated", "--json").out)["simulated"]
    assert list(found) == ["about", "example", "spec", "parameters", "options"]
    assert found["example"] == "simulated:fair"
    assert found["parameters"]["noise"]["default"] == 0.5
    later = found["parameters"]["prefilled_position"]
    assert (later["default"], later["unset"]) == (None, "as generated_position, and else as position")
    assert len(found["parameters"]) == sum("(float, default" in x or "(int, d" in x or "(str, d" in x for x in lines)


@pytest.mark.parametrize("kind", ["llamacpp", "openai", "transformers", "vllm"])
def test_an_option_s_default_is_the_one_that_holds(kind: str) -> None:
    """Where it is a plain value: read as the option reads it, it is what its reader has as a default."""
    judge = resolve("judges", kind)
    holds = {
        "llamacpp": judge,
        "openai": ApiSettings,
        "transformers": TransformersJudge,
        "vllm": EngineSettings,
    }[kind]
    real = {name: each.default for name, each in inspect.signature(holds).parameters.items()}
    plain = 0
    for name, option in judge.OPTIONS.items():
        if not isinstance(real.get(name), bool | int | float | str):
            assert option.default, name
            continue
        plain += 1
        assert read_options({name: option.default}, judge.OPTIONS, spec="x:y")[name] == real[name], name
    assert plain >= 2


def test_an_unknown_kind_is_an_error(evenhand: Run) -> None:
    done = evenhand("judges", "oracle")
    assert done.code == 2
    assert "oracle" in done.err
