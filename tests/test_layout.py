"""Tests mirror the source one to one: what is tested where can be told from a file's name.

``src/evenhand/<package>/<module>.py`` has ``tests/<package>/test_<module>.py``. A new module without tests fails here;
so does a test file whose module is gone. Exceptions are listed with their reason, and one that no longer applies fails.
"""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "evenhand"

RECORDS_ONLY = "fields without behaviour: nothing in it could fail by itself"
TABLE_OF_MEASURES = "a table of definitions: tests/analysis/test_measures.py checks every entry"
WITHOUT_TESTS_OF_THEIR_OWN = {
    "analysis/bias_measures.py": TABLE_OF_MEASURES,
    "analysis/contrast_measures.py": TABLE_OF_MEASURES,
    "analysis/measure_info.py": RECORDS_ONLY,
    "analysis/observed_measures.py": TABLE_OF_MEASURES,
    "analysis/position_measures.py": TABLE_OF_MEASURES,
    "analysis/prediction_powered_measures.py": TABLE_OF_MEASURES,
    "analysis/probability_measures.py": TABLE_OF_MEASURES,
    "analysis/readout_measures.py": TABLE_OF_MEASURES,
    "analysis/selective_measures.py": TABLE_OF_MEASURES,
    "audits/bias/base.py": RECORDS_ONLY,
    "audits/humans/comparison.py": RECORDS_ONLY,
    "perturbations/base.py": RECORDS_ONLY,
    "records/completion.py": RECORDS_ONLY,
    "records/grammar.py": RECORDS_ONLY,
    "records/manifest.py": RECORDS_ONLY,
    "records/presentation.py": RECORDS_ONLY,
    "records/text_status.py": RECORDS_ONLY,
    "probes/results.py": RECORDS_ONLY,
    "report/panel_model.py": RECORDS_ONLY,
    "report/studies/power_plan.py": RECORDS_ONLY,
    "stats/results.py": RECORDS_ONLY,
    "store/entries.py": RECORDS_ONLY,
    "workflow/dry_run.py": RECORDS_ONLY,
    "web/index_schema.py": "statements and sorts: tests/web/test_index.py runs every one of them",
    "judges/llama/engine.py": (
        "a thin layer over the native engine: tests/judges/llama/test_judge.py runs both on the real model, and a "
        "double in its place would only repeat our assumptions about llama.cpp"
    ),
}

# Directories that cut across modules: one promise each, whichever modules keep it.
ACROSS_MODULES = frozenset({"browser", "contract", "docs", "faults", "fuzz", "golden", "real", "simulation"})

TESTS_OF_MORE_THAN_A_MODULE = {
    "test_layout.py": "this file",
    "test_package.py": "the package's public names and import time",
    "test_packaging.py": "wheel and sdist, as people install them",
    "cli/test_interrupt.py": "Ctrl-C through the whole command, in a process of its own",
    "datasets/test_adversarial.py": "the adversarial set is a package, as the starter set is",
    "datasets/test_starter.py": "the starter set is a package: its code is in __init__.py and its data beside it",
    "readouts/test_properties.py": "invariants of the parser as a whole, for any text",
    "runner/test_kill.py": "a run killed in the middle, in a process of its own",
    "workflow/test_bias_kill.py": "an audit of changed pairs, killed in the middle, in a process of its own",
    "workflow/test_collect_kill.py": "activations being collected, killed in the middle, in a process of its own",
    "workflow/test_selective_kill.py": "a selective audit, killed in the middle, in a process of its own",
}


def modules() -> set[str]:
    """Every module that has code of its own; ``__init__`` and ``__main__`` only hand on."""
    paths = (path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return {path.as_posix() for path in paths if not path.name.startswith("__")}


def files_of_tests() -> set[str]:
    """Every test file but those that cut across modules."""
    paths = (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    return {path.as_posix() for path in paths if path.parts[0] not in ACROSS_MODULES}


def mirrored(module: str) -> str:
    path = Path(module)
    return (path.parent / f"test_{path.name}").as_posix()


def test_there_is_a_source_to_mirror() -> None:
    assert "readouts/decision.py" in modules()
    assert "readouts/test_decision.py" in files_of_tests()
    assert mirrored("readouts/decision.py") == "readouts/test_decision.py"
    assert mirrored("errors.py") == "test_errors.py"


def test_every_module_has_its_test_file() -> None:
    without = {module for module in modules() if mirrored(module) not in files_of_tests()}
    assert sorted(without - WITHOUT_TESTS_OF_THEIR_OWN.keys()) == []


def test_every_test_file_has_its_module() -> None:
    without = files_of_tests() - {mirrored(module) for module in modules()}
    assert sorted(without - TESTS_OF_MORE_THAN_A_MODULE.keys()) == []


def test_no_exception_is_out_of_date() -> None:
    assert sorted(WITHOUT_TESTS_OF_THEIR_OWN.keys() - modules()) == []
    assert sorted(module for module in WITHOUT_TESTS_OF_THEIR_OWN if mirrored(module) in files_of_tests()) == []
    assert sorted(TESTS_OF_MORE_THAN_A_MODULE.keys() - files_of_tests()) == []
    assert sorted(name for name in ACROSS_MODULES if not (TESTS / name).is_dir()) == []
