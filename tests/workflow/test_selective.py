import json
import random
from dataclasses import replace

import polars as pl
import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.audits.swap_design import SwapStratum
from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.policy import CalibratedOn, PolicyRule, SwapPolicy
from evenhand.probes.policy_file import save_policy
from evenhand.probes.saved import load_probe
from evenhand.records import Completion, FinishReason, LabelSet, Order, Pair, Readout, file_sha256
from evenhand.report.card import validate_card
from evenhand.stats import Estimate, Refusal
from evenhand.store import Journal
from evenhand.workflow import AuditSettings, ReadoutChoice, open_run
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.live import default_directory
from evenhand.workflow.probe_data import load_probe_data
from evenhand.workflow.probe_freeze import freeze_predictors, save_frozen
from evenhand.workflow.probe_settings import FitSettings
from judges.tiny_models import QWEN3, judge_of, save
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.selective_examples import flips, make_probe, settings, telling, unsure

N = 120
ONE_TWO = LabelSet.parse("1/2")


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    return make_probe(tmp_path_factory.mktemp("probe") / "made.json")


def audited(double, probe, directory, *, count=N, said=None, **more):
    announce = None if said is None else said.append
    return evenhand.audit(
        double,
        pairs(count),
        out=directory,
        settings=settings(probe, **more),
        announce=announce,
        command="evenhand audit",
    )


def only(run, kind=FindingKind.SELECTIVE):
    [found] = [f for f in run.audit.select(kind) if f.readout is Readout.GENERATED]
    return found


def test_order_ba_is_asked_of_likely_flips_and_of_a_floor(tmp_path, probe):
    double, said = CapturingDouble(telling), []
    run = audited(double, probe, tmp_path, said=said)
    assert run.complete
    ab = {number for number, order in double.asked if order}
    ba = {number for number, order in double.asked if not order}
    assert ab == set(range(N))
    assert len(double.asked) == len(set(double.asked))
    likely = {number for number in range(N) if unsure(number)}
    assert likely <= ba
    assert len(ba) == len(likely) + 8
    found = only(run)
    truth = sum(map(flips, range(N))) / N
    estimate = found.measure("selective_flip_rate")
    assert isinstance(estimate, Estimate)
    assert estimate.interval.low <= truth <= estimate.interval.high
    counts = dict(found.table)
    assert counts["certain, swapped"] == counts["certain, pairs"] == 48
    assert counts["judgments asked"] == N + len(ba) == run.counts.finished
    # The double answers in an order of its own; all of BA comes after all of AB.
    assert all(order for _, order in double.asked[:N])
    assert any("prompt brief-reasoning" in text for text in said)
    assert any("order BA is asked of 56 of 120 pairs" in text for text in said)


def test_figures_of_both_orders_are_estimates_or_refused(tmp_path, probe):
    run = audited(CapturingDouble(telling), probe, tmp_path)
    readout = only(run, FindingKind.READOUT)
    for name in ("flip_rate", "swap_consistency", "position_bias_strength", "compliance_pairs", "slot_lock_rate"):
        figure = readout.measure(name)
        assert isinstance(figure, Refusal)
        assert "order AB alone" in figure.reason
    assert not readout.tests
    slots = readout.measure("first_slot_rate")
    assert isinstance(slots, Estimate)
    assert slots.n == N  # order AB
    kinds = {finding.kind for finding in run.findings}
    assert kinds == {FindingKind.READOUT, FindingKind.SELECTIVE, FindingKind.HYBRID}


def test_the_directory_alone_gives_the_same_analysis(tmp_path, probe):
    run = audited(CapturingDouble(telling), probe, tmp_path)
    opened = open_run(tmp_path)
    assert json.dumps(opened.to_json(), sort_keys=True) == json.dumps(run.to_json(), sort_keys=True)
    assert opened.manifest.swap.predictor == "made"
    assert opened.manifest.swap.share == 0.4
    card = opened.card()
    validate_card(card)
    assert card["swap"]["probe_sha256"] == opened.manifest.swap.probe_sha256
    [generated] = [r for r in card["conditions"][0]["readouts"] if r["readout"] == "generated"]
    assert generated["selective"]["pairs_swapped"] == 56
    assert generated["flip_rate"]["value"] == only(run).measure("selective_flip_rate").value


def test_without_its_design_a_run_claims_nothing(tmp_path, probe):
    audited(CapturingDouble(telling), probe, tmp_path)
    (tmp_path / "swap.parquet").unlink()
    found = only(open_run(tmp_path))
    assert isinstance(found.measure("selective_flip_rate"), Refusal)
    assert found.notes[0].startswith("No pair is drawn for order BA: swap.parquet")


def test_reports_say_that_order_ba_was_selective(tmp_path, probe):
    run = audited(CapturingDouble(telling), probe, tmp_path)
    written = run.write_report()
    html = written.html.read_text("utf-8")
    assert "Order BA was asked of 56 of 120 pairs" in html
    assert "Estimated for all pairs: order BA was asked where a flip was likely" in html
    card = (tmp_path / "card.md").read_text("utf-8")
    assert "order BA asked of" in card
    assert "estimated: order BA of 56 of 120 pairs" in card
    table = pl.read_parquet(tmp_path / "selective.parquet").filter(pl.col("readout") == "generated")
    assert table.height == N
    assert table["drawn"].sum() == 56
    by_pair = {row["pair_id"]: row for row in table.iter_rows(named=True)}
    for number in range(N):
        row = by_pair[f"p{number}"]
        assert (row["final_from"] == "both orders") == row["drawn"]
        assert row["final"] == ("tie" if row["drawn"] and flips(number) else "A")
        assert row["flip"] == (flips(number) if row["drawn"] else None)
        assert (row["stratum"] == "certain") == unsure(number)


@pytest.mark.parametrize("enough", [60, N, N + 30])
def test_stopped_anywhere_it_draws_the_same_and_asks_nothing_twice(tmp_path, probe, enough):
    whole = CapturingDouble(telling)
    audited(whole, probe, tmp_path / "whole")
    double = CapturingDouble(telling)
    stopped = evenhand.audit(
        double,
        pairs(N),
        out=tmp_path / "stopped",
        settings=settings(probe),
        stop=lambda: len(double.asked) >= enough,
    )
    assert not stopped.complete
    stopped.write_report()
    run = audited(double, probe, tmp_path / "stopped")
    assert run.complete
    assert sorted(double.asked) == sorted(whole.asked)
    assert [p for p in run.swap.pairs if p.drawn] == [p for p in open_run(tmp_path / "whole").swap.pairs if p.drawn]


def test_a_failed_call_makes_a_risk_unknown_and_a_later_answer_changes_no_draw(tmp_path, probe):
    broken = {7}

    def write(number, ab):
        if ab and number in broken:
            return Completion(text=None, finish_reason=FinishReason.ERROR, error="out of memory")
        return telling(number, ab)

    double = CapturingDouble(write)
    first = audited(double, probe, tmp_path)
    assert not first.complete
    part = next(p for p in first.swap.pairs if p.pair_id == "p7")
    assert (part.stratum, part.drawn, part.risk) == (SwapStratum.UNKNOWN, True, None)
    broken.clear()
    again = audited(double, probe, tmp_path)
    assert again.complete
    assert again.swap == first.swap
    assert dict(only(again).table)["unknown, swapped"] == 1


def test_an_answer_out_of_format_is_unknown_and_one_without_a_verdict_undecided(tmp_path, probe):
    def write(number, ab):
        if number == 4 and ab:
            return "Verdict: A"
        if number == 6 and ab:
            return "I can't say."
        return telling(number, ab)

    run = audited(CapturingDouble(write), probe, tmp_path)
    parts = {p.pair_id: p for p in run.swap.pairs}
    assert parts["p4"].stratum in (SwapStratum.UNKNOWN, SwapStratum.UNDECIDED)
    assert parts["p4"].risk is None
    assert parts["p6"].stratum is SwapStratum.UNDECIDED
    assert isinstance(only(run).measure("selective_flip_rate"), Estimate)


def test_a_probe_on_activations(tmp_path):
    probe = make_probe(tmp_path / "made.json", features=("before-verdict@2", "prompt-end@3"))
    run = audited(CapturingDouble(telling), probe, tmp_path / "run", budget=0.25)
    assert run.complete
    assert dict(only(run).table)["certain, swapped"] == 30
    assert isinstance(only(run).measure("selective_flip_rate"), Estimate)


def test_a_probe_of_the_first_token(tmp_path):
    collected = CollectSettings(readout=Readout.FIRST_TOKEN)
    probe = make_probe(tmp_path / "made.json", features=("before-verdict@2",), collect_settings=collected)
    said = []
    run = audited(CapturingDouble(telling), probe, tmp_path / "run", said=said)
    assert run.manifest.readouts == ("first-token",)
    assert any("readout first-token" in text for text in said)
    [found] = run.audit.select(FindingKind.SELECTIVE)
    assert dict(found.table)["certain, swapped"] == 48


def test_with_every_pair_swapped_it_is_the_plain_audit(tmp_path, probe):
    run = audited(CapturingDouble(telling), probe, tmp_path / "all", budget=1.0)
    plain = evenhand.audit(
        CapturingDouble(telling), pairs(N), out=tmp_path / "plain", settings=AuditSettings(prompt="brief-reasoning")
    )
    mine, theirs = only(run), only(plain, FindingKind.READOUT)
    for name in ("flip_rate", "first_position_bias_rate", "position_bias_strength", "compliance_pairs"):
        assert mine.measure(f"selective_{name}") == mine.measure(f"weighted_{name}")
        ours, plains = mine.measure(f"selective_{name}"), theirs.measure(name)
        assert (ours.value, ours.interval, ours.n) == (plains.value, plains.interval, plains.n)


def test_a_dry_run_says_how_many_and_asks_nothing(tmp_path, probe):
    double = CapturingDouble(telling)
    dry = evenhand.dry_run(double, pairs(N), out=tmp_path, settings=settings(probe))
    assert dry.swaps == (56, 56)
    assert dry.presentations == N + 56
    assert dry.unsampled == 2 * N
    assert dry.cost.prompt_tokens == 10 * (N + 56)
    assert not double.asked
    audited(double, probe, tmp_path)
    again = evenhand.dry_run(double, pairs(N), out=tmp_path, settings=settings(probe))
    assert (again.presentations, again.answered, again.swaps) == (N + 56, N + 56, (56, 56))


def test_another_judge_prompt_or_directory_is_one_clear_line(tmp_path, probe):
    class Other(CapturingDouble):
        @property
        def identity(self):
            return evenhand.records.JudgeIdentity(spec="double:y", model="y", revision="sha256:1")

    with pytest.raises(ConfigError, match="model"):
        audited(Other(telling), probe, tmp_path / "other")
    with pytest.raises(ConfigError, match="label pair"):
        audited(CapturingDouble(telling), probe, tmp_path / "labels", labels=(LabelSet.parse("X/Y"),))
    with pytest.raises(ConfigError, match="doesn't show its activations"):
        evenhand.audit("simulated:position=1", pairs(8), out=tmp_path / "simulated", settings=settings(probe))
    plain = AuditSettings(prompt="brief-reasoning", readout=ReadoutChoice.GENERATED)
    evenhand.audit(CapturingDouble(telling), pairs(N), out=tmp_path / "plain", settings=plain)
    with pytest.raises(StoreError, match="no activation"):
        audited(CapturingDouble(telling), probe, tmp_path / "plain")
    assert not (tmp_path / "other").exists()


def test_another_budget_draws_anew_and_asks_only_what_is_new(tmp_path, probe):
    double = CapturingDouble(telling)
    audited(double, probe, tmp_path, budget=0.4)
    before = len(double.asked)
    run = audited(double, probe, tmp_path, budget=0.5)
    assert run.complete
    assert len(double.asked) == len(set(double.asked))
    assert before < len(double.asked) <= before + 12
    assert dict(only(run).table)["certain, pairs"] == 60


def test_repeats_are_captured_and_control_the_noise(tmp_path, probe):
    run = audited(CapturingDouble(telling), probe, tmp_path, repeat=10)
    [repeat] = [f for f in run.audit.select(FindingKind.REPEAT) if f.readout is Readout.GENERATED]
    assert repeat.presentations == 10
    with Journal.open(tmp_path, read_only=True) as journal:
        assert all(p.order is Order.AB for p in journal.plan() if p.repeat)


def policy_of(probe, path, **changes):
    card = load_probe(probe).card
    made = SwapPolicy(
        rule=PolicyRule.MAX_MISSED,
        score="made",
        subject=changes.pop("subject", card.subject),
        probe_sha256=file_sha256(probe),
        threshold=0.5,
        alpha=0.1,
        floor=0.2,
        guarantee="in expectation at most 10 % of the flips are missed",
        calibrated_on=CalibratedOn(
            spec="x", sha256="0", pairs=200, groups=100, flips=60, missed=5, largest_group=changes.pop("largest", 2)
        ),
    )
    return save_policy(path, made)


def test_a_policy_decides_and_its_promise_is_told(tmp_path, probe):
    policy = policy_of(probe, tmp_path / "policy.json")
    run = audited(CapturingDouble(telling), probe, tmp_path / "run", policy=policy, floor=None)
    assert {p.pair_id for p in run.swap.pairs if p.stratum is SwapStratum.CERTAIN} == {
        f"p{n}" for n in range(N) if unsure(n)
    }
    assert dict(only(run).table)["floor, swapped"] == 15  # a fifth of 72
    assert run.manifest.swap.threshold == 0.5
    promised = [note for note in only(run).notes if "at most 10 % of the flips are missed" in note]
    assert len(promised) == 1
    run.write_report()
    assert "guarantee: in expectation at most 10 %" in (tmp_path / "run" / "card.md").read_text("utf-8")
    dry = evenhand.dry_run(
        CapturingDouble(telling), pairs(N), out=tmp_path / "new", settings=settings(probe, policy=policy, floor=None)
    )
    assert dry.swaps == (24, N)


def test_a_promise_that_does_not_hold_for_these_pairs_is_called_so(tmp_path, probe):
    policy, said = policy_of(probe, tmp_path / "policy.json", largest=1), []
    run = audited(CapturingDouble(telling), probe, tmp_path / "run", policy=policy, floor=None, said=said, count=40)
    assert any("guarantee doesn't hold: question 'g0' has 2 pairs" in text for text in said)
    assert run.manifest.swap.guarantee.startswith("none on these pairs: question 'g0' has 2 pairs")
    other = replace(load_probe(probe).card.subject, labels="X/Y")
    another = policy_of(probe, tmp_path / "another.json", subject=other)
    with pytest.raises(ConfigError, match="label pair"):
        audited(CapturingDouble(telling), probe, tmp_path / "other", policy=another, floor=None)


def test_probes_don_t_learn_from_it(tmp_path, probe):
    audited(CapturingDouble(telling), probe, tmp_path, count=40)
    with pytest.raises(DataError, match="no fair sample"):
        load_probe_data(tmp_path)


def test_it_lives_beside_the_audit_of_the_same_pairs():
    assert default_directory("m", "d", selective=True) != default_directory("m", "d")


# -- on a real, tiny model -------------------------------------------------------------------------------------------


WORDS = ("hello", "water", "poem", "sea", "naïve", "wet", "b", "Z", "7", "9 9", "tie", "first", "{x}", "[END]")


def short_pairs(prefix, count):
    """Words at random: what a random model makes of them is as good as any judge's verdicts."""
    chance = random.Random(prefix)  # noqa: S311 - words, not secrets

    def words():
        return " ".join(chance.choices(WORDS, k=6))

    return [
        Pair(id=f"{prefix}{n}", instruction=words(), response_a=words(), response_b=words(), group=f"{prefix}g{n // 2}")
        for n in range(count)
    ]


def test_on_a_model_from_collecting_and_fitting_to_a_selective_swap_of_other_pairs(tmp_path, tmp_path_factory):
    model = save(QWEN3, tmp_path_factory.mktemp("qwen3"), max_position_embeddings=2048)
    collected = tmp_path / "collected"
    with judge_of(model) as judge:
        collect(
            judge,
            short_pairs("a", 60),
            out=collected,
            settings=CollectSettings(readout=Readout.FIRST_TOKEN, labels=ONE_TWO),
        )
        data = load_probe_data(collected)
        frozen = freeze_predictors(data, settings=FitSettings(outer_folds=3))
        assert {each.name for each in frozen.probes} >= {"probe", "absolute-margin"}
        cards = save_frozen(frozen, tmp_path / "probes")
        others = short_pairs("b", 60)
        plain = evenhand.audit(
            judge,
            others,
            out=tmp_path / "plain",
            settings=AuditSettings(labels=(ONE_TWO,), readout=ReadoutChoice.FIRST_TOKEN),
        )
        expected = {
            row["pair_id"]: row["preference"]
            for row in plain.to_polars().filter(pl.col("order") == "BA").iter_rows(named=True)
        }
        for card in (cards[0], next(card for card in cards if card.stem == "absolute-margin")):
            out = tmp_path / f"swap-{card.stem}"
            wanted = settings(card, budget=0.3, floor_pairs=10)
            begun = evenhand.audit(
                judge, others, out=out, settings=wanted, stop=lambda out=out: (out / "swap.parquet").exists()
            )
            assert not begun.complete
            run = evenhand.audit(judge, others, out=out, settings=wanted)
            assert run.complete
            [found] = run.audit.select(FindingKind.SELECTIVE)
            assert dict(found.table)["certain, swapped"] == 18
            assert dict(found.table)["floor, swapped"] == 10
            probabilities = {p.pair_id: p.risk for p in run.swap.pairs}
            assert len(set(probabilities.values())) > 30
            swapped = run.swaps().filter(pl.col("preference_ba").is_not_null())
            assert swapped.height == 28
            assert {
                row["pair_id"]: row["preference_ba"] for row in swapped.iter_rows(named=True)
            }.items() <= expected.items()
