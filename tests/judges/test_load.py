import pytest

from evenhand.errors import ConfigError
from evenhand.judges.load import EXAMPLES, load_for_estimate, load_judge
from evenhand.judges.openai.judge import OpenAIJudge
from evenhand.judges.simulated import SimulatedJudge
from evenhand.registry import available


def test_the_kind_picks_the_class_and_the_rest_is_its_own() -> None:
    with load_judge("simulated:position=0.5") as judge:
        assert isinstance(judge, SimulatedJudge)
        assert judge.identity.spec == "simulated:position=0.5"


@pytest.mark.parametrize(
    ("spec", "example"),
    [
        ("", "llamacpp:smollm2-135m"),
        ("smollm2-135m", "llamacpp:smollm2-135m"),
        ("simulated", "simulated:fair"),
        ("simulated:", "simulated:fair"),
        ("openai", "openai:gpt-4o-mini"),
    ],
)
def test_a_spec_without_kind_or_rest_is_refused_with_an_example_of_its_kind(spec: str, example: str) -> None:
    with pytest.raises(ConfigError, match=f"expected KIND:MODEL, such as {example}$"):
        load_judge(spec)


def test_every_kind_has_an_example_and_that_of_the_simulated_one_works() -> None:
    assert set(available("judges")) <= set(EXAMPLES)
    assert all(spec.partition(":")[0] == kind for kind, spec in EXAMPLES.items())
    with load_judge(EXAMPLES["simulated"]) as judge:
        assert judge.identity.spec == "simulated:fair"


def test_an_unknown_kind_is_named_with_those_that_exist() -> None:
    with pytest.raises(ConfigError, match=r"unknown judge 'simulate'; did you mean 'simulated'\? \(known: llamacpp"):
        load_judge("simulate:position=1")


def test_an_option_that_the_kind_does_not_know_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="colour"):
        load_judge("simulated:position=0.5", colour="red")


def test_only_the_first_colon_parts() -> None:
    with pytest.raises(ConfigError) as caught:
        load_judge("simulated:posi:tion=1")
    assert "posi:tion" in str(caught.value)


def test_a_kind_that_estimates_with_less_is_opened_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        load_judge("openai:m")
    light = load_for_estimate("openai:m", timeout="3")
    assert isinstance(light, OpenAIJudge)
    light.close()
    assert load_for_estimate("simulated:fair") is load_for_estimate("simulate:fair") is None
    with pytest.raises(ConfigError, match="expected KIND:MODEL"):
        load_for_estimate("openai")
