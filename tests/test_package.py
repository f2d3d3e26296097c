import inspect
import subprocess
import sys
from collections.abc import Iterator

import pytest

import evenhand


@pytest.mark.parametrize("name", evenhand.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(evenhand, name) is not None


def _taken_paths() -> Iterator[tuple[str, str]]:
    """Each parameter of the public functions and methods that is a path, with what its annotation says."""
    for name in evenhand.__all__:
        each = getattr(evenhand, name)
        calls = {name: each}
        if inspect.isclass(each):
            own = inspect.getmembers(each, inspect.isfunction)
            calls = {f"{name}.{method}": call for method, call in own if not method.startswith("_")}
        for called, call in calls.items():
            for parameter in inspect.signature(call).parameters.values() if callable(call) else ():
                if "Path" in str(parameter.annotation):
                    yield f"{called}({parameter.name})", str(parameter.annotation)


def test_wherever_a_path_is_taken_a_text_is_taken_too() -> None:
    """``run.write_report("reports")`` was a TypeError while ``audit(out="runs/mine")`` was fine."""
    found = dict(_taken_paths())
    assert {"audit(out)", "AuditRun.write_report(directory)", "report_runs(runs)"} <= set(found)
    assert [where for where, annotation in found.items() if "str" not in annotation] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = evenhand.nonsense


def test_dir_lists_the_public_names() -> None:
    assert set(dir(evenhand)) == set(evenhand.__all__)


@pytest.mark.parametrize("statement", ["import evenhand", "import evenhand.cli.main"])
def test_importing_loads_no_heavy_library(statement: str) -> None:
    heavy = ("torch", "transformers", "ray", "vllm", "matplotlib", "xllamacpp", "polars", "scipy", "numpy", "jinja2")
    code = f"{statement}; import sys; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
