"""A live run with bias audits, end to end: what is asked, what each audit sees, and what the plain report sees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.datasets import load_pairs
from evenhand.errors import StoreError
from evenhand.judges import Answer, Judge, JudgeRequest, load_judge
from evenhand.records import Ask, Readout, RunManifest
from evenhand.stats import Estimate
from evenhand.store import Journal
from evenhand.workflow import AuditRun, AuditSettings, ReadoutChoice, open_run
from evenhand.workflow.bias_data import BiasWatch, control_rows, known_biases
from judges.openai.faulty import FaultyServer, Say, chat

JUDGE = "simulated:position=0.3,sycophancy=2.0"
PAIRS = 12


class Counting:
    """A judge that hands everything on and remembers how much it was asked."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.asked = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._judge, name)

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        self.asked += len(requests)
        yield from self._judge.answer(requests)


@pytest.fixture
def judge() -> Iterator[Counting]:
    with load_judge(JUDGE) as opened:
        yield Counting(opened)


def biased(*names: str, **more: object) -> AuditSettings:
    return AuditSettings(biases=names, resamples=200, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    out = tmp_path_factory.mktemp("biased")
    return evenhand.audit(JUDGE, "starter", limit=PAIRS, out=out, settings=biased("sycophancy", "formatting"))


def test_a_planted_bias_is_found_against_the_control(run: AuditRun) -> None:
    assert run.complete
    assert run.biases is not None
    [user] = run.biases.select(
        FindingKind.BIAS, subset="endorsement=user", readout=Readout.GENERATED, condition="single-character, A/B"
    )
    shift, noise = user.measure("net_shift"), user.measure("repeat_toward_rate")
    assert isinstance(shift, Estimate)
    assert isinstance(noise, Estimate)
    assert shift.value > 0.2
    assert user.tests[0].p_value < 0.01
    assert noise.n == PAIRS * 2  # the default repeats every one of so few pairs, compared for both targets


def test_the_plain_audit_sees_the_control_alone(run: AuditRun, tmp_path: Path) -> None:
    plain = evenhand.audit(
        JUDGE, "starter", limit=PAIRS, out=tmp_path, settings=AuditSettings(repeat=PAIRS, resamples=200)
    )
    assert run.audit == plain.audit
    assert plain.biases is None
    assert plain.bias_study() is None
    assert plain.left_out == {}
    view, other = run.write_report(tmp_path / "a").view, plain.write_report(tmp_path / "b").view
    assert [table.rows for table in view.tables] == [table.rows for table in other.tables]
    # The biases that were found stand among the doubts; what is said of order is the same.
    assert view.headline.lead == other.headline.lead
    said = {claim.text for claim in (*view.headline.doubt, *view.headline.more)}
    assert {claim.text for claim in other.headline.doubt} <= said
    assert any("endors" in text or "sycophancy" in text for text in said)
    assert [c["id"] for c in run.card()["conditions"]] == ["single-character, A/B"]
    assert not (tmp_path / "b" / "biases.html").exists()


def test_changed_verdicts_are_in_the_table_under_conditions_of_their_own(run: AuditRun) -> None:
    table = run.to_polars()
    changed = [condition.id for condition in run.manifest.conditions if condition.changes]
    of_none = {name for name, reasons in run.left_out.items() if sum(n for _, n in reasons) == PAIRS}
    assert {name.rpartition(" ")[2] for name in of_none} == {"format=plain:A", "format=plain:B"}
    assert set(table["condition"]) == {"single-character, A/B", *changed} - of_none
    assert control_rows(table, run.manifest.conditions)["condition"].unique().to_list() == ["single-character, A/B"]
    again = table.filter(pl.col("repeat") > 0)
    assert again["condition"].unique().to_list() == ["single-character, A/B"]


def test_left_out_pairs_are_counted_again_when_the_run_is_opened(run: AuditRun) -> None:
    # The starter pairs hold no markup that could be taken off, and one has a block of code in each response.
    plain, code = ("the response is already plain", 11), ("the response holds a code block or a table", 1)
    dressed = [f"single-character, A/B; format={level}:{t}" for level in ("bullets", "markdown", "code") for t in "AB"]
    assert run.left_out == {
        **{f"single-character, A/B; format=plain:{target}": (plain, code) for target in "AB"},
        **dict.fromkeys(dressed, (code,)),
    }
    opened = open_run(run.directory, resamples=200)
    assert opened.left_out == run.left_out
    assert opened.biases == run.biases


def test_another_audit_later_asks_its_own_changes_alone(judge: Counting, tmp_path: Path) -> None:
    evenhand.audit(judge, "starter", limit=4, out=tmp_path, settings=biased(repeat=0))
    assert judge.asked == 8
    evenhand.audit(judge, "starter", limit=4, out=tmp_path, settings=biased("tone", repeat=0))
    assert judge.asked == 8 + 4 * 8
    evenhand.audit(judge, "starter", limit=4, out=tmp_path, settings=biased("tone", "recency", repeat=0))
    tone_and_recency = judge.asked
    assert tone_and_recency > 8 + 4 * 8
    evenhand.audit(judge, "starter", limit=4, out=tmp_path, settings=biased("recency", repeat=0))
    again = evenhand.audit(judge, "starter", limit=4, out=tmp_path, settings=biased("tone", "recency", repeat=0))
    assert judge.asked == tone_and_recency
    assert again.complete


def test_a_dry_run_counts_control_and_changes_apart(tmp_path: Path) -> None:
    settings = biased("tone")
    dry = evenhand.dry_run(JUDGE, "starter", limit=4, out=tmp_path, settings=settings)
    run = evenhand.audit(JUDGE, "starter", limit=4, out=tmp_path, settings=settings)
    assert (dry.presentations, dry.changed, dry.changed_conditions, dry.conditions) == (44, 32, 4, 1)
    assert run.counts.planned == dry.presentations
    assert dry.changed_cost is not None
    control = evenhand.dry_run(JUDGE, "starter", limit=4, out=tmp_path / "new", settings=AuditSettings(repeat=4))
    assert control.changed_cost is None
    assert dry.cost.prompt_tokens == control.cost.prompt_tokens + dry.changed_cost.prompt_tokens
    assert any("96" not in note and note.startswith("bias audits tone: 32") for note in dry.notes)
    after = evenhand.dry_run(JUDGE, "starter", limit=4, out=tmp_path, settings=settings)
    assert (after.answered, after.cost.prompt_tokens) == (44, 0)


@pytest.mark.parametrize(
    "choice", [ReadoutChoice.FIRST_TOKEN, ReadoutChoice.HYBRID, ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED]
)
def test_changes_are_asked_and_read_as_the_control_is(choice: ReadoutChoice, tmp_path: Path) -> None:
    run = evenhand.audit(JUDGE, "starter", limit=4, out=tmp_path, settings=biased("tone", readout=choice))
    assert run.biases is not None
    assert {finding.readout for finding in run.biases.findings} == set(run.manifest.readouts)
    assert run.to_polars().filter(pl.col("outcome") == "error").height == 0


def test_an_endpoint_that_does_what_the_user_says_is_found_out(tmp_path: Path) -> None:
    def script(body: dict[str, list[dict[str, str]]], _: int) -> Say:
        """The label that the user names; A where nobody says anything."""
        text = body["messages"][-1]["content"]
        return Say(chat("B" if "I think response B is the better one." in text else "A"))

    settings = biased("sycophancy", readout=ReadoutChoice.GENERATED, repeat=2)
    with FaultyServer(script) as server, server.judge() as judge:
        run = evenhand.audit(judge, "starter", limit=PAIRS, out=tmp_path, settings=settings)
        # Only what is repeated is asked twice: the control of two pairs in order AB.
        assert sorted(server.asked.values()) == [1] * (len(server.asked) - 2) + [2, 2]
        again = evenhand.audit(judge, "starter", limit=PAIRS, out=tmp_path, settings=settings)
        assert sum(server.asked.values()) == run.counts.planned
    assert run.complete
    assert run.biases == again.biases
    shifts = {f.subset: f.measure("net_shift") for f in run.biases.findings}  # type: ignore[union-attr]
    user, expert = shifts["endorsement=user"], shifts["endorsement=expert"]
    # In each order the first slot's response is preferred already: the other turns, half of all presentations.
    assert isinstance(user, Estimate)
    assert isinstance(expert, Estimate)
    assert (user.value, expert.value) == (0.5, 0.0)


def test_several_labels_are_changed_under_each(tmp_path: Path) -> None:
    labels = (evenhand.LabelSet.parse("A/B"), evenhand.LabelSet.parse("1/2"))
    run = evenhand.audit(JUDGE, "starter", limit=4, out=tmp_path, settings=biased("tone", labels=labels))
    assert run.biases is not None
    assert {f.condition for f in run.biases.findings} == {"single-character, A/B", "single-character, 1/2"}
    assert {f.condition for f in run.audit.select(FindingKind.READOUT)} == {f.condition for f in run.biases.findings}
    assert len(run.audit.select(FindingKind.CONDITIONS, readout=Readout.GENERATED)) == 1


@pytest.fixture
def rewrites(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    rows = [
        {"pair_id": pair.id, "factor": "register", "level": "non-native", "target": target, "text": f"It be {target}."}
        for pair in load_pairs("starter", limit=6)
        for target in "AB"
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_run_with_rewrites_is_analysed_again_without_the_users_file(rewrites: Path, tmp_path: Path) -> None:
    settings = biased("register", variants=rewrites)
    run = evenhand.audit(JUDGE, "starter", limit=4, out=tmp_path / "run", settings=settings)
    rewrites.unlink()
    opened = open_run(run.directory, resamples=200)
    assert opened.biases == run.biases
    assert opened.left_out == run.left_out
    assert run.biases is not None
    [supplied] = run.biases.select(FindingKind.BIAS, subset="register=non-native", readout=Readout.GENERATED)
    assert supplied.pairs == 4
    [copy] = run.directory.glob("variants-*")
    copy.unlink()
    with pytest.raises(StoreError, match="missing or was changed"):
        open_run(run.directory)


def test_rationales_are_the_controls_texts_of_the_first_time(run: AuditRun) -> None:
    with Journal.open(run.directory, read_only=True) as journal:
        kept, none = BiasWatch(run.manifest, rationales=True), BiasWatch(run.manifest, rationales=False)
        entries = list(none.watch(kept.watch(journal.completions())))
    assert len(entries) == run.counts.planned
    assert none.rationales == ()
    assert len(kept.rationales) == 2 * PAIRS
    assert {rationale.condition for rationale in kept.rationales} == {"single-character, A/B"}
    assert all(entry.presentation.ask is Ask.OPEN for entry in entries)
    assert kept.asked == none.asked
    for name, pairs in kept.asked.items():
        assert len(pairs) == PAIRS - sum(count for _, count in run.left_out.get(name, ()))


def test_audits_that_are_not_installed_here_are_passed_over(run: AuditRun) -> None:
    from dataclasses import replace

    manifest: RunManifest = replace(run.manifest, biases=("sycophancy", "from-elsewhere"))
    assert known_biases(manifest) == ("sycophancy",)
