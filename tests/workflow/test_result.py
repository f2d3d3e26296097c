import json
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.records import LabelSet
from evenhand.report.card import validate_card
from evenhand.runner import Prices, SpendLimit
from evenhand.store import Journal
from evenhand.workflow import AuditSettings, ReadoutChoice
from workflow.broken_runs import broken_off
from workflow.people_runs import people_run
from workflow.ranked_runs import authored_pairs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> evenhand.AuditRun:
    return evenhand.audit("simulated:position=1.5,compliance=0.6", "starter", out=tmp_path_factory.mktemp("run"))


def test_the_card_is_valid_and_names_the_judge(run: evenhand.AuditRun) -> None:
    card = run.card()
    validate_card(card)
    assert "simulated" in json.dumps(card)


def test_findings_as_json_are_plain(run: evenhand.AuditRun) -> None:
    json.dumps(run.to_json(), allow_nan=False)


def test_the_report_is_written_into_the_run(run: evenhand.AuditRun) -> None:
    written = run.write_report()
    assert written.html.parent == run.directory
    assert "<script" not in written.html.read_text(encoding="utf-8")


def test_a_report_without_biases_leaves_no_earlier_ones_beside_it(tmp_path: Path) -> None:
    ours = {"biases.json", "biases.html", "biases.md"}
    biased = evenhand.audit(
        "simulated:position=1",
        "starter",
        limit=12,
        settings=AuditSettings(biases=("sycophancy",)),
        out=tmp_path / "run",
    )
    biased.write_report()
    assert ours <= {path.name for path in biased.directory.iterdir()}
    assert list(biased.directory.glob("tables/biases-*"))
    plain = evenhand.audit("simulated:position=1", "starter", limit=12, out=tmp_path / "other")
    plain.write_report(biased.directory)
    files = [path for path in biased.directory.rglob("biases*") if path.is_file()]
    left = {path.relative_to(biased.directory).as_posix() for path in files}
    assert left <= {"figures/biases.svg"}, "the audit's own figure, of order and noise, alone"
    assert (biased.directory / "report.html").is_file()


def test_a_run_that_has_no_answer_yet_has_a_report(tmp_path: Path) -> None:
    evenhand.audit("simulated:position=1", "starter", limit=6, out=tmp_path, stop=lambda: True)
    written = evenhand.open_run(tmp_path).write_report()
    assert written.view.headline.status == "incomplete"
    assert written.view.headline.verdict == "Nothing answered yet: 0 of 12 presentations"
    assert "Nothing answered yet" in written.html.read_text(encoding="utf-8")
    card = json.loads(written.card_json.read_text(encoding="utf-8"))
    validate_card(card)
    (condition,) = card["conditions"]
    assert [readout["readout"] for readout in condition["readouts"]] == ["first-token", "generated", "hybrid"]
    for readout in condition["readouts"]:
        assert set(readout["outcomes"].values()) == {0}
        assert readout["flip_rate"] == {"refused": "nothing answered yet", "n": 0}


def test_a_label_set_without_answers_is_named(tmp_path: Path) -> None:
    settings = AuditSettings(labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y")))
    run = evenhand.audit("simulated:position=1", "starter", limit=6, out=tmp_path / "whole", settings=settings)
    opened = evenhand.open_run(broken_off(run, tmp_path / "part", answered=lambda p: p.condition.endswith("A/B")))
    assert (opened.counts.planned, opened.counts.finished, opened.counts.pending) == (24, 12, 12)
    written = opened.write_report()
    assert "Nothing answered yet under X/Y." in written.view.notes
    card = opened.card()
    validate_card(card)
    answered, silent = card["conditions"]
    assert all(sum(readout["outcomes"].values()) == 12 for readout in answered["readouts"])
    assert silent["compliance"]["pairs"] == {"refused": "nothing answered yet", "n": 0}
    assert len(silent["readouts"]) == 3


def test_an_import_that_was_killed_before_its_answers_has_a_report(tmp_path: Path) -> None:
    rows = [{"pair_id": f"q{i}", "order": o, "text": "Response A is better."} for i in range(6) for o in ("AB", "BA")]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run = evenhand.import_log("table", log, out=tmp_path / "whole")
    written = evenhand.open_run(broken_off(run, tmp_path / "part", answered=lambda _: False)).write_report()
    assert written.view.headline.verdict == "Nothing answered yet: 0 of 12 presentations"
    assert written.view.headline.next_steps == ("Import the same log again to finish the run.",)


def test_where_most_calls_failed_the_title_is_no_finding(tmp_path: Path) -> None:
    run = evenhand.audit("simulated:context=1715", "starter", out=tmp_path)
    headline = run.write_report().view.headline
    assert run.counts.errors > run.counts.finished > 0
    assert headline.status == "incomplete"
    assert headline.verdict.startswith(f"Incomplete: {run.counts.errors} of {run.counts.planned} presentations failed")


def test_a_log_of_errors_alone_is_not_to_be_started_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows = [{"pair_id": f"q{i}", "order": order, "outcome": "error"} for i in range(6) for order in ("AB", "BA")]
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    headline = evenhand.import_log("table", log, out=tmp_path / "run").write_report().view.headline
    assert headline.verdict == "No verdicts were read"
    assert "import the new log" in headline.next_steps[0]


def test_the_table_is_a_copy(run: evenhand.AuditRun) -> None:
    table = run.to_polars()
    assert table is not run.to_polars()


def test_what_answers_remark_and_who_gave_them_reaches_report_and_card(run: evenhand.AuditRun, tmp_path: Path) -> None:
    with (
        Journal.open(run.directory, read_only=True) as whole,
        Journal.create(tmp_path, whole.manifest, whole.pairs()) as other,
    ):
        other.set_plan(whole.plan())
        for index, entry in enumerate(whole.completions()):
            if entry.completion is not None:
                served = "m-2 <b>" if index == 0 else "m-1"
                answer = replace(entry.completion, note="the endpoint refuses logprobs", served=served)
                other.record(entry.presentation.key, answer)
    opened = evenhand.open_run(tmp_path)
    assert opened.answers is not None
    assert opened.answers.served == (("m-1", 119), ("m-2 <b>", 1))
    written = opened.write_report()
    html = written.html.read_text(encoding="utf-8")
    assert "More than one model or build answered: of 120 answers" in html
    assert "m-2 &lt;b&gt;" in html
    assert "m-2 <b>" not in html
    assert "120 of 120 answers (100 %) came with the remark: the endpoint refuses logprobs." in html.replace(
        "\xa0", " "
    )
    assert json.loads(written.json.read_text(encoding="utf-8"))["answers"]["notes"][0]["count"] == 120
    validate_card(opened.card())
    assert opened.card()["judge"]["served"][1] == {"text": "m-2 <b>", "count": 1}


def test_what_the_run_has_cost_counts_earlier_calls_too(tmp_path: Path) -> None:
    spend = SpendLimit(prices=Prices(prompt=1000.0, completion=0.0))
    first = evenhand.audit("simulated:fair", "starter", limit=3, out=tmp_path, spend=spend)
    assert first.execution is not None
    assert first.execution.prompt_tokens is not None
    facts = dict(first.facts())
    assert facts["Cost of the run"].startswith(f"${first.execution.prompt_tokens / 1000:,.4f} at $1000 and $0 per")
    assert "Tokens of the run" not in facts
    more = evenhand.audit("simulated:fair", "starter", limit=4, out=tmp_path, spend=spend)
    assert more.spent is not None
    assert more.spent.prompt_tokens > first.execution.prompt_tokens
    assert "Tokens of the run" in dict(more.facts())


def test_labels_that_are_named_are_in_the_run_and_its_files_go_with_them(
    run: evenhand.AuditRun, tmp_path: Path
) -> None:
    rows = [f"{pair_id},A,{who}" for pair_id in run.to_polars()["pair_id"].unique().sort() for who in ("ann", "bob")]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["pair_id,preference,annotator", *rows]), encoding="utf-8")
    opened = evenhand.open_run(run.directory, labels=path, resamples=200)
    assert opened.humans is not None
    assert opened.audit.findings == evenhand.open_run(run.directory, resamples=200).audit.findings
    out = tmp_path / "out"
    opened.write_report(out)
    names = {file.name for file in out.rglob("judge-and-humans*")}
    assert {"judge-and-humans.html", "judge-and-humans.md", "judge-and-humans-agreement.csv"} <= names
    assert run.write_report(str(out)).html.parent == out
    assert not list(out.rglob("judge-and-humans*"))


def test_an_audit_of_a_labelled_folder_brings_its_labels_in(tmp_path: Path) -> None:
    people_run(tmp_path / "run")
    settings = AuditSettings(readout=ReadoutChoice.FIRST_TOKEN, resamples=200)
    again = evenhand.audit(
        "simulated:position=1.5,noise=0.5", authored_pairs(), settings=settings, out=tmp_path / "run"
    )
    assert again.humans is not None
    again.write_report()
    assert "Judge and humans" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
