import json

import pytest

from judges.tiny_models import QWEN3
from workflow.capturing_judge import CapturingDouble, flipping, pairs, three_lines


@pytest.fixture
def double(monkeypatch):
    """The judge that ``double:x`` names, whatever it is set to be."""
    made = CapturingDouble(flipping(3))
    monkeypatch.setattr("evenhand.workflow.opened.load_judge", lambda spec, **options: made)
    return made


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"id": p.id, "instruction": p.instruction, "response_a": p.response_a, "response_b": p.response_b}
        | {"group": p.group}
        for p in pairs(12)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_it_prints_what_can_be_used_and_what_comes_next(evenhand, double, data, tmp_path):
    done = evenhand("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--quiet")
    assert done.code == 0
    assert done.err == ""
    assert "12" in done.out
    assert "Flip rate:   33.3 % [" in done.out
    assert "of 12 pairs in 6 question groups (generated readout)" in done.out
    assert "before-verdict and prompt-end at layers 1, 2, 3 of 4, width 6, float32: " in done.out
    assert f"evenhand probe fit {tmp_path / 'run'}" in done.out
    assert "Replay" not in done.out
    report = evenhand("report", tmp_path / "run")
    assert report.code == 0
    assert "flip rate" in report.out


def test_a_dry_run_with_a_replay_says_that_it_reads_again(evenhand, double, data, tmp_path):
    words = ("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--dry-run")
    assert "reads" not in evenhand(*words).out
    assert "--verify-replay then reads all prompts and answers again" in evenhand(*words, "--verify-replay").out
    part = evenhand(*words, "--verify-replay", "--replay-limit", "5", "--json")
    assert json.loads(part.out)["notes"][0].startswith("--verify-replay then reads 5 prompts and answers at most")


@pytest.mark.parametrize("usable", [0, 2, 3])
def test_a_format_that_is_hardly_kept_points_to_another_readout_not_to_a_fit(evenhand, double, data, tmp_path, usable):
    double._write = lambda number, ab: three_lines("A") if number < usable else "I would say A"
    done = evenhand("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--quiet")
    assert done.code == 0
    assert ("evenhand probe fit" in done.out) is (usable == 3)  # a quarter of 12
    told = "few pairs to fit on, most are lost: format: "
    assert (told in done.out) is (usable < 3)
    assert ("--readout first-token" in done.out) is (usable < 3)


def test_the_same_command_again_asks_nothing(evenhand, double, data, tmp_path):
    command = ("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run")
    first = evenhand(*command)
    assert "collecting" in first.err or "judging" in first.err
    asked = len(double.asked)
    again = evenhand(*command, "--verify-replay", "--json", "--quiet")
    assert len(double.asked) == asked == 24
    found = json.loads(again.out)
    assert found["retention"] == {"planned": 12, "usable": 12, "lost": []}
    assert found["flip_rate"]["count"] == 4
    assert found["replay"]["passed"] is True
    assert found["replay"]["replayed"] == 24


def test_a_replay_that_disagrees_is_exit_1(evenhand, double, data, tmp_path):
    double.wrong_replays = {2, 3}
    command = ("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--quiet")
    done = evenhand(*command, "--verify-replay")
    assert done.code == 1
    assert "replay disagrees: 2 verdicts and 0 activations of 24 presentations; the first: pair 'p0'" in done.err
    assert "Replay:      24 presentations in 0 s: 2 other verdicts" in done.out
    double.wrong_replays = frozenset()
    few = evenhand(*command, "--verify-replay", "--replay-limit", 5)
    assert few.code == 0
    assert "5 of 24 presentations in 0 s: every verdict is the greedy next token" in few.out
    assert evenhand(*command, "--replay-limit", 5).code == 2


def test_failed_presentations_are_exit_3_and_told(evenhand, double, data, tmp_path):
    from evenhand.records import Completion, FinishReason

    failed = Completion(text=None, finish_reason=FinishReason.ERROR, error="no memory")
    double._write = lambda number, ab: failed if number == 2 else three_lines("A")
    done = evenhand("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--quiet")
    assert done.code == 3
    assert "2 of 24 presentations failed (no memory); to ask them again: evenhand probe collect" in done.err
    assert "the call failed" in done.out


def test_ctrl_c_says_how_to_go_on(evenhand, double, data, tmp_path):
    def interrupt(number, ab):
        if len(double.asked) == 8:
            raise KeyboardInterrupt
        return three_lines("A")

    double._write = interrupt
    done = evenhand(
        "probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--verify-replay", "-q"
    )
    assert done.code == 3
    assert done.err.splitlines()[-1].startswith(
        "evenhand: interrupted: 7 of 24 presentations are answered and recorded, each with its activations; to go on: "
        "evenhand probe collect"
    )
    assert "not asked yet" in done.out


def test_a_dry_run_says_tokens_and_room_and_writes_nothing(evenhand, double, data, tmp_path):
    command = ("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", "--layers", "2,1")
    done = evenhand(*command, "--dry-run")
    assert done.code == 0
    assert "24 presentations" in done.out
    assert "activations: before-verdict and prompt-end at layers 1, 2 of 4, width 6, float32: 2,304 bytes" in done.out
    assert not (tmp_path / "run").exists()
    assert not double.asked
    found = json.loads(evenhand(*command, "--dry-run", "--json").out)
    assert found["presentations"] == 24
    assert found["activations"]["layers"] == [1, 2]
    assert found["activation_bytes"] == 2304


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--layers", "a"), "--layers 'a'"),
        (("--layers", "9"), "layers 9: expected some of 0 (embeddings) to 4"),
        (("--readout", "hybrid"), "expected generated, first-token or prefilled"),
        (("--readout", "x"), "readout 'x': expected generated, first-token or prefilled"),
        (("--prompt", "rubric"), "another format than three lines"),
        (("--labels", "A"), "labels 'A'"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(evenhand, double, data, tmp_path, words, said):
    done = evenhand("probe", "collect", "-j", "double:x", "-p", data, "--out", tmp_path / "run", *words)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not double.asked


def test_a_judge_that_shows_nothing_is_refused_with_what_to_use(evenhand, tmp_path):
    done = evenhand("probe", "collect", "-j", "simulated:fair", "-p", "starter", "--out", tmp_path / "run")
    assert done.code == 2
    assert "doesn't show its activations" in done.err
    assert "transformers:" in done.err


def test_on_a_tiny_model_from_its_folder(evenhand, tmp_path, tmp_path_factory, data):
    from judges.tiny_models import save

    folder = save(QWEN3, tmp_path_factory.mktemp("qwen3"), max_position_embeddings=2048)
    command = ("probe", "collect", "-j", f"transformers:{folder}", "-J", "device=cpu", "-p", data, "--limit", 6)
    done = evenhand(*command, "--readout", "first-token", "--out", tmp_path / "run", "--quiet", "--verify-replay")
    assert done.err == ""
    assert done.code == 0
    assert "before-verdict (the prompt's last token: the verdict is the first token written)" in done.out
    assert "every recorded first token is the greedy next token" in done.out


def test_a_dry_run_of_a_judge_without_activations_says_so_and_asks_for_no_key(evenhand, data, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = evenhand("probe", "collect", "-j", "openai:m", "-p", data, "--out", tmp_path / "run", "--dry-run")
    assert done.code == 2
    assert "judge 'openai:m' doesn't show its activations" in done.err
    assert "KEY" not in done.err
