"""The simulated judge does what its parameters say, and its texts and probabilities agree with the readouts."""

import math

import pytest

from evenhand.errors import ConfigError
from evenhand.judges import Generate, JudgeRequest, load_judge
from evenhand.readouts import read
from evenhand.records import LabelSet, Message, Outcome, Readout

LABELS = LabelSet.parse("A/B")
N = 1500


def request(content, *, labels=LABELS, **settings):
    return JudgeRequest(messages=(Message(role="user", content=content),), labels=labels, **settings)


def ask(spec, contents, **settings):
    with load_judge(spec) as judge:
        return [a.completion for a in judge.answer([request(c, **settings) for c in contents])]


def marked(n=N, first=0.0, second=0.0):
    return [f"{i}: <quality:{first}> <quality:{second}>" for i in range(n)]


def near(rate):
    """Five standard errors of a share of N."""
    return pytest.approx(rate, abs=5 * math.sqrt(max(rate * (1 - rate), 0.002) / N))


def test_log_odds_are_quality_plus_position_plus_noise():
    completions = ask("simulated:position=0.5,noise=0", marked(n=3, first=1.25, second=-0.25))
    odds = {round(read(c, LABELS).first_token.log_odds, 6) for c in completions}
    assert odds == {2.0}
    noisy = ask("simulated:position=0.5,noise=1", marked())
    first = sum(read(c, LABELS).first_token.outcome is Outcome.FIRST for c in noisy) / N
    assert first == near(0.6914624612740131)  # Φ(0.5)


@pytest.mark.parametrize(
    ("setting", "outcome", "share"),
    [("refusal=0.2", Outcome.REFUSED, 0.2), ("unparsed=0.3", Outcome.UNPARSED, 0.3), ("tie=0.25", Outcome.TIE, 0.25)],
)
def test_states_come_as_often_as_set_and_are_read_as_such(setting, outcome, share):
    labels = LabelSet.parse("A/B/C")
    completions = ask(f"simulated:{setting}", marked(), labels=labels)
    read_as = [read(c, labels).generated.outcome for c in completions]
    assert sum(o is outcome for o in read_as) / N == near(share)
    assert all(o.is_decided or o is outcome for o in read_as)


def test_truncated_fills_every_budget():
    completions = ask("simulated:truncated=1", marked(n=5), budgets=(20, 40))
    assert {(c.finish_reason.value, c.budget, c.usage.completion_tokens) for c in completions} == {("length", 40, 40)}
    assert {read(c, LABELS).generated.outcome for c in completions} == {Outcome.TRUNCATED}


def test_a_tie_in_words_is_no_choice():
    [completion] = ask("simulated:tie=1", ["x"])
    assert completion.text == "Both responses are equally good."
    assert not read(completion, LABELS).generated.outcome.is_decided


def test_compliance_and_lead_change():
    completions = ask("simulated:compliance=0.7,lead_change=0.2", marked())
    results = [read(c, LABELS) for c in completions]
    led = [r for r in results if r.compliance.compliant]
    assert len(led) / N == near(0.7)
    assert all(r.generated.outcome.is_decided for r in results)
    changed = sum(r.compliance.lead is not r.generated.outcome for r in led) / len(led)
    assert changed == near(0.2)
    assert all(r.first_token.outcome is r.compliance.lead for r in led)


def test_probabilities_sum_to_one_and_text_begins_with_the_argmax():
    for labels in (LABELS, LabelSet.parse("1/2/3")):
        spec = "simulated:compliance=0.5,tie=0.1,refusal=0.1,position=40,noise=30"
        for completion in ask(spec, marked(n=200), labels=labels):
            first = completion.first_token
            assert sum(math.exp(entry.logprob) for entry in first.top) == pytest.approx(1)
            assert first.argmax == max(first.top, key=lambda entry: entry.logprob)
            assert completion.text.startswith(first.argmax.text)


PROMPT = (
    "[INSTRUCTION]\nA:\n[END]\n[RESPONSE {one}]\n{first}\n[END]\n[RESPONSE {two}]\n{second}\n[END]\n{one} or {two}?"
)


def test_quality_belongs_to_the_response_whatever_its_slot_or_label():
    def odds(first, second, labels=LABELS):
        content = PROMPT.format(one=labels.first, two=labels.second, first=first, second=second).replace(
            "A:", "Say it."
        )
        [completion] = ask("simulated:noise=0", [content], labels=labels)
        return read(completion, labels).first_token.log_odds

    one, two = "The first thing.\nMore.", "Another.\n\nMore."
    assert odds(one, two) == pytest.approx(-odds(two, one))
    assert odds(one, two) == pytest.approx(odds(one, two, LabelSet.parse("X/Y")))
    assert abs(odds(one, two)) > 1e-6


def test_another_seed_is_another_judge():
    one, two, same = ([c.text for c in ask(f"simulated:noise=2,seed={seed}", marked(n=50))] for seed in (1, 2, 1))
    assert one == same
    assert one != two


@pytest.mark.parametrize(
    "spec",
    [
        "simulated:position",
        "simulated:positon=1",
        "simulated:position=much",
        "simulated:position=nan",
        "simulated:seed=1.5",
        "simulated:tie=2",
        "simulated:",
    ],
)
def test_bad_specs_are_refused(spec):
    with pytest.raises(ConfigError):
        load_judge(spec)


def test_options_are_refused():
    with pytest.raises(ConfigError, match="n_ctx"):
        load_judge("simulated:fair", n_ctx=5)


def test_hybrid_generates_only_where_it_did_not_lead():
    completions = ask("simulated:compliance=0.5", marked(n=100), generate=Generate.UNLESS_LED)
    for completion in completions:
        led = read(completion, LABELS).compliance.compliant
        assert (completion.text is None) is led


PREFILL = "The better response is"


def test_a_prefill_has_its_own_position_and_compliance():
    spec = "simulated:position=2,generated_position=0,compliance=0.3,prefilled_compliance=0.9,noise=1"
    results = [read(c, LABELS, (Readout.PREFILLED,)) for c in ask(spec, marked(), prefill=f"{PREFILL} ")]
    assert sum(r.compliance.compliant for r in results) / N == near(0.9)
    assert sum(r.prefilled.outcome is Outcome.FIRST for r in results) / N == near(0.5)
    assert all(r.prefilled.outcome is r.compliance.lead for r in results if r.compliance.compliant)
    leaning = ask(spec + ",prefilled_position=1", marked(), prefill=PREFILL)
    first = sum(read(c, LABELS, (Readout.PREFILLED,)).prefilled.outcome is Outcome.FIRST for c in leaning) / N
    assert first == near(0.8413447460685429)  # Φ(1)


def test_after_a_prefill_the_text_goes_on_with_a_space_and_begins_with_the_argmax():
    for completion in ask("simulated:prefilled_compliance=0.5", marked(n=100), prefill=PREFILL, budgets=(9,)):
        assert completion.text.startswith(" ")
        assert completion.text.startswith(completion.first_token.argmax.text)
        assert sum(math.exp(entry.logprob) for entry in completion.first_token.top) == pytest.approx(1)


def test_a_constraint_writes_the_label_that_the_first_token_favours():
    labels = LabelSet.parse("A/B/tie")
    for spec in ("simulated:noise=2,compliance=0.3,refusal=0.2,tie=0.2", "simulated:noise=2,position=1"):
        bound = ask(spec, marked(n=200), labels=labels, constrained=True)
        free = ask(spec, marked(n=200), labels=labels)
        for one, other in zip(bound, free, strict=True):
            assert one.first_token == other.first_token
            chosen = read(one, labels, (Readout.CONSTRAINED,)).constrained
            assert chosen.outcome is (Outcome.FIRST if read(other, labels).first_token.log_odds > 0 else Outcome.SECOND)


def test_parameters_that_came_later_change_no_key_until_they_are_set():
    with load_judge("simulated:fair") as fair, load_judge("simulated:prefilled_compliance=0.5") as other:
        names = {name for name, _ in fair.identity.settings}
        assert {"compliance", "seed"} <= names
        assert not {"prefilled_compliance", "prefilled_position"} & names
        assert dict(other.identity.settings)["prefilled_compliance"] == "0.5"


BODY = (
    "[INSTRUCTION]\nSay it.{more}\n[END OF INSTRUCTION]\n\n[RESPONSE A]\n{first}\n[END OF RESPONSE A]\n\n"
    "[RESPONSE B]\n{second}\n[END OF RESPONSE B]\nA or B?"
)


def one_odds(spec, first="<quality:0>one two", second="<quality:0>one two", more="", repeat=0):
    content = BODY.format(first=first, second=second, more=more)
    [completion] = ask(f"simulated:noise=0,{spec}", [content], repeat=repeat)
    return read(completion, LABELS).first_token.log_odds


def test_biases_move_the_log_odds_by_their_strength():
    long, short = ("<quality:0>" + "word " * n for n in (20, 10))
    assert one_odds("verbosity=1.5", first=long, second=short) == pytest.approx(1.5 * math.log(2))
    assert one_odds("sycophancy=0.7", more=" I think response B is the better one.") == pytest.approx(-0.7)
    assert one_odds("self_preference=2,family=me", first="<quality:0><author:me-1>one two") == pytest.approx(2.0)
    assert one_odds("formatting=0.5", second="- <quality:0>one two") == pytest.approx(-0.5)
    assert one_odds("verbosity=0", first=long) == pytest.approx(0.0)
    both = {"first": long, "second": short, "more": " I think response A is the better one."}
    assert one_odds("verbosity=1,sycophancy=1,compound=1", **both) == pytest.approx(2 * (math.log(2) + 1))


def test_a_bias_moves_what_is_written_anew_and_what_follows_a_prefill():
    content = BODY.format(first="<quality:0>a", second="<quality:0>b", more=" I think response B is the better one.")
    spec = "simulated:noise=0,sycophancy=1,compliance=0,generated_position=0.5"
    [written] = ask(spec, [content])
    assert written.text == "The better response is B."
    [after] = ask("simulated:noise=0,sycophancy=1,prefilled_compliance=1", [content], prefill=PREFILL)
    assert after.text == " B."


def test_only_repeat_noise_makes_repeats_differ():
    still = {one_odds("position=1", repeat=repeat) for repeat in range(5)}
    assert len(still) == 1
    drawn = [one_odds("repeat_noise=2", repeat=repeat) for repeat in range(400)]
    assert len(set(drawn)) == 400
    assert one_odds("repeat_noise=2", repeat=3) == drawn[3]
    assert (sum(x * x for x in drawn) / 400) ** 0.5 == pytest.approx(2, abs=0.35)


def test_biases_are_part_of_the_identity_only_where_they_are_set():
    with load_judge("simulated:fair") as fair, load_judge("simulated:verbosity=0.5,family=me") as other:
        assert {name for name, _ in fair.identity.settings} & {"verbosity", "family", "compound"} == set()
        settings = dict(other.identity.settings)
        assert (settings["verbosity"], settings["family"]) == ("0.5", "'me'")
        assert "tone" not in settings


def test_answers_of_older_runs_hold():
    prompt = PROMPT.format(one="A", two="B", first="The first thing.", second="Another.").replace("A:", "Say it.")
    [completion] = ask("simulated:position=0.4,noise=1,seed=3", [prompt])
    # As revision e2647a3 answered it, before there were other biases than position.
    assert read(completion, LABELS).first_token.log_odds == pytest.approx(0.9654415507934739, abs=1e-9)
