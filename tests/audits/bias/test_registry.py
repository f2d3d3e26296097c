from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace

import pytest

from evenhand.audits.bias import registry
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.registry import BIAS_AUDITS, OBSERVED, bias_names
from evenhand.errors import ConfigError


def plugged(monkeypatch: pytest.MonkeyPatch, made: object, *, name: str = "mine") -> None:
    module = ModuleType("plugged_audit")
    module.Audit = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "plugged_audit", module)
    point = EntryPoint(name=name, value="plugged_audit:Audit", group=registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == registry.ENTRY_POINTS else [])


def test_every_audit_loads_under_its_own_name_and_asks_a_question() -> None:
    for name, audit in BIAS_AUDITS.items():
        assert isinstance(audit, BiasAudit)
        assert audit.name == name
        assert audit.question.endswith("?")
        assert audit.needs.endswith(".")


def test_an_audit_is_made_once() -> None:
    assert BIAS_AUDITS["sycophancy"] is BIAS_AUDITS["sycophancy"]


def test_names_come_in_the_order_of_reports_each_once() -> None:
    assert bias_names(["recency", "sycophancy", "recency"]) == ("sycophancy", "recency")
    assert bias_names(["all"]) == tuple(BIAS_AUDITS) == bias_names(["tone", "all"])
    assert bias_names([]) == ()
    assert set(OBSERVED) <= set(BIAS_AUDITS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sycofancy", "unknown bias audit 'sycofancy'; did you mean 'sycophancy'? (known: verbosity, sycophancy, "),
        ("", "unknown bias audit '' (known:"),
        ("self-preference", "is told from the runs of several judges: evenhand biases RUN RUN"),
    ],
)
def test_an_unknown_name_is_refused_with_what_there_is(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        bias_names([name])
    assert said in str(caught.value)


def test_another_package_adds_an_audit_but_replaces_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine:
        name, question, needs = "mine", "Mine?", "Nothing."

        def plan(self, *_: object) -> tuple[()]:
            return ()

        def analyse(self, *_: object) -> tuple[()]:
            return ()

    plugged(monkeypatch, Mine)
    assert bias_names(["mine", "tone"]) == ("tone", "mine")
    assert isinstance(BIAS_AUDITS["mine"], Mine)
    plugged(monkeypatch, Mine, name="tone")
    assert not isinstance(registry._Registry(registry._BUILT_IN)["tone"], Mine)


def test_what_is_no_audit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, SimpleNamespace, name="empty")
    with pytest.raises(ConfigError, match="bias audit 'empty': plugged_audit:Audit is no bias audit"):
        _ = BIAS_AUDITS["empty"]


def test_a_missing_package_is_named() -> None:
    with pytest.raises(ConfigError, match="bias audit 'gone' needs no_such_package, which is not installed"):
        registry._load("gone", "no_such_package:Audit")
