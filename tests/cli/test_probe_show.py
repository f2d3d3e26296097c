import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.probes import Metric
from evenhand.probes.saved import save_probe
from evenhand.probes.saved_card import CardFigure
from evenhand.stats import Estimate, Interval, Refusal
from probes.saved_examples import renamed, saved_probe

Run = Callable[..., Any]
FIGURES = (
    CardFigure.of(
        Metric.AUROC, Estimate(value=0.85, interval=Interval(low=0.8, high=0.9, level=0.95), n=60, clusters=30)
    ),
    CardFigure.of(Metric.AUPRC, Estimate(value=0.5, interval=None, n=60)),
    CardFigure.of(Metric.BRIER, Refusal(reason="too few pairs", n=3)),
)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    return save_probe(tmp_path / "p", renamed(saved_probe(), figures=FIGURES))


def test_the_card_for_people(evenhand: Run, card: Path) -> None:
    done = evenhand("probe", "show", card)
    assert done.code == 0
    for part in (
        "probe (probe)",
        "before-verdict@3 (3 columns)",
        "tiny/judge at c0ffee, float32, 4 blocks of width 3",
        "labels A/B, generated readout",
        "thinking = off",
        "table:q.jsonl",
        "60 in 30 groups; flip rate",
        "60 of 63 judged pairs",
        "2: confidence not a number",
        "λ = 0.1, validation Brier 0.2000",
        "0.850 [0.800, 0.900] (95%, n = 60; nested cross-validation on the training set)",
        "0.500 (no interval, n = 60)",
        "refused: too few pairs",
        "2026-11-30T12:00:00+00:00 by evenhand 0.1.0",
    ):
        assert part in done.out


@pytest.mark.parametrize(("low", "said"), [(0.501, False), (0.5, True), (0.43, True)])
def test_an_interval_that_holds_chance_is_said(evenhand: Run, tmp_path: Path, low: float, said: bool) -> None:
    auroc = Estimate(value=0.55, interval=Interval(low=low, high=0.64, level=0.95), n=60, clusters=30)
    brier = Estimate(value=0.13, interval=Interval(low=0.1, high=0.16, level=0.95), n=60, clusters=30)
    figures = (CardFigure.of(Metric.AUROC, auroc), CardFigure.of(Metric.BRIER, brier))
    done = evenhand("probe", "show", save_probe(tmp_path / "p", renamed(saved_probe(), figures=figures)))
    assert (
        "0.640] (95%, n = 60; nested cross-validation on the training set): does not rule out chance, 0.5" in (done.out)
    ) is said
    assert done.out.count("rule out chance") == said, "a Brier score has no such chance"


def test_an_interval_below_chance_is_not_said_to_hold_it(evenhand: Run, tmp_path: Path) -> None:
    """What knows nothing may rank below chance when the predictions of several folds are ranked together."""
    auroc = Estimate(value=0.3, interval=Interval(low=0.14, high=0.49, level=0.95), n=60, clusters=30)
    figures = (CardFigure.of(Metric.AUROC, auroc),)
    done = evenhand("probe", "show", save_probe(tmp_path / "p", renamed(saved_probe(), figures=figures)))
    assert (
        "0.300 [0.140, 0.490] (95%, n = 60; nested cross-validation on the training set): below chance, 0.5" in done.out
    )
    assert "rule out" not in done.out


def test_a_card_without_figures_says_so(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("probe", "show", save_probe(tmp_path / "p", saved_probe()))
    assert "none: refitted without cross-validated figures" in done.out


def test_the_card_for_programs(evenhand: Run, card: Path) -> None:
    done = evenhand("probe", "show", card.with_suffix(".safetensors"), "--json")
    assert done.code == 0
    shown = json.loads(done.out)
    assert shown["card"]["subject"]["model"] == "tiny/judge"
    assert "prompt_sha256" in shown["card"]["subject"]  # as probes.json names it
    assert "prompt_hash" not in shown["card"]["subject"]
    assert shown["columns"] == 3
    assert shown["card"]["figures"][0]["value"] == 0.85


def test_control_characters_of_a_card_are_shown_and_not_obeyed(evenhand: Run, tmp_path: Path) -> None:
    card = save_probe(tmp_path / "p", renamed(saved_probe(), name="a\x1b[2J\u202e\nb"))
    done = evenhand("probe", "show", card)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "a[U+001B][2J[U+202E] b" in done.out


def test_a_damaged_probe_is_one_line(evenhand: Run, card: Path) -> None:
    card.with_suffix(".safetensors").write_bytes(b"")
    done = evenhand("probe", "show", card)
    assert done.code == 2
    assert done.out == ""
    assert "doesn't fit the checksum" in done.err
    assert done.err.count("\n") == 1
