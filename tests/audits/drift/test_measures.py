import pytest

from audits.tables import many, verdicts
from evenhand.analysis.wide import widen
from evenhand.audits.drift.measures import DRIFT_MEASURES, drift_measure
from evenhand.errors import ConfigError
from evenhand.records import verdict_table


def figure(name: str, codes: dict[str, str], **facts: dict[str, str]) -> tuple[float, int]:
    """A measure's figure and how many values it has."""
    wide = widen(verdict_table(verdicts(codes, **facts)))
    measure = drift_measure(name)
    seen = measure.observe(wide.scopes[0], wide.facts)
    known = int(seen.known.sum())
    mean = float(seen.values[seen.known].mean())
    return (2 * mean - 1 if measure.directed else mean), known


def test_each_measure_by_hand() -> None:
    codes = {"a": "FF", "b": "FS", "c": "SS", "d": "FT", "e": "UX", "f": "FF"}
    assert figure("verdict_rate", codes) == (10 / 12, 12)
    assert figure("flip_rate", codes) == (3 / 4, 4)
    assert figure("position_bias_strength", codes) == (pytest.approx(1 / 4), 4)
    assert figure("first_slot_rate", codes) == (6 / 9, 9)
    assert figure("tie_rate", codes) == (1 / 10, 10)


def test_accuracy_takes_both_orders_and_leaves_out_what_has_no_verdict() -> None:
    # F in AB and S in BA prefer A.
    codes, gold = {"a": "FS", "b": "FF", "c": "UF", "d": "FS"}, {"a": "A", "b": "A", "c": "B"}
    assert figure("accuracy", codes, gold=gold) == (4 / 5, 5)


def test_a_gold_tie_is_met_by_a_tie() -> None:
    assert figure("accuracy", {"a": "TF"}, gold={"a": "t"}) == (1 / 2, 2)


def test_compliance_is_of_what_is_known() -> None:
    codes, compliant = {"a": "FF", "b": "FF", "c": "FF"}, {"a": "++", "b": "+-", "c": "+?"}
    assert figure("compliance_presentations", codes, compliant=compliant) == (4 / 5, 5)
    assert figure("compliance_pairs", codes, compliant=compliant) == (1 / 2, 2)


def test_failed_calls_are_a_rate_of_their_own_and_no_verdicts() -> None:
    codes = many(FE=1, FS=3)
    assert figure("failure_rate", codes) == (1 / 8, 8)
    assert figure("verdict_rate", codes) == (7 / 8, 8)


@pytest.mark.parametrize(
    ("given_name", "name"), [("compliance", "compliance_pairs"), ("position-bias", "position_bias_strength")]
)
def test_short_names(given_name: str, name: str) -> None:
    assert drift_measure(given_name).name == name


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no measure 'vibes' can be compared: expected one of verdict_rate, "):
        drift_measure("vibes")


def test_every_measure_is_described() -> None:
    assert all(
        name == measure.info.name and measure.info.definition.endswith(".") for name, measure in DRIFT_MEASURES.items()
    )
