"""The whole judge on a stand-in engine with a real, tiny model: it must answer as the transformers judge does.

``test_on_the_real_engine`` runs where vLLM does, on a GPU or a processor, and says elsewhere why it doesn't.
"""

import math
from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges import Generate, Judge, JudgeRequest, TextStatus, WindsDown, load_judge
from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.hf.load import find_source, load
from evenhand.judges.hf.prompt import ChatEncoder
from evenhand.judges.hf.tokens import TokenTexts
from evenhand.judges.vllm.engine import EngineSettings
from evenhand.judges.vllm.judge import VllmJudge, turn_ends
from evenhand.records import FinishReason, LabelSet, Message
from judges.tiny_models import GEMMA2, LLAMA3, QWEN3, save
from judges.vllm.real import WARNINGS_OF_ITS_OWN, collect_what_it_left, skip_without_vllm
from judges.vllm.stand_in import StandInEngine

LABELS = LabelSet.parse("A/B")


@pytest.fixture(scope="module", params=[QWEN3, LLAMA3, GEMMA2], ids=lambda family: family.name)
def folder(request, tmp_path_factory):
    return save(request.param, tmp_path_factory.mktemp(request.param.name), seed=3)


def judges(folder):
    source = find_source(str(folder), spec="x", gguf_file=None, revision=None, local_files_only=True)
    loaded = load(source, dtype="float32", device="cpu", attention="eager")
    texts = TokenTexts(loaded.tokenizer)
    encoder = ChatEncoder(texts, thinking=False, model=source.model)
    ends = turn_ends(loaded.tokenizer, encoder)
    engine = StandInEngine(folder, ends=ends)
    ours = VllmJudge(
        engine, encoder=encoder, texts=texts, ends=ends, source=source, settings=EngineSettings(), spec="vllm:tiny"
    )
    return ours, TransformersJudge(loaded, source=source, spec="transformers:tiny"), engine


@pytest.fixture(scope="module")
def both(folder):
    ours, theirs, engine = judges(folder)
    with ours, theirs:
        yield ours, theirs, engine


@pytest.fixture(scope="module")
def judge(both):
    return both[0]


def ask(content, **settings):
    settings = {"labels": LABELS, "budgets": (4, 8)} | settings
    return JudgeRequest(messages=(Message(role="user", content=content),), **settings)


def answers(judge, requests):
    given = sorted(judge.answer(requests), key=lambda answer: answer.index)
    assert [answer.index for answer in given] == list(range(len(requests)))
    return [answer.completion for answer in given]


class Says:
    def __init__(self, status):
        self._status = status

    def status(self, _):
        return self._status


QUESTIONS = ["A: yes. B: no. Is water wet, A or B?", "Say hello.", "X", "<|im_end|> <end_of_turn> \ud800\0 🦄", ""]
WAYS = [
    {},
    {"budgets": (1,)},
    {"budgets": (3, 20)},
    {"first_token": False},
    {"generate": Generate.NEVER},
    {"generate": Generate.UNLESS_LED},
    {"generate": Generate.UNLESS_LED, "first_token": False},
    {"prefill": "The better response is "},
    {"constrained": True},
    {"constrained": True, "first_token": False},
    {"constrained": True, "labels": LabelSet.parse("A/Which response/tie")},
    {"watcher": Says(TextStatus.OPEN)},
    {"watcher": Says(TextStatus.READ)},
    {"watcher": Says(TextStatus.SETTLED)},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ",".join(map(str, way.values()))[:40] or "plain")
def test_it_answers_as_the_transformers_judge_does(both, way):
    ours, theirs, engine = both
    several = way.get("labels") is not None
    requests = [ask(question, **way | ({"first_token": False} if several else {})) for question in QUESTIONS]
    engine.passes.clear()
    for mine, its in zip(answers(ours, requests), answers(theirs, requests), strict=True):
        assert (mine.text, mine.finish_reason, mine.error) == (its.text, its.finish_reason, its.error)
        assert mine.budget == its.budget or mine.text is None or way.get("constrained")
        assert mine.usage.completion_tokens == its.usage.completion_tokens
        assert mine.usage.prompt_tokens == its.usage.prompt_tokens
        assert (mine.first_token is None) is (its.first_token is None)
        if mine.first_token is not None:
            same_first(mine.first_token, its.first_token)
    assert all(not (asked.allowed and asked.logprob_ids) for asked in engine.passes)


def same_first(mine, its):
    assert mine.whole_vocabulary
    assert mine.argmax.token_id == its.argmax.token_id
    assert mine.argmax.text == its.argmax.text
    assert mine.top == (mine.argmax,)
    ours = {entry.token_id: entry for _, entries in mine.labels for entry in entries}
    theirs = {entry.token_id: entry for _, entries in its.labels for entry in entries}
    assert ours.keys() == theirs.keys()
    for token, entry in ours.items():
        assert math.isclose(entry.logprob, theirs[token].logprob, abs_tol=1e-4)
        assert entry.text == theirs[token].text


def test_it_is_a_judge_with_a_stable_identity(both):
    ours, theirs, _ = both
    assert isinstance(ours, Judge)
    assert isinstance(ours, WindsDown)
    assert ours.label_tokens(LABELS) == theirs.label_tokens(LABELS)
    identity = ours.identity
    assert (identity.spec, identity.revision, identity.engine) == ("vllm:tiny", "made here", "vllm stand-in")
    assert dict(identity.settings)["n_ctx"] == "512"
    assert list(ours.answer([])) == []
    with pytest.raises(ConfigError, match="single token"):
        list(ours.answer([ask("q", labels=LabelSet.parse("incomprehensibilities unlimited/B"))]))
    with pytest.raises(ConfigError, match="temperature"):
        list(ours.answer([ask("q", temperature=1.0)]))


def test_later_budgets_go_on_from_what_was_written(both):
    ours, _, engine = both
    engine.passes.clear()
    [whole] = answers(ours, [ask("Say hello.", budgets=(2, 5, 30), watcher=Says(TextStatus.OPEN))])
    sizes = [(len(asked.prompt) - whole.usage.prompt_tokens, asked.max_tokens) for asked in engine.passes]
    assert sizes[:2] == [(0, 1), (1, 1)]
    assert all(written + room in (1, 2, 5, 30) for written, room in sizes)
    assert whole.usage.calls == len(engine.passes)
    assert whole.usage.cached_tokens == 3


def test_too_long_a_prompt_is_an_error_of_its_own(judge):
    good, bad, again = answers(judge, [ask("Hi."), ask("word " * 600), ask("Hi.")])
    assert bad.finish_reason is FinishReason.ERROR
    assert "512" in bad.error
    assert not bad.retryable
    assert replace(good, usage=again.usage) == again
    [bad] = answers(judge, [ask("Hi.", budgets=(512,))])
    assert "512" in bad.error


def test_estimate_counts_tokens(both):
    ours, theirs, _ = both
    requests = [ask("A or B?", budgets=(5, 9)), ask("A or B?", generate=Generate.NEVER)]
    mine, its = ours.estimate(requests), theirs.estimate(requests)
    assert (mine.prompt_tokens, mine.completion_tokens_low, mine.completion_tokens_high) == (its.prompt_tokens, 2, 10)
    assert mine.seconds_low is None


def test_closing_the_iterator_takes_back_what_is_in_hand(both):
    ours, _, engine = both
    given = ours.answer([ask(f"{i}: A or B?") for i in range(20)])
    next(given)
    assert ours.in_flight > 0
    given.close()
    assert ours.in_flight == 0
    assert engine.waiting == {}
    assert len(engine.aborted) > 10
    assert len(answers(ours, [ask("Hi.")])) == 1


def test_winding_down_answers_what_was_sent(both, monkeypatch):
    ours, _, _ = both
    monkeypatch.setattr("evenhand.judges.vllm.judge._IN_FLIGHT", 4)
    given = ours.answer([ask(f"{i}: A or B?") for i in range(20)])
    got = [next(given)]
    in_hand = ours.in_flight
    ours.wind_down()
    got += given
    assert len(got) <= 1 + in_hand + 1
    assert len(answers(ours, [ask("Hi.")])) == 1


def test_an_engine_that_breaks_is_a_judge_error_and_nothing_stays_in_hand(both):
    ours, _, engine = both
    engine.fails = JudgeError("vllm stopped working: out of memory")
    try:
        with pytest.raises(JudgeError, match="stopped working"):
            list(ours.answer([ask("Hi.")]))
    finally:
        engine.fails = None
    assert engine.waiting == {}
    assert len(answers(ours, [ask("Hi.")])) == 1


def test_closing_twice_is_harmless(folder):
    ours, _, engine = judges(folder)
    ours.close()
    ours.close()
    assert engine.closed == 1
    with pytest.raises(ConfigError, match="closed"):
        ours.answer([ask("Hi.")])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"no": 1}, "no option"),
        ({"dtype": "int3"}, "expected auto"),
        ({"tensor_parallel_size": 0}, "at least 1"),
        ({"gpu_memory_utilization": 1.5}, "at most 1"),
        ({"revision": "main"}, "local files are pinned"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_loaded(folder, options, text):
    with pytest.raises(ConfigError, match=text):
        VllmJudge.from_spec(str(folder), spec=f"vllm:{folder}", **options)


def test_without_vllm_the_command_to_install_it_is_named(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[vllm\]"'):
        load_judge(f"vllm:{folder}")


@pytest.mark.engine
@WARNINGS_OF_ITS_OWN
def test_on_the_real_engine(tmp_path):
    """The same comparison on vLLM itself, on a GPU or with its CPU build."""
    skip_without_vllm()
    # Its attention kernels want heads of a size that real models have.
    save(QWEN3, tmp_path, seed=3, head_dim=64)
    _, theirs, _ = judges(tmp_path)
    options = {"dtype": "float32", "max_model_len": 512, "enforce_eager": True}
    with load_judge(f"vllm:{tmp_path}", **options) as ours, theirs:
        assert isinstance(ours, Judge)
        for way in WAYS:
            several = way.get("labels") is not None
            requests = [ask(question, **way | ({"first_token": False} if several else {})) for question in QUESTIONS]
            for mine, its in zip(answers(ours, requests), answers(theirs, requests), strict=True):
                assert (mine.text, mine.finish_reason, mine.error) == (its.text, its.finish_reason, its.error)
                assert mine.usage.completion_tokens == its.usage.completion_tokens
                if its.first_token is not None:
                    same_first(mine.first_token, its.first_token)
        given = ours.answer([ask(f"{i}: A or B?") for i in range(8)])
        next(given)
        given.close()
        assert len(answers(ours, [ask("Hi.")])) == 1
    collect_what_it_left()
