from collections.abc import Iterator
from pathlib import Path

import pytest

import evenhand
from evenhand.datasets import load_pairs
from evenhand.judges import Judge, load_judge
from evenhand.records import Ask, Readout
from evenhand.store import Journal
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.plan import make_plan
from evenhand.workflow.sample import presumed_sample

JUDGE = "simulated:position=1.0,compliance=0.5,noise=1"
HALF = AuditSettings(budget=0.5, repeat=3)


@pytest.fixture
def judge() -> Iterator[Judge]:
    with load_judge(JUDGE) as opened:
        yield opened


def asked(folder: Path) -> list[tuple[str, Ask, int]]:
    with Journal.open(folder, read_only=True) as journal:
        return [(p.pair_id, p.ask, p.repeat) for p in journal.plan()]


def test_first_tokens_of_all_and_the_text_of_a_sample(judge: Judge, tmp_path: Path) -> None:
    run = evenhand.audit(judge, "starter", limit=40, out=tmp_path, settings=HALF)
    assert run.complete
    assert run.manifest.generated_fraction == 0.5
    plan = asked(tmp_path)
    first = {pair for pair, ask, repeat in plan if ask is Ask.FIRST and not repeat}
    written = [pair for pair, ask, _ in plan if ask is Ask.WRITTEN]
    assert len(first) == 40
    assert len(written) == 2 * len(set(written)) == 40
    table = run.to_polars().filter(repeat=0)
    assert table.filter(readout="first-token").height == 80
    assert set(table.filter(readout="generated")["pair_id"]) == set(written)
    assert "hybrid" not in set(table["readout"])


def test_what_a_budget_saves_is_told_before_and_what_it_is_worth_after(judge: Judge, tmp_path: Path) -> None:
    told: list[str] = []
    evenhand.audit(judge, "starter", limit=40, out=tmp_path, settings=HALF, announce=told.append)
    before, after = told
    assert "text for 20 of them: 120 calls instead of 80" in before
    assert "fewer than 25 texts" in before
    # The first of two budgets is no bound: a text without a decision goes on to the second.
    assert "at most" not in before
    assert "if every text took 500 tokens 20,080 completion tokens instead of 40,000 (50% saved)" in before
    assert "text is asked for of 20 pairs" in after
    evenhand.audit(judge, "starter", limit=4, out=tmp_path, announce=told.append)
    assert len(told) == 2


def test_a_second_call_draws_the_same_and_asks_nothing(judge: Judge, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=40, out=tmp_path, settings=HALF)
    before = asked(tmp_path)
    again = evenhand.audit(judge, "starter", limit=40, out=tmp_path, settings=HALF)
    assert again.execution is not None
    assert again.execution.asked == 0
    assert asked(tmp_path) == before


def test_an_interrupted_run_goes_on_to_the_same_sample(judge: Judge, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    evenhand.audit(judge, "starter", limit=40, out=whole, settings=HALF)
    for stop_at in (10, 90):
        folder = tmp_path / str(stop_at)
        calls = 0

        def stop(stop_at: int = stop_at) -> bool:
            nonlocal calls
            calls += 1
            return calls > stop_at

        cut = evenhand.audit(judge, "starter", limit=40, out=folder, settings=HALF, stop=stop)
        assert cut.execution is not None
        assert cut.execution.interrupted
        evenhand.audit(judge, "starter", limit=40, out=folder, settings=HALF)
        assert asked(folder) == asked(whole)


def test_a_full_run_after_it_reuses_the_texts(judge: Judge, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=20, out=tmp_path, settings=AuditSettings(budget=0.5))
    full = evenhand.audit(judge, "starter", limit=20, out=tmp_path)
    assert full.execution is not None
    assert full.execution.reused == 20


def test_a_dry_run_presumes_a_sample_of_the_same_size(judge: Judge) -> None:
    pairs = load_pairs("starter", limit=20)
    plan = make_plan(judge, pairs, AuditSettings(budget=0.2))
    assert [p.ask for p in presumed_sample(plan)] == [Ask.WRITTEN] * 8
    assert presumed_sample(make_plan(judge, pairs, AuditSettings())) == ()
    dry = evenhand.dry_run(judge, "starter", limit=20, settings=AuditSettings(budget=0.2))
    assert (dry.presentations, dry.sampled, dry.unsampled) == (48, 8, 40)
    assert dry.unsampled_cost is not None
    assert dry.unsampled_cost.completion_tokens_high > dry.cost.completion_tokens_high


def test_prefilled_and_constrained_stand_beside(judge: Judge, tmp_path: Path) -> None:
    choices = (ReadoutChoice.BOTH, ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED)
    run = evenhand.audit(judge, "starter", limit=6, out=tmp_path, settings=AuditSettings(readout=choices))
    table = run.to_polars()
    assert run.counts.planned == 36
    for readout in (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.PREFILLED, Readout.CONSTRAINED):
        assert table.filter(readout=readout.value).height == 12


def test_a_call_stopped_before_the_sample_is_drawn_again_keeps_the_texts(judge: Judge, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=20, out=tmp_path, settings=AuditSettings(budget=0.5))
    before = asked(tmp_path)
    stopped = evenhand.audit(
        judge, "starter", limit=22, out=tmp_path, settings=AuditSettings(budget=0.5), stop=lambda: True
    )
    assert stopped.execution is not None
    assert stopped.execution.interrupted
    written = [each for each in before if each[1] is Ask.WRITTEN]
    assert [each for each in asked(tmp_path) if each[1] is Ask.WRITTEN] == written
    assert stopped.to_polars().filter(readout="generated").height == len(written) == 20
    plain = evenhand.audit(judge, "starter", limit=20, out=tmp_path, stop=lambda: True)
    assert plain.counts.planned == 40
