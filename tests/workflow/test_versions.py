from datetime import UTC, datetime

from evenhand.workflow.versions import now, versions


def test_versions_name_python_and_what_computes_the_figures() -> None:
    assert {"python", "evenhand", "numpy", "scipy", "polars"} <= {name for name, _ in versions()}


def test_now_is_utc() -> None:
    told = datetime.fromisoformat(now())
    assert told.tzinfo == UTC
    assert abs((datetime.now(tz=UTC) - told).total_seconds()) < 60
