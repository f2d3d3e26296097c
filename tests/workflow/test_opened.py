import pytest

from evenhand.errors import ConfigError
from evenhand.judges import Judge, load_judge
from evenhand.workflow import JudgeSetup
from evenhand.workflow.opened import opened, opened_for_estimate

SPEC = "simulated:position=1"


def test_a_judge_named_by_its_spec_is_opened() -> None:
    with opened(SPEC) as judge:
        assert isinstance(judge, Judge)
        assert judge.identity.spec == SPEC


def test_a_judge_that_is_open_is_used_as_it_is() -> None:
    with load_judge(SPEC) as judge, opened(judge) as same:
        assert same is judge
        with pytest.raises(ConfigError, match="open already"), opened(judge, JudgeSetup()):
            pass


def test_options_reach_the_judge() -> None:
    with pytest.raises(ConfigError, match="colour"), opened(SPEC, JudgeSetup(options={"colour": "red"})):
        pass


def test_for_an_estimate_an_api_judge_needs_no_key_and_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"), opened("openai:m"):
        pass
    with opened_for_estimate("openai:m", JudgeSetup(executor="ray", workers=2, options={"concurrency": 3})) as judge:
        assert repr(judge).startswith("OpenAIJudge('m'")
    with opened_for_estimate(SPEC) as judge, opened_for_estimate(judge) as same:
        assert judge.identity.spec == SPEC
        assert same is judge


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"executor": "slurm"}, "executor 'slurm': expected local or ray"),
        ({"workers": 2}, "--executor ray"),
        ({"address": "10.0.0.1:6379"}, "--executor ray"),
        ({"executor": "ray", "workers": 0}, "workers is 0"),
        ({"executor": "ray"}, "--workers N"),
        ({"executor": "ray", "workers": 1, "gpus_per_worker": -1.0}, "GPUs per worker is -1.0"),
        ({"gpus_per_worker": 1.0}, "--executor ray"),
    ],
)
def test_a_setup_that_cannot_be(setup: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        JudgeSetup(**setup)


def test_anything_else_is_no_judge() -> None:
    with pytest.raises(ConfigError, match="got a int"), opened(3):
        pass
