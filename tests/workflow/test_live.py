from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.errors import ConfigError
from evenhand.judges import Answer, Judge, JudgeRequest, load_judge
from evenhand.records import Completion, FinishReason, LabelSet, Readout
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.live import default_directory

JUDGE = "simulated:position=1.0,compliance=0.5"


class Counting:
    """A judge that hands everything on and remembers how much it was asked; ``fail`` answers only with errors."""

    def __init__(self, judge: Judge, *, fail: bool = False) -> None:
        self._judge = judge
        self.asked = 0
        self._fail = fail

    def __getattr__(self, name: str) -> object:
        return getattr(self._judge, name)

    def __enter__(self) -> "Counting":
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        self.asked += len(requests)
        for answer in self._judge.answer(requests):
            if self._fail:
                failed = Completion(text=None, finish_reason=FinishReason.ERROR, error="the wire broke")
                yield Answer(index=answer.index, completion=failed)
            else:
                yield answer


@pytest.fixture
def judge() -> Iterator[Counting]:
    with load_judge(JUDGE) as opened:
        yield Counting(opened)


def test_every_pair_is_judged_in_both_orders_and_read_in_three_ways(judge: Counting, tmp_path: Path) -> None:
    run = evenhand.audit(judge, "starter", limit=12, out=tmp_path)
    table = run.to_polars()
    assert run.complete
    assert run.counts.planned == judge.asked == 24
    assert table.height == 24 * 3
    assert table.group_by("pair_id", "readout").len()["len"].to_list() == [2] * 36
    assert set(table["readout"]) == {"first-token", "generated", "hybrid"}


def test_a_second_call_asks_nothing_and_finds_the_same(judge: Counting, tmp_path: Path) -> None:
    first = evenhand.audit(judge, "starter", limit=12, out=tmp_path)
    again = evenhand.audit(judge, "starter", limit=12, out=tmp_path)
    assert judge.asked == 24
    assert again.execution is not None
    assert again.execution.reused == 24
    assert again.audit == first.audit
    assert again.to_polars().equals(first.to_polars())


def test_more_pairs_reuse_those_that_were_judged(judge: Counting, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=6, out=tmp_path)
    evenhand.audit(judge, "starter", limit=10, out=tmp_path)
    assert judge.asked == 20


@pytest.mark.parametrize(
    "change",
    [
        AuditSettings(labels=(LabelSet.parse("X/Y"),)),
        AuditSettings(prompt="brief-reasoning"),
        AuditSettings(budgets=(50, 100)),
        AuditSettings(readout=ReadoutChoice.FIRST_TOKEN),
    ],
    ids=["labels", "prompt", "budgets", "readout"],
)
def test_another_question_is_asked_anew_and_the_old_answer_kept(
    judge: Counting, tmp_path: Path, change: AuditSettings
) -> None:
    evenhand.audit(judge, "starter", limit=3, out=tmp_path)
    evenhand.audit(judge, "starter", limit=3, out=tmp_path, settings=change)
    assert judge.asked == 12
    evenhand.audit(judge, "starter", limit=3, out=tmp_path)
    assert judge.asked == 12


def test_label_sets_are_conditions_that_the_audit_compares(tmp_path: Path) -> None:
    settings = AuditSettings(labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y")))
    run = evenhand.audit(JUDGE, "starter", limit=12, out=tmp_path, settings=settings)
    assert {f.condition for f in run.audit.select(FindingKind.READOUT)} == {
        "single-character, A/B",
        "single-character, X/Y",
    }
    assert run.audit.select(FindingKind.CONDITIONS)


@pytest.mark.parametrize(
    ("choice", "readouts", "texts"),
    [
        (ReadoutChoice.FIRST_TOKEN, {"first-token"}, "none"),
        (ReadoutChoice.GENERATED, {"generated"}, "all"),
        (ReadoutChoice.HYBRID, {"hybrid"}, "where not led"),
    ],
)
def test_one_readout_alone(tmp_path: Path, choice: ReadoutChoice, readouts: set[str], texts: str) -> None:
    run = evenhand.audit(JUDGE, "starter", limit=12, out=tmp_path, settings=AuditSettings(readout=choice))
    table = run.to_polars()
    assert set(table["readout"]) == readouts
    assert table["compliant"].null_count() == 0  # a position figure stands beside its compliance rate
    generated = table["generated"].to_list()
    match texts:
        case "none":
            assert not any(generated)
        case "all":
            assert all(generated)
        case _:
            assert generated == [not led for led in table["compliant"].to_list()]
            assert any(generated)
            assert not all(generated)


def test_the_control_asks_some_pairs_again_in_order_ab(judge: Counting, tmp_path: Path) -> None:
    run = evenhand.audit(judge, "starter", limit=12, out=tmp_path, settings=AuditSettings(repeat=5))
    repeats = run.to_polars().filter(repeat=1, readout="generated")
    assert judge.asked == 29
    assert repeats.height == 5
    assert set(repeats["order"]) == {"AB"}
    assert run.audit.select(FindingKind.REPEAT, readout=Readout.GENERATED)


def test_where_every_call_fails_nothing_passes_and_all_is_counted(tmp_path: Path) -> None:
    with load_judge(JUDGE) as opened:
        run = evenhand.audit(Counting(opened, fail=True), "starter", limit=6, out=tmp_path)
    assert not run.complete
    assert (run.counts.finished, run.counts.errors) == (0, 12)
    assert set(run.to_polars()["outcome"]) == {"error"}
    for finding in run.audit.select(FindingKind.READOUT):
        assert isinstance(finding.measure("flip_rate"), type(finding.measure("swap_consistency")))
        assert not hasattr(finding.measure("flip_rate"), "value")


def test_errors_are_asked_again_by_the_same_call(tmp_path: Path) -> None:
    with load_judge(JUDGE) as opened:
        evenhand.audit(Counting(opened, fail=True), "starter", limit=3, out=tmp_path)
        run = evenhand.audit(Counting(opened), "starter", limit=3, out=tmp_path)
    assert run.complete
    assert run.counts.errors == 0


def test_stop_ends_the_call_and_the_same_call_goes_on(judge: Counting, tmp_path: Path) -> None:
    calls = iter([False] * 5 + [True] * 100)
    run = evenhand.audit(judge, "starter", limit=12, out=tmp_path, stop=lambda: next(calls))
    assert run.execution is not None
    assert run.execution.interrupted
    assert 0 < run.counts.finished < 24
    assert run.counts.pending == 24 - run.counts.finished
    assert evenhand.audit(judge, "starter", limit=12, out=tmp_path).complete


def test_pairs_may_be_given_in_python(tmp_path: Path) -> None:
    pairs = evenhand.load_pairs("starter", limit=4)
    run = evenhand.audit(JUDGE, [replace(pair, id=f"mine-{pair.id}") for pair in pairs], out=tmp_path)
    assert run.manifest.data.spec == "pairs given in Python"
    assert run.counts.planned == 8


def test_no_pairs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no pairs"):
        evenhand.audit(JUDGE, [], out=tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"judge": None}, "judge: expected a spec .* got a NoneType"),
        ({"pairs": None}, "pairs: expected a spec, a path or a sequence of Pair, got a NoneType"),
        ({"pairs": [{"id": "p"}]}, "pairs: expected evenhand.Pair objects, got a dict"),
        ({"settings": {"seed": 1}}, "settings: expected AuditSettings"),
        ({"pairs": [], "limit": 2.5}, "limit is 2.5"),
    ],
)
def test_what_is_of_another_type_is_named_before_anything_is_asked(
    tmp_path: Path, words: dict[str, object], message: str
) -> None:
    for call in (evenhand.audit, evenhand.dry_run):
        with pytest.raises(ConfigError, match=message):
            call(**{"judge": JUDGE, "pairs": "starter", **words}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_dry_run_counts_and_asks_nothing(judge: Counting, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=2, out=tmp_path)
    dry = evenhand.dry_run(judge, "starter", limit=6, out=tmp_path)
    assert (dry.presentations, dry.answered, judge.asked) == (12, 4, 4)
    assert dry.cost.prompt_tokens > 0
    assert dry.cost.completion_tokens_low <= dry.cost.completion_tokens_high


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    evenhand.dry_run(JUDGE, "starter", out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_the_default_directory_is_the_same_for_the_same_judge_and_data() -> None:
    one = default_directory("llamacpp:/models/x.gguf", "llmbar:data")
    assert one == default_directory("llamacpp:/models/x.gguf", "llmbar:data")
    assert one != default_directory("llamacpp:/models/y.gguf", "llmbar:data")
    assert ".." not in default_directory("a:../../b", "../../etc/passwd").as_posix()
