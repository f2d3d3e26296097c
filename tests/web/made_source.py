"""The made-up run of ``benchmarks/serve.py``, for tests that need one of any size."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType


@cache
def benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "serve.py"
    spec = importlib.util.spec_from_file_location("benchmark_serve", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
