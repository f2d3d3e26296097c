"""From a journal to arrays: what each column holds, and which runs are refused."""

import re

import numpy as np
import pytest

from evenhand.datasets.response_scores import PairScores, ResponseScores
from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.judged import NONE
from evenhand.records import LabelSet, Preference, Readout
from evenhand.workflow import AuditSettings, ReadoutChoice, audit, open_run
from evenhand.workflow.judged_run import judged_run
from workflow.mitigation_runs import judged_directory, quality_pairs, rewriting


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = AuditSettings(repeat=5, labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y")))
    spec = "simulated:position=1.0,noise=0.6,compliance=0.8,unparsed=0.05"
    return judged_directory(tmp_path_factory.mktemp("run") / "r", spec=spec, settings=settings)


def test_verdicts_are_the_audit_s_own(run):
    table = open_run(run).to_polars()
    for readout in (Readout.GENERATED, Readout.FIRST_TOKEN):
        judged = judged_run(run, readout=readout).judged
        rows = {
            (row["pair_id"], row["order"]): row
            for row in table.filter(
                (table["condition"] == "single-character, A/B") & (table["readout"] == readout) & (table["repeat"] == 0)
            ).iter_rows(named=True)
        }
        assert len(judged) == 80
        assert judged.ids == tuple(sorted(judged.ids))
        for i, pair_id in enumerate(judged.ids):
            for column, order in enumerate(("AB", "BA")):
                row = rows[pair_id, order]
                code = NONE if row["preference"] is None else ["A", "B", "tie"].index(row["preference"])
                assert judged.preference[i, column] == code
                if readout is Readout.FIRST_TOKEN:
                    sign = 1 if order == "AB" else -1
                    assert judged.log_odds[i, column] == pytest.approx(sign * row["log_odds"], rel=1e-6)
        if readout is Readout.GENERATED:
            assert np.isnan(judged.log_odds).all()


def test_gold_lengths_authors_and_tokens(run):
    found, pairs = judged_run(run, readout=Readout.FIRST_TOKEN), {pair.id: pair for pair in quality_pairs()}
    judged = found.judged
    for i, pair_id in enumerate(judged.ids):
        pair = pairs[pair_id]
        assert (judged.length_a[i], judged.length_b[i]) == (len(pair.response_a), len(pair.response_b))
        assert judged.gold[i] == (0 if pair.gold is Preference.A else 1)
    assert set(judged.authors) == {("alpha", "beta")}
    generated = judged_run(run).judged
    # Of the first token one token was needed, whatever was written after it.
    assert (judged.tokens <= generated.tokens).all()
    assert (generated.tokens - judged.tokens).max() > 0


def test_a_condition_is_taken_and_told(run):
    first = judged_run(run)
    assert (first.condition.id, first.readout) == ("single-character, A/B", Readout.GENERATED)
    assert any("the first of 2 (--condition)" in note for note in first.notes)
    other = judged_run(run, condition="single-character, X/Y")
    assert not any("--condition" in note for note in other.notes)
    assert (first.judged.preference != other.judged.preference).any()
    with pytest.raises(ConfigError, match="has no condition 'c'; it has 'single-character, A/B'"):
        judged_run(run, condition="c")
    with pytest.raises(ConfigError, match="has no readout logged"):
        judged_run(run, readout=Readout.LOGGED)


def test_missing_verdicts_are_told_and_stay_missing(run):
    found = judged_run(run)
    missing = int((found.judged.preference == NONE).sum())
    assert missing > 0
    assert any(re.search(rf"{missing} of 160 answers have no verdict", note) for note in found.notes)


def test_labels_take_the_place_of_gold(run):
    found = judged_run(run, labels={"p000": Preference.TIE, "p001": Preference.B})
    assert found.judged.gold[:3].tolist() == [2, 1, NONE]
    assert any("78 of 80 pairs have no human label" in note for note in found.notes)


def test_scores_of_single_responses_find_their_pairs(run, tmp_path):
    scores = {"p001": PairScores(a=3.0, b=None, tokens=50.0), "p002": PairScores(a=1.0, b=2.0)}
    judged = judged_run(run, alone=ResponseScores(path=tmp_path, sha256="", scores=scores)).judged
    assert np.array_equal(judged.alone[:3], [[np.nan, np.nan], [3.0, np.nan], [1.0, 2.0]], equal_nan=True)
    assert judged.alone_tokens[1] == 50.0


def test_scores_in_a_text_are_mapped_to_their_responses(tmp_path):
    def text(messages):
        first, second = re.findall(r"<quality:([^>]*)>", messages[-1].content)[:2]
        return f"Response A: {round(5 + float(first))}\nResponse B: {round(5 + float(second))}"

    pairs = quality_pairs(12)
    settings = AuditSettings(prompt="score-each", readout=ReadoutChoice.GENERATED)
    audit(rewriting(text), pairs, settings=settings, out=tmp_path / "r")
    judged = judged_run(tmp_path / "r").judged
    for i, pair in enumerate(pairs):
        quality = [round(5 + float(re.search(r"<quality:([^>]*)>", t)[1])) for t in (pair.response_a, pair.response_b)]
        assert judged.score_a[i].tolist() == [quality[0]] * 2
        assert judged.score_b[i].tolist() == [quality[1]] * 2


def test_a_written_confidence_is_read(tmp_path):
    settings = AuditSettings(prompt="brief-reasoning", readout=ReadoutChoice.GENERATED)
    judge = rewriting(lambda messages: "It is right and clear.\n85\nA")
    audit(judge, quality_pairs(6), settings=settings, out=tmp_path / "r")
    assert judged_run(tmp_path / "r").judged.confidence.tolist() == [[0.85, 0.85]] * 6


def test_ids_that_no_table_can_hold_are_found_again(tmp_path):
    from dataclasses import replace

    pairs = [replace(pair, id=f"\udc80{pair.id}") for pair in quality_pairs(6)]
    audit("simulated:fair", pairs, out=tmp_path / "r")
    found = judged_run(tmp_path / "r")
    assert all(pair_id.startswith("\\udc80p00") for pair_id in found.judged.ids)
    assert np.isfinite(found.judged.length_a).all()
    assert np.isfinite(found.judged.tokens).all()


def test_a_run_that_was_not_begun_has_nothing_to_read(tmp_path):
    audit("simulated:fair", quality_pairs(6), out=tmp_path / "r", stop=lambda: True)
    with pytest.raises(DataError, match="no answer was read under condition"):
        judged_run(tmp_path / "r")
