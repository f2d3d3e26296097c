import pytest

from evenhand.errors import ConfigError
from evenhand.judges import Generate
from evenhand.prompts import load_prompt
from evenhand.records import Ask, LabelSet, Readout
from evenhand.workflow import AuditSettings, ReadoutChoice, SelectiveSettings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": (LabelSet.parse("A/B"), LabelSet.parse("A/B"))}, "named twice"),
        ({"budgets": (500, 400)}, "ascending"),
        ({"budgets": (0,)}, "ascending"),
        ({"budgets": (5, 5)}, "ascending"),
        ({"repeat": -1}, "repeat is -1"),
        ({"resamples": 10}, "at least 100"),
        ({"level": 1.0}, "level is 1.0"),
        ({"cluster": "rows"}, "auto, group or source"),
        ({"retries": -1}, "retries is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"labels": ("A/B",)}, r"labels are \('A/B',\): expected a tuple such as"),
        ({"labels": "A/B"}, "labels are 'A/B'"),
        ({"readout": "both"}, "readout is 'both': expected a ReadoutChoice"),
        ({"prompt": None}, "prompt is None"),
        ({"budgets": ("5",)}, "token budgets"),
        ({"budgets": 500}, "token budgets 500"),
        ({"repeat": 1.5}, "repeat is 1.5: expected a whole number"),
        ({"resamples": "many"}, "resamples is 'many'"),
        ({"retries": None}, "retries is None"),
        ({"seed": True}, "seed is True"),
        ({"level": "95"}, "level is '95'"),
        ({"readout": (ReadoutChoice.BOTH, ReadoutChoice.HYBRID)}, "readouts both, hybrid: choose one"),
        ({"readout": (ReadoutChoice.BOTH, ReadoutChoice.BOTH)}, "each once"),
        ({"readout": ()}, "readouts none"),
        ({"readout": (ReadoutChoice.BOTH, "prefilled")}, "expected a ReadoutChoice"),
        ({"readout": ReadoutChoice.PREFILLED, "prefill": " "}, "needs a beginning"),
        ({"prefill": 3}, "prefill is 3"),
        ({"prefill": "So:"}, "isn't among the readouts both"),
        ({"budget": 0.0}, "above 0 and below 1"),
        ({"budget": 1.0}, "above 0 and below 1"),
        ({"budget": True}, "budget is True"),
        ({"budget": 0.1, "readout": ReadoutChoice.GENERATED}, "needs the readout both"),
        ({"vary": "labels"}, "expected a tuple of axes"),
        ({"vary": ("labels",), "prompt": "brief-reasoning"}, "leave out prompt and labels"),
        ({"vary": ("labels",), "labels": (LabelSet.parse("A/B"),)}, "leave out prompt and labels"),
        ({"star": True}, "name axes to vary"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        AuditSettings(**change)


def test_what_is_left_open_comes_from_the_prompt() -> None:
    prompt = load_prompt("mt-bench-like")
    settings = AuditSettings(prompt=prompt.name).resolved(prompt)
    assert settings.labels == (prompt.labels,)
    assert settings.budgets
    chosen = AuditSettings(labels=(LabelSet.parse("1/2/3"),), budgets=(7,)).resolved(prompt)
    assert (chosen.labels[0].name, chosen.budgets) == ("1/2/3", (7,))


def test_several_readouts_are_reported_in_their_order_and_asked_each_in_its_way() -> None:
    settings = AuditSettings(readout=(ReadoutChoice.CONSTRAINED, ReadoutChoice.BOTH, ReadoutChoice.PREFILLED))
    assert settings.readouts == (
        Readout.FIRST_TOKEN,
        Readout.GENERATED,
        Readout.HYBRID,
        Readout.PREFILLED,
        Readout.CONSTRAINED,
    )
    assert settings.asks == (Ask.CONSTRAINED, Ask.OPEN, Ask.PREFILLED)
    assert settings.generate is Generate.ALWAYS
    alone = AuditSettings(readout=ReadoutChoice.PREFILLED)
    assert (alone.asks, alone.readouts) == ((Ask.PREFILLED,), (Readout.PREFILLED,))


def test_a_budget_asks_first_tokens_and_has_no_hybrid() -> None:
    settings = AuditSettings(budget=0.1, readout=(ReadoutChoice.BOTH, ReadoutChoice.PREFILLED))
    assert settings.asks == (Ask.FIRST, Ask.PREFILLED)
    assert settings.readouts == (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.PREFILLED)


def test_biases_are_kept_in_the_order_of_their_reports() -> None:
    assert AuditSettings(biases=("tone", "verbosity", "tone")).biases == ("verbosity", "tone")
    every = AuditSettings(biases=("all",)).biases
    assert {"sycophancy", "rationale", "interaction"} <= set(every)
    assert AuditSettings(biases=every) == AuditSettings(biases=("all",))
    assert AuditSettings().repeat is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"biases": "tone"}, "biases are 'tone': expected a tuple"),
        ({"biases": (3,)}, "expected a tuple of names"),
        ({"biases": ("tones",)}, "unknown bias audit 'tones'; did you mean 'tone'"),
        ({"biases": ("self-preference",)}, "the runs of several judges"),
        ({"variants": "mine.csv"}, "say in biases which ones"),
        ({"biases": ("tone",), "variants": 3}, "variants is 3"),
        ({"biases": ("tone",), "vary": ("labels",)}, "leave out vary"),
        ({"biases": ("tone",), "budget": 0.1}, "leave out budget"),
        (
            {"biases": ("tone",), "selective": SelectiveSettings(probe="p.json", budget=0.1)},
            "leave out a selective swap, or make it a run of its own",
        ),
    ],
)
def test_biases_that_cannot_be_asked_are_refused_in_one_line(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        AuditSettings(**change)
    assert "\n" not in str(caught.value)
