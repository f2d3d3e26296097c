import pytest

from evenhand.errors import ConfigError
from evenhand.records import LabelSet, Readout
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.readout_choice import ReadoutChoice
from workflow.capturing_judge import CapturingDouble


def test_the_default_is_the_paper_s_format():
    settings = CollectSettings()
    settings.check_prompt()
    assert settings.audit.prompt == "brief-reasoning"
    assert settings.audit.choices == (ReadoutChoice.GENERATED,)
    meta = settings.meta(CapturingDouble())
    assert (meta.layers, meta.blocks, meta.size, meta.readout) == ((1, 2, 3), 4, 6, Readout.GENERATED)


def test_layers_are_sorted_and_each_kept_once():
    assert CollectSettings(layers=(3, 1, 3)).meta(CapturingDouble()).layers == (1, 3)
    with pytest.raises(ConfigError, match=r"layers 9: .* to 4"):
        CollectSettings(layers=(9,)).meta(CapturingDouble())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"readout": Readout.HYBRID}, "expected generated, first-token or prefilled"),
        ({"readout": "both"}, "expected generated, first-token or prefilled"),
        ({"layers": [1]}, "expected a tuple"),
        ({"layers": (True,)}, "expected a tuple"),
        ({"labels": "A/B"}, "LabelSet.parse"),
        ({"max_tokens": 9, "readout": Readout.FIRST_TOKEN}, "max_tokens is of the generated readout"),
        ({"max_tokens": 0}, "token budgets"),
        ({"repeat": -1}, "repeat"),
        ({"prefill": "The better is"}, "prefill"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises(ConfigError, match=said):
        CollectSettings(**wrong)


def test_prompts_of_another_format_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="another format than three lines"):
        CollectSettings(prompt="single-character").check_prompt()
    with pytest.raises(ConfigError, match="asks for a score"):
        CollectSettings(prompt="score-each", readout=Readout.FIRST_TOKEN).check_prompt()
    CollectSettings(prompt="brief-reasoning", readout=Readout.FIRST_TOKEN).check_prompt()
    from evenhand.prompts import prompt_file

    (tmp_path / "own.toml").write_text(prompt_file("brief-reasoning"), encoding="utf-8")
    own = CollectSettings(prompt=str(tmp_path / "own.toml"), labels=LabelSet.parse("X/Y"))
    own.check_prompt()
    assert own.audit.labels == (LabelSet.parse("X/Y"),)
