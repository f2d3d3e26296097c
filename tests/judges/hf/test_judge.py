"""The judge as a whole on tiny models of its families, and against llama.cpp on the same weights."""

import subprocess
import sys

import pytest

from evenhand.errors import ConfigError
from evenhand.judges import Captures, Generate, Judge, JudgeRequest, load_judge
from evenhand.judges.hf.judge import OPTIONS, TransformersJudge, default_limits
from evenhand.records import FinishReason, LabelSet, Message
from judges.tiny_models import FAMILIES, GEMMA3, LABELS, LLAMA3, QWEN3, answers, ask, farthest, judge_of, loaded

named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def test_nothing_heavy_is_imported_before_a_judge_is_loaded():
    code = (
        "import sys, evenhand.cli.main, evenhand.judges.hf.judge\n"
        "print(sorted({'torch', 'transformers', 'tokenizers', 'gguf'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"


@named
def test_a_spec_with_options_makes_a_judge_that_says_what_it_is(tiny, family):
    folder = tiny(family)
    with load_judge(f"transformers:{folder}", n_ctx="200", max_batch=3, batch_tokens="300", dtype="float32") as judge:
        assert isinstance(judge, Judge)
        identity = judge.identity
        settings = dict(identity.settings)
        assert (settings["dtype"], settings["device"], settings["n_ctx"]) == ("float32", "cpu", "200")
        assert settings["attention"] == ("eager" if family.name == "gemma2" else "sdpa")
        assert settings["thinking"] == ("off" if family is QWEN3 else "not in the template")
        assert settings["system_role"] == ("template" if family.system_role else "before the user's message")
        assert settings["chat_template"].startswith("sha256:")
        assert identity.revision.startswith("sha256:")
        assert identity.engine.startswith("torch 2.")
        assert "transformers 5." in identity.engine
        assert (judge.limits.tokens, judge.limits.rows) == (300, 3)
        [completion] = answers(judge, [ask("A or B?")])
        assert completion.error is None


@named
def test_both_readouts_come_from_one_prefill(tiny, family):
    with judge_of(tiny(family)) as judge:
        variants = judge.label_tokens(LABELS)
        assert [v.variant for v in variants if v.token_id is not None] == ["A", " A", "B", " B"]
        first, both = answers(judge, [ask("A or B?", generate=Generate.NEVER), ask("A or B?")])
        assert first.first_token.argmax.token_id == both.first_token.argmax.token_id
        assert farthest(first, both) < 1e-4
        assert (first.text, first.finish_reason) == (None, FinishReason.NOT_GENERATED)
        assert both.text is not None


@named
def test_constrained_answers_are_labels_even_of_several_tokens(tiny, family):
    with judge_of(tiny(family)) as judge:
        for labels, first in ((LABELS, True), (LabelSet.parse("response one/response two"), False)):
            for completion in answers(
                judge, [ask(q, labels=labels, constrained=True, first_token=first) for q in ("A or B?", "Say hello.")]
            ):
                assert completion.error is None
                assert completion.text in labels.by_outcome.values()
                assert (completion.first_token is not None) is first
        with pytest.raises(ConfigError, match="single token"):
            judge.answer([ask("Hi.", labels=LabelSet.parse("response one/B"), constrained=True)])


def test_a_constraint_is_the_argmax_among_the_labels_variants(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        for completion in answers(judge, [ask(f"{n}: A or B?", constrained=True) for n in range(6)]):
            best = {o: max(entry.logprob for entry in entries) for o, entries in completion.first_token.labels}
            assert completion.text == LABELS.by_outcome[max(best, key=best.get)]


def test_a_system_message_counts_where_there_is_no_such_role(tiny):
    user = Message(role="user", content="A or B?")
    with judge_of(tiny(GEMMA3)) as judge:
        requests = [
            JudgeRequest(messages=messages, labels=LABELS, budgets=(2,))
            for messages in (
                (user,),
                (Message(role="system", content="Say B."), user),
                (Message(role="user", content="Say B.\n\nA or B?"),),
            )
        ]
        alone, with_system, written_out = answers(judge, requests)
        assert alone.first_token != with_system.first_token
        assert farthest(with_system, written_out) < 1e-4


@named
def test_it_shows_its_residual_stream(tiny, family):
    with judge_of(tiny(family)) as judge:
        assert isinstance(judge, Captures)
        assert (judge.layers, judge.size) == (4, 32)


@named
def test_tokens_of_a_text_are_those_it_adds_to_a_message(tiny, family):
    with judge_of(tiny(family)) as judge:
        assert judge.count_tokens("") == 0
        control = family.control[-1]
        for text in ("A or B?", "naïve\n\n  café", f"a{control}b"):
            count = judge.count_tokens(text)
            ids = judge._texts.plain(text)
            assert count == len(ids)
            # Nothing is a control token, so the text comes back whole; some tokenizers put a space before it.
            assert judge._texts.decode(ids, skip=False).removeprefix(" ") == text
        assert judge.count_tokens(control) > 1
        assert judge.count_tokens("A or B? " * 10) > judge.count_tokens("A or B? ")
    with pytest.raises(ConfigError, match="closed"):
        judge.count_tokens("A")


def test_what_does_not_fit_is_an_error_of_its_own(tiny):
    with judge_of(tiny(LLAMA3), n_ctx=80) as judge:
        bad, good = answers(judge, [ask("word " * 90), ask("A or B?", budgets=(2,))])
        assert bad.finish_reason is FinishReason.ERROR
        assert "context of 80 tokens" in bad.error
        assert good.error is None


def test_a_row_that_crosses_the_change_of_rotary_scaling_is_refused(tiny, monkeypatch):
    with judge_of(tiny(LLAMA3)) as judge:
        monkeypatch.setattr(judge._forward, "_switch", 70)
        bad, good = answers(judge, [ask("A or B?", budgets=(60,)), ask("A or B?", budgets=(3,))])
        assert "cross 70 tokens" in bad.error
        assert good.error is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_gpu": 1}, "no option 'n_gpu'"),
        ({"n_ctx": "many"}, "not a whole number"),
        ({"n_ctx": 4096}, "has a context of 512"),
        ({"dtype": "int4"}, "expected auto, float32"),
        ({"attn": "flash"}, "expected auto, sdpa, eager"),
        ({"device": "abacus"}, "expected auto, cpu"),
        ({"thinking": "on"}, "no enable_thinking switch"),
        ({"gguf_file": "x.gguf"}, "no such file"),
    ],
)
def test_bad_options_are_named(tiny, options, said):
    with pytest.raises(ConfigError, match=said):
        load_judge(f"transformers:{tiny(LLAMA3)}", **options)


def test_every_option_has_a_line_of_help():
    assert TransformersJudge.OPTIONS is OPTIONS
    assert all(option.help and "\n" not in option.help for option in OPTIONS.values())
    assert default_limits("cuda:0").tokens > default_limits("cpu").tokens


def test_a_closed_judge_says_so(tiny):
    judge = judge_of(tiny(LLAMA3))
    begun = judge.answer([ask("Hi.")])
    judge.close()
    judge.close()
    with pytest.raises(ConfigError, match="closed"):
        next(begun)
    with pytest.raises(ConfigError, match="closed"):
        judge.answer([ask("Hi.")])
    with pytest.raises(ConfigError, match="closed"):
        judge.estimate([ask("Hi.")])


def test_answers_repeat_to_the_last_bit(tiny):
    with judge_of(tiny(QWEN3)) as judge:
        requests = [ask(f"{number}: A or B?") for number in range(5)]
        one, two = answers(judge, requests), answers(judge, requests)
        assert [(c.text, c.first_token) for c in one] == [(c.text, c.first_token) for c in two]


@pytest.mark.engine
def test_the_same_weights_say_nearly_the_same_in_llama_cpp(smollm2, judge):
    """llama.cpp rounds activations to 8 bits while it multiplies 4-bit weights, hence the wide tolerance."""
    source, model = loaded(smollm2)
    questions = [ask(q, budgets=(8,)) for q in ("A: yes. B: no. Is water wet, A or B?", "Say hello.")]
    with TransformersJudge(model, source=source, spec="transformers:smollm2") as ours:
        assert ours.identity.model == smollm2.name
        assert dict(ours.identity.settings)["pretokenizer"] == "smollm"
        for mine, theirs in zip(answers(ours, questions), answers(judge, questions), strict=True):
            assert mine.usage.prompt_tokens == theirs.usage.prompt_tokens
            assert mine.first_token.argmax.token_id == theirs.first_token.argmax.token_id
            labels = [dict(c.first_token.labels) for c in (mine, theirs)]
            for outcome, entries in labels[0].items():
                for one, other in zip(entries, labels[1][outcome], strict=True):
                    assert one.token_id == other.token_id
                    assert one.logprob == pytest.approx(other.logprob, abs=0.5)
