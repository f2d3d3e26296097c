import pytest

from evenhand.judges import Generate
from evenhand.records import Ask, Readout
from evenhand.workflow.readout_choice import TEXT_FIRST, ReadoutChoice


def test_both_readouts_bring_the_hybrid_with_them() -> None:
    assert ReadoutChoice.BOTH.readouts == (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)
    assert ReadoutChoice.BOTH.generate is Generate.ALWAYS
    assert ReadoutChoice.HYBRID.generate is Generate.UNLESS_LED
    assert ReadoutChoice.FIRST_TOKEN.generate is Generate.NEVER


@pytest.mark.parametrize("choice", list(ReadoutChoice))
def test_a_choice_reads_what_its_way_of_asking_gives(choice: ReadoutChoice) -> None:
    assert choice.readouts
    assert choice.ask.readouts(choice.readouts) == choice.readouts


def test_what_is_asked_apart() -> None:
    apart = {choice for choice in ReadoutChoice if choice.ask is not Ask.OPEN}
    assert apart == {ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED}


def test_every_readout_has_its_place_among_those_taken_first() -> None:
    assert sorted(TEXT_FIRST) == sorted(Readout)
    assert TEXT_FIRST[0] is Readout.GENERATED
