"""Where the real logs lie: ``$EVENHAND_SHARED``, or ``shared`` beside the repository. Absent, the tests skip."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("EVENHAND_SHARED") or Path(__file__).parents[3] / "shared")


def real(*patterns: str) -> list[Path]:
    """Files under ``shared/data`` that match, sorted; none where the data is absent."""
    return sorted(path for pattern in patterns for path in (SHARED / "data").glob(pattern))


def needs(files: list[Path], what: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not files, reason=f"{what} not found under {SHARED / 'data'} (set EVENHAND_SHARED)")
