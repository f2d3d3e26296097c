import subprocess
import sys

import pytest

import evenhand


@pytest.mark.parametrize("name", evenhand.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(evenhand, name) is not None


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
