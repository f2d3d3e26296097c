from dataclasses import replace

from evenhand.audits.drift.identity import identity_differences
from evenhand.records import Condition, DataIdentity, JudgeIdentity, LabelSet, RunManifest, Sampling

CONDITION = Condition(id="c", prompt="p", prompt_hash="a" * 64, labels=LabelSet.parse("A/B"))
RUN = RunManifest(
    kind="live",
    judge=JudgeIdentity(spec="openai:m", model="m", revision="1", settings=(("seed", "0"),)),
    data=DataIdentity(spec="starter", pairs=60, sha256="b" * 64),
    conditions=(CONDITION,),
    readouts=("generated",),
    sampling=Sampling(),
    created="2026-01-01T00:00:00+00:00",
)


def parts(new: RunManifest, condition: Condition = CONDITION) -> set[tuple[str, str]]:
    return {(d.part, d.what) for d in identity_differences(RUN, new, conditions=(CONDITION, condition))}


def test_the_same_run_later_differs_in_nothing() -> None:
    assert parts(replace(RUN, created="2026-02-01T00:00:00+00:00", command="other", seed=3)) == set()


def test_each_part_is_named() -> None:
    judge = replace(RUN.judge, revision="2", settings=(("seed", "0"), ("effort", "high")))
    assert parts(replace(RUN, judge=judge)) == {("judge", "revision"), ("judge", "effort")}
    assert parts(RUN, replace(CONDITION, prompt_hash="c" * 64)) == {("prompt", "text")}
    assert parts(RUN, replace(CONDITION, labels=LabelSet.parse("X/Y"))) == {("labels", "labels")}
    assert parts(replace(RUN, data=replace(RUN.data, sha256="d" * 64))) == {("data", "pairs")}
    assert parts(replace(RUN, sampling=Sampling(temperature=1.0))) == {("decoding", "temperature")}
    assert parts(replace(RUN, sampling=None)) == {("decoding", "temperature"), ("decoding", "token budgets")}


def test_another_path_to_the_same_pairs_is_no_difference() -> None:
    assert parts(replace(RUN, data=replace(RUN.data, spec="/elsewhere/pairs.jsonl"))) == set()
