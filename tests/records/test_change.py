from evenhand.records import Change, Preference


def test_the_name_tells_factor_level_and_target() -> None:
    assert Change(factor="padding", level="redundant", target=Preference.A).name == "padding=redundant:A"
