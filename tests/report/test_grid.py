from dataclasses import replace

from evenhand.report.grid import design_names, grid_of


def designs(manifest, *settings):
    one = manifest.conditions[0]
    made = tuple(replace(one, id=f"d{i}", design=design) for i, design in enumerate(settings))
    return replace(manifest, conditions=made)


BASE = (("labels", "A/B"), ("criteria", "before"))


def test_a_design_is_named_by_what_it_changes(manifest):
    run = designs(manifest, BASE, (("labels", "1/2"), BASE[1]), (("labels", "1/2"), ("criteria", "none")))
    assert design_names(run) == {"d0": "baseline", "d1": "labels=1/2", "d2": "labels=1/2, criteria=none"}
    grid = grid_of(run)
    assert (grid.designs, grid.baseline_text, grid.level_of("criteria")) == (3, "labels=A/B, criteria=before", "before")
    assert grid.level_of("no such axis") == ""


def test_a_run_without_designs_or_with_some_only_keeps_its_names(manifest):
    assert grid_of(manifest) is None
    assert design_names(manifest) == {}
    mixed = designs(manifest, BASE, ())
    assert design_names(mixed) == {}
    assert grid_of(mixed).designs == 1


def test_two_designs_of_one_name_are_not_shortened(manifest):
    assert design_names(designs(manifest, BASE, BASE)) == {}
