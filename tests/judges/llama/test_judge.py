"""The embedded judge on its real model: one prefill for both readouts, exact log probabilities, clean stops."""

import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges import Generate, JudgeRequest, TextStatus, load_judge
from evenhand.judges.llama.judge import LlamaCppJudge
from evenhand.records import FinishReason, LabelSet, Message, Outcome

pytestmark = pytest.mark.engine
LABELS = LabelSet.parse("A/B")


def ask(content, **settings):
    settings = {"labels": LABELS, "budgets": (6,)} | settings
    return JudgeRequest(messages=(Message(role="user", content=content),), **settings)


def one(judge, request):
    [answer] = judge.answer([request])
    assert answer.completion.error is None
    return answer.completion


@pytest.fixture
def calls(judge, monkeypatch):
    """Every completion call with what the engine said it took from its cache."""
    seen = []
    engine = judge._engine
    complete, call = engine.complete, engine._call

    def spy_complete(prompt, **settings):
        got = complete(prompt, **settings)
        seen.append(
            ("whole", len(prompt), got["usage"]["prompt_tokens_details"]["cached_tokens"], got["timings"]["prompt_n"])
        )
        return got

    def spy_call(body, callback):
        if callback is None:
            return call(body, None)
        last = []

        def keep(data):
            last.append(data)
            return callback(data)

        got = call(body, keep)
        timings = last[0]["timings"]
        seen.append(("stream", len(body["prompt"]), timings["cache_n"], timings["prompt_n"]))
        return got

    monkeypatch.setattr(engine, "complete", spy_complete)
    monkeypatch.setattr(engine, "_call", spy_call)
    return seen


def test_the_prompt_is_prefilled_once_for_both_readouts(judge, calls):
    completion = one(judge, ask("Name three rivers, then say A or B."))
    n = completion.usage.prompt_tokens
    prefill, *rest = calls
    assert prefill == ("whole", n - 1, completion.usage.cached_tokens, n - 1 - completion.usage.cached_tokens)
    # The first position: only the last token, computed once more for each label that was not among the first entries.
    assert {c[:3] for c in rest[:-1]} == {("whole", n, n - 1)}
    # Writing goes on from a cache that holds the whole prompt.
    assert rest[-1] == ("stream", n + 1, n, 1)
    assert completion.usage.calls == len(calls)


def test_neighbours_share_their_beginning_and_the_answer_does_not_depend_on_it(smollm2, judge):
    beginning = "Read these notes about rivers, lakes and mountains before you answer. " * 4
    requests = [ask(f"{beginning} A: {x}. B: {y}. Which, A or B?") for x, y in (("one", "two"), ("two", "one"))]
    shared = [a.completion for a in judge.answer(requests)]
    assert shared[1].usage.cached_tokens > 40
    with LlamaCppJudge(smollm2, n_ctx=1024, threads=1, reuse_prefix=False) as cold:
        apart = [a.completion for a in cold.answer(requests)]
    assert [c.usage.cached_tokens for c in apart] == [0, 0]
    assert [(c.text, c.first_token) for c in shared] == [(c.text, c.first_token) for c in apart]


def test_asking_again_gives_the_same_to_the_last_bit(judge):
    first, other, again = (one(judge, ask(q)) for q in ("A or B?", "B or A?", "A or B?"))
    assert (first.text, first.first_token) == (again.text, again.first_token)
    assert first.first_token != other.first_token


def test_threads_change_nothing(smollm2, judge):
    question = ask("A: 3. B: 4. What is 2+2, A or B?")
    with LlamaCppJudge(smollm2, n_ctx=1024, threads=2) as double:
        assert one(double, question).first_token == one(judge, question).first_token
        assert double.identity.settings == judge.identity.settings


def test_rare_labels_are_exact_not_censored(judge):
    """Asked for one by one, they have what the whole vocabulary's distribution says."""
    request = ask("Say hello.", labels=LabelSet.parse("X/Y"), generate=Generate.NEVER)
    first = one(judge, request).first_token
    prompt = judge._encoder.encode(request.messages)
    got = judge._engine.complete(prompt, max_tokens=1, n_probs=judge._engine.n_vocab)
    judge._prefiller.forget()
    everything = {e["id"]: e["logprob"] for e in got["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}
    assert len(everything) == judge._engine.n_vocab == 49_152
    assert sum(map(math.exp, everything.values())) == pytest.approx(1, abs=1e-3)
    assert max(everything, key=everything.get) == first.argmax.token_id
    by_label = dict(first.labels)
    assert list(by_label) == [Outcome.FIRST, Outcome.SECOND]
    for entry in (*by_label[Outcome.FIRST], *by_label[Outcome.SECOND], *first.top):
        # llama.cpp sums the vocabulary in single precision, in an order that depends on how many entries are asked for.
        assert entry.logprob == pytest.approx(everything[entry.token_id], abs=1e-3)
    assert min(e.logprob for e in by_label[Outcome.FIRST]) < first.top[-1].logprob


def test_what_is_written_begins_with_the_argmax_and_is_greedy(judge):
    request = ask("Name three rivers.", budgets=(5,))
    completion = one(judge, request)
    assert completion.text.startswith(completion.first_token.argmax.text)
    prompt = judge._encoder.encode(request.messages)
    got = judge._engine.complete(prompt, max_tokens=5, n_probs=3)
    judge._prefiller.forget()
    assert got["choices"][0]["text"] == completion.text
    for position in got["choices"][0]["logprobs"]["content"]:
        assert position["id"] == position["top_logprobs"][0]["id"]


def test_a_first_token_that_is_part_of_a_character(judge):
    completion = one(judge, ask("Write 🦄🦄🦄"))
    assert completion.first_token.argmax.text == "\ufffd"
    assert completion.text.startswith("🦄")
    assert "\ufffd" not in completion.text


def test_an_end_of_turn_as_first_token_is_an_empty_text(judge, monkeypatch):
    request = ask("Hi.")
    prompt = judge._encoder.encode(request.messages)
    # The same prompt with the model's own whole answer behind it: what comes next ends the turn.
    [choice] = judge._engine.complete(prompt, max_tokens=60, n_probs=1)["choices"]
    assert choice["finish_reason"] == "stop"
    done = [*prompt, *(position["id"] for position in choice["logprobs"]["content"])][:-1]
    monkeypatch.setattr(judge._encoder, "encode", lambda messages, *, prefill: done)
    completion = one(judge, request)
    assert completion.first_token.argmax.text == "<|im_end|>"
    assert (completion.text, completion.finish_reason, completion.budget) == ("", FinishReason.STOP, 6)
    assert completion.usage.completion_tokens == 0


def test_the_next_budget_continues_the_same_text(judge):
    class Open:
        def status(self, text):
            return TextStatus.OPEN if text else TextStatus.READ

    short, long, direct = (
        one(judge, ask("List the names of ten animals.", budgets=b, watcher=Open())) for b in ((4,), (4, 9), (9,))
    )
    assert long.text.startswith(short.text)
    assert (long.text, long.usage.completion_tokens, long.budget) == (direct.text, 9, 9)
    assert {c.finish_reason for c in (short, long, direct)} == {FinishReason.LENGTH}


def test_identity_pins_file_engine_and_settings(judge):
    identity = judge.identity
    assert identity.revision == "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert identity.engine.startswith("llama.cpp (xllamacpp ")
    assert dict(identity.settings)["n_ctx"] == "1024"


def test_the_port_answers_nobody_without_the_key(judge):
    import http.client

    host = judge._engine._server.listening_address.removeprefix("http://")
    assert host.startswith("127.0.0.1:")
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("POST", "/completion", body=b'{"prompt": "x"}', headers={"Content-Type": "application/json"})
    assert connection.getresponse().status == 401
    connection.close()


def test_closing_the_iterator_stops_writing(judge):
    request = ask("Count from 1 to 500, one number a line.", budgets=(900,))
    started, release = threading.Event(), threading.Event()

    class Watch:
        seen = 0

        def status(self, text):
            self.seen = len(text)
            started.set()
            release.wait(60)
            return TextStatus.OPEN

    watch = Watch()
    given = judge.answer(
        [
            ask("Hi.", budgets=(1,)),
            JudgeRequest(**{f: getattr(request, f) for f in ("messages", "labels", "budgets")}, watcher=watch),
        ]
    )
    next(given)
    worker = threading.Thread(target=lambda: next(given, None))
    worker.start()
    assert started.wait(60)
    judge._stop.set()
    release.set()
    worker.join(60)
    assert not worker.is_alive()
    assert watch.seen < 100


def test_a_failure_in_the_watcher_is_raised_not_swallowed(judge):
    class Broken:
        def status(self, text):
            raise RuntimeError(f"broken at {text!r}")

    with pytest.raises(RuntimeError, match="broken at"):
        list(judge.answer([ask("Hi.", watcher=Broken())]))
    assert one(judge, ask("Hi.")).text


SCRIPT = """
import sys
from pathlib import Path
from evenhand.judges import JudgeRequest
from evenhand.judges.llama.judge import LlamaCppJudge
from evenhand.records import LabelSet, Message
judge = LlamaCppJudge(Path(sys.argv[1]), n_ctx=2048, threads=1)
request = JudgeRequest(
    messages=(Message(role="user", content="Count from 1 to 500, one number a line."),),
    labels=LabelSet.parse("A/B"), budgets=(int(sys.argv[2]),))
print("ready", flush=True)
for answer in judge.answer([request] * int(sys.argv[3])):
    print(answer.completion.finish_reason.value, flush=True)
"""


def test_leaving_without_close_ends_quietly(smollm2):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(smollm2), "2", "1"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["ready", "length"], "")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a process")
def test_ctrl_c_ends_at_once(smollm2):
    script = textwrap.dedent(SCRIPT)
    with subprocess.Popen(
        [sys.executable, "-c", script, str(smollm2), "1900", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    # A fast machine may have ended an answer or two before the signal; the fifty would take it a minute.
    assert len(out.split()) < 10
    assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        ("llamacpp:other-model", {}, "smollm2-135m or llamacpp:PATH.gguf"),
        ("llamacpp:/no/such/file.gguf", {}, "no such file"),
        ("llamacpp:x.gguf", {"n_gpu": 1}, "no option 'n_gpu'"),
        ("llamacpp:x.gguf", {"n_ctx": "many"}, "not a whole number"),
    ],
)
def test_bad_specs_are_named(spec, options, said):
    with pytest.raises(ConfigError, match=said):
        load_judge(spec, **options)


def test_a_file_that_is_no_model(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(JudgeError, match=r"can't load .*broken\.gguf"):
        load_judge(f"llamacpp:{path}")


def test_a_closed_judge_says_so(smollm2):
    judge = LlamaCppJudge(smollm2, n_ctx=64)
    judge.close()
    judge.close()
    with pytest.raises(JudgeError, match="closed"):
        list(judge.answer([ask("Hi.")]))


PREFILL = "The better response is"


def test_a_prefilled_first_position_is_that_of_the_whole_beginning(smollm2, judge):
    """Neither the order of presentations nor what is reused changes anything; the prompt keeps its own tokens."""
    beginning = "Read these notes about rivers, lakes and mountains before you answer. " * 4
    question = f"{beginning} A: one. B: two. Which, A or B?"
    requests = [ask(question), ask(question, prefill=PREFILL), ask(question, constrained=True), ask(question)]
    warm = [a.completion for a in judge.answer(requests)]
    assert warm[1].usage.prompt_tokens == warm[0].usage.prompt_tokens + 4
    with LlamaCppJudge(smollm2, n_ctx=1024, threads=1, reuse_prefix=False) as cold:
        apart = [a.completion for a in cold.answer(requests)]
    assert [(c.text, c.first_token) for c in warm] == [(c.text, c.first_token) for c in apart]
    assert warm[0].first_token == warm[2].first_token == warm[3].first_token


def test_a_constrained_answer_is_the_likeliest_label_that_the_first_position_allows(judge):
    """Bare labels of one token each: the decoder's choice can be told from the distribution without it."""
    for content in ("A: 3. B: 4. What is 2+2, A or B?", "Say hello.", "Reply with the letter B."):
        completion = one(judge, ask(content, constrained=True, generate=Generate.NEVER))
        bare = {
            label: next(e.logprob for e in entries if e.text == label)
            for label, (_, entries) in zip("AB", completion.first_token.labels, strict=True)
        }
        assert completion.text == max(bare, key=bare.get)
        assert completion.finish_reason is FinishReason.STOP


def test_after_a_prefill_the_constraint_allows_the_space_before_a_label(judge):
    completion = one(judge, ask("A: 3. B: 4. What is 2+2?", prefill=PREFILL, constrained=True))
    assert completion.text.strip() in ("A", "B")


@pytest.mark.parametrize("labels", [("yes", "no", "both"), ('"', "\\", None), ("(", "]", None)], ids=range(3))
def test_words_and_signs_can_be_the_only_choice(judge, labels):
    first, second, tie = labels
    choice = LabelSet(first=first, second=second, tie=tie)
    assert one(judge, ask("Say hello.", labels=choice, constrained=True)).text in labels
