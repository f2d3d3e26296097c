import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.judges.simulated import SimulatedJudge
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.selective_examples import make_probe, telling

Run = Callable[..., Any]
JUDGE = ("--judge", "simulated:position=1.5,compliance=0.6")


def test_an_audit_prints_figures_and_writes_the_report(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 12, "--repeat", 4, "--out", tmp_path / "run", "--quiet")
    assert done.code == 0
    assert done.err == ""
    assert "flip rate" in done.out
    assert f"Report: {tmp_path / 'run' / 'report.html'}" in done.out
    for name in ("report.html", "audit.json", "card.json", "card.md", "run.json", "journal.sqlite"):
        assert (tmp_path / "run" / name).is_file()


def test_json_on_stdout_is_the_report_and_nothing_else(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path, "--json")
    assert done.code == 0
    assert json.loads(done.out) == json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))


def test_progress_goes_to_stderr(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path)
    assert "12" in done.err


def test_label_sets_become_conditions(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 8, "-l", "A/B", "-l", "X/Y", "--out", tmp_path, "--json")
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert done.code == 0
    assert [condition["id"] for condition in manifest["conditions"]] == [
        "single-character, A/B",
        "single-character, X/Y",
    ]


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path / "run", "--dry-run")
    assert done.code == 0
    assert "12 presentations" in done.out
    assert "prompt tokens" in done.out
    assert not (tmp_path / "run").exists()


def test_a_dry_run_as_json(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path / "run", "--dry-run", "--json")
    cost = json.loads(done.out)
    assert cost["presentations"] == 12
    assert cost["prompt_tokens"] > 0


def test_a_dry_run_of_an_api_judge_needs_no_key(evenhand: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    command = ("audit", "--judge", "openai:gpt-x", "--limit", 6, "--out", tmp_path / "run", "--price", "2,10")
    asked = evenhand(*command)
    assert (asked.code, "OPENAI_API_KEY" in asked.err) == (2, True)
    done = evenhand(*command, "--dry-run")
    assert done.code == 0, done.err
    assert "cost  " in done.out
    assert (
        "presumed: api.openai.com answers, has the model 'gpt-x' and takes the key (it was not asked: OPENAI_API_KEY "
        "holds no key)\n"
    ) in done.out
    found = json.loads(evenhand(*command, "--dry-run", "--json").out)
    assert found["dollars_high"] > 0
    assert len(found["presumed"]) == 2
    assert json.loads(evenhand("audit", *JUDGE, "--limit", 2, "--dry-run", "--json").out)["presumed"] == []
    assert not (tmp_path / "run").exists()


def test_the_command_is_kept_for_reproduction(evenhand: Run, tmp_path: Path) -> None:
    evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path, "--quiet")
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert manifest["command"].startswith("evenhand audit --judge simulated:position=1.5")


def test_budgets_default_to_the_prompt_and_the_second_to_three_times_the_first(evenhand: Run, tmp_path: Path) -> None:
    evenhand("audit", *JUDGE, "--limit", 2, "--out", tmp_path / "a", "--quiet")
    evenhand("audit", *JUDGE, "--limit", 2, "--out", tmp_path / "b", "--quiet", "--max-tokens", 50)
    evenhand("audit", *JUDGE, "--limit", 2, "--out", tmp_path / "c", "--quiet", "--max-tokens", 50, "--retry-tokens", 0)
    budgets = [
        json.loads((tmp_path / run / "run.json").read_text(encoding="utf-8"))["sampling"]["budgets"] for run in "abc"
    ]
    assert budgets == [[500, 1500], [50, 150], [50]]


def test_brief_keeps_the_main_figures_and_says_where_the_rest_is(evenhand: Run, tmp_path: Path) -> None:
    whole = evenhand("audit", *JUDGE, "--limit", 12, "--out", tmp_path, "--quiet")
    brief = evenhand("audit", *JUDGE, "--limit", 12, "--out", tmp_path, "--quiet", "--brief")
    assert "Main figures" in brief.out
    assert "are in the report" in brief.out
    assert f"Report: {tmp_path / 'report.html'}" in brief.out
    assert len(brief.out.splitlines()) < len(whole.out.splitlines()) / 2


def test_ctrl_c_before_the_first_answer_still_says_how_to_go_on(
    evenhand: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: SimulatedJudge, requests: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SimulatedJudge, "answer", interrupt)
        done = evenhand(
            "audit", *JUDGE, "--limit", 6, "--labels", "A/B", "--labels", "1/2", "--quiet", "--out", tmp_path
        )
    assert done.code == 3
    last = done.err.splitlines()[-1]
    assert last.startswith("evenhand: interrupted: 0 of 24 presentations are answered and recorded; to go on: evenhand")


def test_the_directory_of_another_run_is_not_taken_over_in_silence(evenhand: Run, tmp_path: Path) -> None:
    words = ("--limit", 6, "--resamples", 100, "--quiet", "--out", tmp_path)
    assert evenhand("audit", *JUDGE, *words).err == ""
    assert evenhand("audit", *JUDGE, *words).err == ""
    done = evenhand("audit", "--judge", "simulated:fair", *words)
    assert done.code == 0
    assert done.err == (
        f"{tmp_path} holds a run of simulated:position=1.5,compliance=0.6 on starter: its answers are kept, "
        "its plan and report are replaced by this run's\n"
    )


def test_a_limit_on_tokens_ends_the_run_and_the_next_command_goes_on(evenhand: Run, tmp_path: Path) -> None:
    command = ("audit", *JUDGE, "--limit", 6, "--out", tmp_path / "run", "--quiet")
    stopped = evenhand(*command, "--max-total-tokens", 500)
    assert stopped.code == 3
    assert "the limit of 500 tokens is reached" in stopped.err
    assert "raise it to go on" in stopped.err
    again = evenhand(*command, "--max-total-tokens", 500)
    assert again.code == 3
    done = evenhand(*command, "--max-total-tokens", 1_000_000)
    assert done.code == 0


def test_a_limit_in_dollars_needs_a_price(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--out", tmp_path / "run", "--max-cost", 1)
    assert done.code == 2
    assert "--price PROMPT,COMPLETION" in done.err
    assert not (tmp_path / "run").exists()


def test_a_dry_run_with_prices_says_dollars(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--limit", 6, "--out", tmp_path / "run", "--dry-run", "--price", "2,10")
    assert done.code == 0
    assert "cost " in done.out


def test_options_reach_the_judge(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("audit", *JUDGE, "--out", tmp_path / "run", "-J", "colour=red")
    assert done.code == 2
    assert "colour" in done.err


@pytest.mark.parametrize("judge", ["llamacpp:smollm2-135m", "openai:gpt-4o", "simulated:fair"])
def test_a_judge_without_activations_is_said_before_its_prompt_or_its_model_is_looked_for(
    evenhand: Run, tmp_path: Path, judge: str
) -> None:
    words = ("--pairs", "starter", "--swap", "selective", "--probe", tmp_path / "absent.json", "--swap-budget", 0.4)
    done = evenhand("audit", "--judge", judge, *words)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert f"judge '{judge}' doesn't show its activations" in done.err


def test_a_selective_swap_from_the_command_line(evenhand: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = make_probe(tmp_path / "made.json")
    path = tmp_path / "pairs.jsonl"
    rows = [
        {
            "id": p.id,
            "instruction": p.instruction,
            "response_a": p.response_a,
            "response_b": p.response_b,
            "group": p.group,
        }
        for p in pairs(60)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    double = CapturingDouble(telling)
    monkeypatch.setattr("evenhand.workflow.opened.load_judge", lambda spec, **options: double)
    monkeypatch.chdir(tmp_path)
    words = ("audit", "--judge", "double:x", "--pairs", path, "--swap", "selective", "--probe", probe)
    dry = evenhand(*words, "--swap-budget", 0.4, "--dry-run")
    assert dry.code == 0
    assert "order AB of 60 pairs, order BA of 44" in dry.out
    assert "note: the floor of 20 pairs is 56 % of the rest" in dry.out
    few = evenhand(*words, "--swap-budget", 0.4, "--floor-pairs", 5, "--dry-run")
    assert "order AB of 60 pairs, order BA of 29" in few.out
    assert double.asked == []
    done = evenhand(*words, "--swap-budget", 0.4)
    assert done.code == 0
    assert "selective swap: order BA is asked of 44 of 60 pairs" in done.err
    assert "Order BA was asked of 44 of 60 pairs" in " ".join(done.out.replace("│", " ").split())
    [run] = (tmp_path / "runs").iterdir()
    assert run.name.startswith("selective-")
    assert (run / "selective.parquet").is_file()
    again = evenhand("report", run)
    assert again.code == 0
    wrong = evenhand(*words)
    assert wrong.code == 2
    assert wrong.err.count("\n") == 1
    assert "needs --policy FILE" in wrong.err
    for more, message in (
        (("--budget", 0.1), "give one"),
        (("--vary", "labels"), "leave out vary"),
        (("-l", "A/B", "-l", "1/2"), "one label set"),
    ):
        refused = evenhand(*words, "--swap-budget", 0.4, *more)
        assert refused.code == 2
        assert message in refused.err
