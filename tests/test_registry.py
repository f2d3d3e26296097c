from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from evenhand import registry
from evenhand.errors import ConfigError


@pytest.fixture(autouse=True)
def entry_points_are_read_anew() -> Iterator[None]:
    registry.forget_entry_points()
    yield
    registry.forget_entry_points()


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, table in registry.BUILT_IN.items() for name in table]
)
def test_every_built_in_name_loads(kind: str, name: str) -> None:
    loaded = registry.resolve(kind, name)
    assert loaded.__name__ == registry.BUILT_IN[kind][name].partition(":")[2]


def test_an_unknown_name_lists_what_exists_and_guesses() -> None:
    with pytest.raises(ConfigError, match=r"unknown judge 'lamacpp'; did you mean 'llamacpp'\? \(known: llamacpp"):
        registry.resolve("judges", "lamacpp")


def test_a_plugin_is_found_and_does_not_shadow_a_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint(name="mine", value="evenhand.records:Pair", group="evenhand.datasets"),
        EntryPoint(name="starter", value="evenhand.records:Message", group="evenhand.datasets"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert registry.resolve("datasets", "mine").__name__ == "Pair"
    assert registry.resolve("datasets", "starter").__name__ == "StarterDataset"
    assert "mine" in registry.available("datasets")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="mine", value="no_such_package.judge:Judge", group="evenhand.judges")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    with pytest.raises(ConfigError, match="judge 'mine' needs no_such_package"):
        registry.resolve("judges", "mine")


def test_entry_points_are_read_once_until_they_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: read.append(group) or [])
    for _ in range(3):
        registry.available("logs")
        registry.available("judges")
    assert read == ["evenhand.logs", "evenhand.judges"]
    registry.forget_entry_points()
    registry.available("logs")
    assert read == ["evenhand.logs", "evenhand.judges", "evenhand.logs"]
