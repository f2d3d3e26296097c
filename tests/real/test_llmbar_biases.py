"""The published LLMBar evaluators: figures of docs/results/llmbar-biases.md, and one of them counted from the log."""

import numpy as np
import pytest

from evenhand.analysis import FindingKind
from evenhand.logs import read_log
from evenhand.records import Order, Outcome, Preference, Readout
from evenhand.workflow.biases import biases
from evenhand.workflow.imported import import_log
from real.log_data import needs, real

RESULTS = real("llmbar/verdicts/Natural/*/*/result.json")
pytestmark = [pytest.mark.real, needs(RESULTS, "LLMBar results")]


def result_of(name):
    return next(path for path in RESULTS if "/".join(path.parts[-3:-1]) == name)


def verbosity(name, tmp_path, readout=Readout.GENERATED):
    run = import_log("llmbar", result_of(name), out=tmp_path / "run", resamples=200)
    found = biases(run, ("verbosity",), resamples=200).findings
    return next(finding for finding in found if finding.readout is readout)


@pytest.mark.parametrize(
    ("name", "effect", "per_quality", "decided"),
    [
        ("LLaMA2/Vanilla", 0.15, 0.70, True),
        ("ChatGPT/CoT", 0.08, 0.50, True),
        ("GPT-4/Vanilla", 0.01, 0.03, False),
        ("Falcon/CoT", -0.01, -0.21, False),
        ("PaLM2/CoT", 0.05, 0.24, False),
    ],
)
def test_length_at_equal_quality(name, effect, per_quality, decided, tmp_path):
    finding = verbosity(name, tmp_path)
    length = finding.measure("length_effect")
    assert round(length.value, 2) == effect
    assert round(finding.measure("length_per_quality").value, 2) == per_quality
    assert (length.interval.low > 0) is decided
    assert (finding.tests[0].p_value < 0.01) is decided


def test_how_often_length_wins_against_gold_by_a_count_of_the_log(tmp_path):
    log = read_log("llmbar", result_of("LLaMA2/Vanilla"))
    pairs = {pair.id: pair for pair in log.pairs}
    wrong = {True: [], False: []}
    for entry in log.entries:
        pair, outcome = pairs[entry.presentation.pair_id], entry.completion.log_outcome
        a, b = len(pair.response_a), len(pair.response_b)
        if a == b or outcome not in (Outcome.FIRST, Outcome.SECOND):
            continue
        chose_a = (outcome is Outcome.FIRST) == (entry.presentation.order is Order.AB)
        gold_is_longer = (pair.gold is Preference.A) == (a > b)
        wrong[gold_is_longer].append(chose_a != (pair.gold is Preference.A))
    finding = verbosity("LLaMA2/Vanilla", tmp_path, Readout.LOGGED)
    assert finding.measure("verbosity_bias_rate").value == pytest.approx(np.mean(wrong[False]))
    assert finding.measure("error_rate_agreeing").value == pytest.approx(np.mean(wrong[True]))
    assert dict(finding.table)["gold is the longer response"] == 56
    assert dict(finding.table)["gold is the shorter response"] == 43


def test_the_logs_own_reading_of_one_evaluator_makes_a_length_effect_and_twice_the_flips(tmp_path):
    run = import_log("llmbar", result_of("PaLM2/CoT"), out=tmp_path / "run", resamples=200)
    flips = {
        readout: run.audit.select(FindingKind.READOUT, readout=readout)[0].measure("flip_rate").count
        for readout in (Readout.GENERATED, Readout.LOGGED)
    }
    assert flips == {Readout.GENERATED: 18, Readout.LOGGED: 36}
    log = read_log("llmbar", result_of("PaLM2/CoT"))
    texts = {(e.presentation.pair_id, e.presentation.order): e.completion for e in log.entries}
    misread = texts["llmbar-Natural-0", Order.BA]
    assert misread.text.startswith("Output (b) is better.")
    assert misread.log_outcome is Outcome.FIRST
