"""Scores of single responses asked live: kept, gone on with, and used as a mitigation."""

import json
import re
from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.judges import load_judge
from evenhand.records import FinishReason
from evenhand.workflow import audit
from evenhand.workflow.mitigate import mitigate
from evenhand.workflow.score_alone import score_alone
from workflow.mitigation_runs import Rewriting, judged_directory, quality_pairs, rewriting


def scorer(messages):
    [quality] = re.findall(r"<quality:([^>]*)>", messages[-1].content)
    return f"Score: {min(10, max(1, round(5.5 + 2 * float(quality))))}"


@pytest.fixture
def run(tmp_path):
    return judged_directory(tmp_path / "run", spec="simulated:position=2.0,noise=0.6")


def test_each_response_is_scored_by_itself_and_helps_a_biased_judge(run, tmp_path):
    path = tmp_path / "alone.jsonl"
    done = score_alone(run, rewriting(scorer), path)
    assert (done.pairs, done.asked, done.scored, done.failed) == (80, 80, 80, 0)
    rows = {row["pair_id"]: row for row in map(json.loads, path.read_text().splitlines())}
    for pair in quality_pairs():
        quality = [float(re.search(r"<quality:([^>]*)>", text)[1]) for text in (pair.response_a, pair.response_b)]
        expected = [min(10, max(1, round(5.5 + 2 * each))) for each in quality]
        assert [rows[pair.id]["score_a"], rows[pair.id]["score_b"]] == expected
    found = mitigate(run, alone=path, only=["order"], readout="first-token", resamples=100)
    effect = next(each for each in found.results.effects if each.mitigation == "independent scores")
    assert effect.bought() == "helps"
    assert effect.presentations == 2.0
    assert 0.3 < effect.tokens < 3


def test_what_stands_in_the_file_is_not_asked_again(run, tmp_path):
    path = tmp_path / "alone.jsonl"
    asked = []

    def text(messages):
        asked.append(messages)
        return "Score: 5" if len(asked) != 3 else "no idea"

    assert score_alone(run, rewriting(text), path).scored == 79
    assert len(asked) == 160
    again = score_alone(run, rewriting(text), path)
    # A text without a score is an answer: it isn't asked again.
    assert (again.asked, again.scored, len(asked)) == (0, 79, 160)


class Failing(Rewriting):
    def answer(self, requests):
        for answer in super().answer(requests):
            if answer.index == 1:
                failed = replace(answer.completion, text=None, finish_reason=FinishReason.ERROR, error="broken")
                yield replace(answer, completion=failed)
            else:
                yield answer


def test_a_failed_call_is_asked_again(run, tmp_path):
    path = tmp_path / "alone.jsonl"
    first = score_alone(run, Failing(load_judge("simulated:fair"), scorer), path)
    assert (first.failed, first.scored) == (2, 78)  # one a chunk of 64 pairs
    second = score_alone(run, rewriting(scorer), path)
    assert (second.asked, second.failed, second.scored) == (2, 0, 80)


def test_a_cut_answer_is_no_score(run, tmp_path):
    class Cut(Rewriting):
        def answer(self, requests):
            for answer in super().answer(requests):
                yield replace(answer, completion=replace(answer.completion, finish_reason=FinishReason.LENGTH))

    cut = Cut(load_judge("simulated:fair"), lambda messages: "Score: 1")
    assert score_alone(run, cut, tmp_path / "a.jsonl").scored == 0


def test_what_does_not_fit_is_refused(run, tmp_path):
    with pytest.raises(ConfigError, match=r"\.jsonl"):
        score_alone(run, "simulated:fair", tmp_path / "a.csv")
    other = tmp_path / "other.jsonl"
    other.write_text('{"pair_id": "p000", "score_a": 1, "score_b": 2}\n')
    with pytest.raises(ConfigError, match="row 1 was not made by simulated"):
        score_alone(run, "simulated:fair", other)
    texts = [replace(pair, response_a="", response_b="") for pair in quality_pairs(3)]
    audit("simulated:fair", texts, out=tmp_path / "empty")
    with pytest.raises(DataError, match="keeps no texts"):
        score_alone(tmp_path / "empty", "simulated:fair", tmp_path / "b.jsonl")
