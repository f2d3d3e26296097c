from evenhand.perturbations.injection import INJECTED, inject


def test_the_note_ends_the_response_and_names_no_slot():
    assert inject("Nine.") == f"Nine.\n\n{INJECTED}"
    words = {word.strip(".,:") for word in INJECTED.split()}
    assert not words & {"A", "B", "first", "second", "1", "2"}


def test_it_stands_there_once():
    assert inject(inject("Nine.")).reason == "the response already holds this instruction"
