from collections.abc import Iterator
from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.judges import Judge, load_judge
from evenhand.prompts import prompt_file
from evenhand.records import LabelSet
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.conditions import asked_conditions, condition_names
from evenhand.workflow.settings import PREFILL


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with load_judge("simulated:fair") as opened:
        yield opened


def test_one_prompt_has_a_condition_for_each_label_set(judge: Judge) -> None:
    labels = (LabelSet.parse("A/B"), LabelSet.parse("X/Y"))
    settings, asked = asked_conditions(judge, AuditSettings(labels=labels))
    assert list(asked) == ["single-character, A/B", "single-character, X/Y"]
    assert settings.budgets
    for name, each in asked.items():
        assert each.condition.id == name
        assert each.condition.design == ()
        assert each.condition.prefill is None
        assert {token.label for token in each.label_tokens} == {
            each.condition.labels.first,
            each.condition.labels.second,
        }


def test_a_grid_has_a_condition_for_each_combination(judge: Judge) -> None:
    settings, asked = asked_conditions(judge, AuditSettings(vary=("labels=A/B|1/2", "criteria=before|after")))
    assert [each.condition.design for each in asked.values()] == [
        (("labels", labels), ("criteria", criteria)) for labels in ("A/B", "1/2") for criteria in ("before", "after")
    ]
    assert settings.labels == ()
    assert len({each.condition.prompt_hash for each in asked.values()}) == 2
    assert [each.condition.labels.name for each in asked.values()] == ["A/B", "A/B", "1/2", "1/2"]


def test_a_star_changes_one_thing_at_a_time(judge: Judge) -> None:
    settings = AuditSettings(vary=("labels=A/B|1/2", "criteria=before|after"), star=True)
    assert len(asked_conditions(judge, settings)[1]) == 3


def test_the_grammar_is_the_templates(judge: Judge) -> None:
    [each] = asked_conditions(judge, AuditSettings(prompt="score-each"))[1].values()
    assert each.condition.grammar is not None
    assert each.condition.grammar.scale == (1, 10)


@pytest.mark.parametrize(("given", "used"), [("So:", "So:"), (None, PREFILL)])
def test_the_prefill_is_the_users_or_the_usual_one(judge: Judge, given: str | None, used: str) -> None:
    settings = AuditSettings(readout=(ReadoutChoice.BOTH, ReadoutChoice.PREFILLED), prefill=given)
    [each] = asked_conditions(judge, settings)[1].values()
    assert each.condition.prefill == used


def test_the_prefill_may_be_the_templates(judge: Judge, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('prefill = "Verdict:"\n' + prompt_file("single-character"), encoding="utf-8")
    [each] = asked_conditions(judge, AuditSettings(prompt=str(own), readout=ReadoutChoice.PREFILLED))[1].values()
    assert each.condition.prefill == "Verdict:"


@pytest.mark.parametrize("choice", [ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED])
def test_scores_have_no_label_to_prefill_or_constrain(judge: Judge, choice: ReadoutChoice) -> None:
    with pytest.raises(ConfigError, match=f"the readouts {choice.value} can't"):
        asked_conditions(judge, AuditSettings(prompt="score-each", readout=(ReadoutChoice.BOTH, choice)))


def test_an_unknown_axis_is_named(judge: Judge) -> None:
    with pytest.raises(ConfigError, match="colour"):
        asked_conditions(judge, AuditSettings(vary=("colour",)))


@pytest.mark.parametrize("settings", [AuditSettings(), AuditSettings(vary=("labels", "criteria"), star=True)])
def test_names_are_known_before_there_is_a_judge(judge: Judge, settings: AuditSettings) -> None:
    assert condition_names(settings) == tuple(asked_conditions(judge, settings)[1])
