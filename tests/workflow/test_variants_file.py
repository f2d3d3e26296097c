from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.datasets import load_pairs
from evenhand.errors import DataError, StoreError
from evenhand.perturbations.variants import Variants, load_variants
from evenhand.records import Change, DataIdentity, JudgeIdentity, Pair, Preference, RunManifest
from evenhand.workflow.variants_file import keep_variants, kept_variants, variants_name

CHANGE = Change(factor="padding", level="supplied", target=Preference.A)


@pytest.fixture(scope="module")
def pairs() -> tuple[Pair, ...]:
    return load_pairs("starter", limit=3)


@pytest.fixture
def mine(pairs: tuple[Pair, ...], tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    row = {"pair_id": pairs[0].id, "factor": "padding", "level": "supplied", "target": "A", "text": "More words."}
    path.write_text(json.dumps(row), encoding="utf-8")
    return path


def manifest(variants: Variants | None) -> RunManifest:
    return RunManifest(
        kind="live",
        judge=JudgeIdentity(spec="s", model="m"),
        data=DataIdentity(spec="d", pairs=3, sha256="0"),
        conditions=(),
        readouts=("generated",),
        variants=None if variants is None else variants.identity,
    )


def test_the_copy_is_read_when_the_users_file_is_gone(mine: Path, pairs: tuple[Pair, ...], tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    of_mine = manifest(load_variants(mine, pairs))
    keep_variants(run, mine, of_mine)
    before = sorted(path.name for path in run.iterdir())
    assert of_mine.variants is not None
    assert before == [variants_name(of_mine.variants)]
    keep_variants(run, mine, of_mine)
    assert sorted(path.name for path in run.iterdir()) == before
    mine.unlink()
    kept = kept_variants(run, of_mine, pairs)
    assert kept is not None
    assert kept.text(pairs[0].id, CHANGE) == "More words."
    # Of a run with a limit: the other pairs' rewrites are no error.
    assert kept_variants(run, of_mine, pairs[:1]) is not None


def test_without_rewrites_there_is_nothing_to_keep(mine: Path, pairs: tuple[Pair, ...], tmp_path: Path) -> None:
    keep_variants(tmp_path, mine, manifest(None))
    assert kept_variants(tmp_path, manifest(None), pairs) is None
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_a_file_that_changed_meanwhile_is_not_kept(mine: Path, pairs: tuple[Pair, ...], tmp_path: Path) -> None:
    of_mine = manifest(load_variants(mine, pairs))
    mine.write_text(mine.read_text(encoding="utf-8").replace("More", "Many"), encoding="utf-8")
    with pytest.raises(DataError, match="was changed while it was read"):
        keep_variants(tmp_path, mine, of_mine)
    with pytest.raises(DataError, match=r"gone\.jsonl: can't be read"):
        keep_variants(tmp_path, tmp_path / "gone.jsonl", of_mine)


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_copy_that_is_not_the_runs_is_refused_and_put_back(
    mine: Path, pairs: tuple[Pair, ...], tmp_path: Path, damage: str
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    of_mine = manifest(load_variants(mine, pairs))
    keep_variants(run, mine, of_mine)
    [copy] = run.iterdir()
    if damage == "missing":
        copy.unlink()
    else:
        copy.write_bytes(copy.read_bytes() + b"\n{}")
    with pytest.raises(StoreError, match="is missing or was changed") as caught:
        kept_variants(run, of_mine, pairs)
    assert f"--variants {mine}" in str(caught.value)
    keep_variants(run, mine, of_mine)
    assert kept_variants(run, of_mine, pairs) is not None


def test_another_file_is_kept_beside(mine: Path, pairs: tuple[Pair, ...]) -> None:
    identity = load_variants(mine, pairs).identity
    assert variants_name(identity) != variants_name(replace(identity, sha256="f" * 64))
    assert variants_name(identity).endswith(".jsonl")
