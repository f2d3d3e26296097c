"""A judge made of a formula, for tests and simulations: its biases are set by parameter, so the truth is known."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Self

from evenhand.errors import ConfigError
from evenhand.judges.base import Answer, CostEstimate, Generate, JudgeRequest
from evenhand.judges.parameters import Parameter
from evenhand.judges.simulated_biases import BiasStrengths, Cues
from evenhand.judges.simulated_cues import cues_of
from evenhand.judges.simulated_quality import Draws, qualities
from evenhand.judges.simulated_shown import shown_responses
from evenhand.judges.simulated_spec import PARAMETERS, read_simulated
from evenhand.judges.simulated_table import SimulatedTable, simulate_audit_table
from evenhand.judges.simulated_truth import AuditParameters, TrueValue, true_values
from evenhand.judges.writing import Writing, check_requests
from evenhand.records import (
    Completion,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Outcome,
    TokenLogProb,
    Usage,
    content_hash,
)

__all__ = [
    "AuditParameters",
    "BiasStrengths",
    "SimulatedJudge",
    "SimulatedTable",
    "TrueValue",
    "simulate_audit_table",
    "true_values",
]

_TOKEN = re.compile(r"\s?\w{1,12}|\s?[^\w\s]{1,8}|\s")
"""What counts as a token here: at most twelve letters or digits, or eight signs, with one space before them."""
_VOCABULARY = 50_000
_OWN_VARIANT = 0.8
"""Share of a label's probability on its bare variant; the rest is on the one with a space before it."""
_LATER = ("prefilled_compliance", "prefilled_position")
_UNDECLARED = "."
"""A token that is no label, for the rest of the probability."""


class SimulatedJudge:
    """A judge whose log-odds of the first slot are its quality minus the second's, plus its biases, plus noise.

    It knows the qualities from the messages alone. Where they hold two markers such as ``<quality:1.5>``, these are
    the qualities of the first and the second slot. Else each response's quality is drawn from N(0, ``quality_sd``) by
    the hash of its first line: the line after a header, such as ``[RESPONSE A]`` or ``Answer A:``, that has the slot's
    label as a word; where any of ``biases`` is set, from the hash of its first words, which markup and contractions
    leave as they are. Where there are no such headers, both qualities are 0. Everything else is drawn from the hash of
    ``seed`` and messages, so that a question has one answer. (``quality`` and the group spreads of
    :class:`AuditParameters` play no part here.) Only ``repeat_noise`` is drawn anew for each repeat.

    The biases are those of :class:`BiasStrengths`, all 0 unless set, and position. What sways it is read from the
    messages too: lengths, endorsements, phrases, markup, and markers such as ``<author:NAME>`` in a response
    (:mod:`evenhand.judges.simulated_cues` has the list).

    With chance ``compliance`` it leads with the label of its choice, else with a word. It concludes as it leads,
    except with chance ``lead_change`` after leading with a label. With the chances ``refusal``, ``unparsed``,
    ``truncated`` and ``tie`` it writes something else instead, and then leads with a word. A tie is put into words
    where the labels have none for it; whether that counts as one is the readout's to say.

    Parameters
    ----------
    parameters
        What it is like.
    biases
        What sways it beside the slot; None: nothing.
    seed
        Another seed is another judge of the same kind.
    context
        Tokens that prompt and answer may have together; beyond that a request fails.
    spec
        How the user named it.

    Examples
    --------
    >>> from evenhand.records import Message
    >>> judge = SimulatedJudge.from_spec("position=9,noise=0", spec="simulated:position=9,noise=0")
    >>> messages = (Message(role="user", content="<quality:0> or <quality:2>?"),)
    >>> [given] = judge.answer([JudgeRequest(messages=messages, labels=LabelSet.parse("A/B"))])
    >>> given.completion.text, given.completion.first_token.argmax.text
    ('A', 'A')
    """

    SPEC: ClassVar[str] = (
        "fair (every default), or NAME=VALUE with commas between; strengths, qualities and spreads are log-odds"
    )
    PARAMETERS: ClassVar[Mapping[str, Parameter]] = PARAMETERS
    """What :meth:`from_spec` reads; ``evenhand judges simulated`` lists them."""

    def __init__(
        self,
        parameters: AuditParameters | None = None,
        *,
        biases: BiasStrengths | None = None,
        seed: int = 0,
        context: int = 32_768,
        spec: str = "simulated:fair",
    ) -> None:
        self._parameters = parameters or AuditParameters()
        self._biases = biases or BiasStrengths()
        self._swayed = self._biases != BiasStrengths()
        self._seed = seed
        self._context = context
        # Parameters that came later are named only where they are set, so that the keys of older runs hold.
        settings = {
            name.name: getattr(self._parameters, name.name)
            for name in fields(AuditParameters)
            if name.name not in _LATER or getattr(self._parameters, name.name) != name.default
        }
        settings |= {
            name.name: getattr(self._biases, name.name)
            for name in fields(BiasStrengths)
            if getattr(self._biases, name.name) != name.default
        }
        self._identity = JudgeIdentity(
            spec=spec,
            model="simulated",
            revision="formula-1",
            engine="evenhand",
            settings=tuple(
                (name, repr(value)) for name, value in (settings | {"seed": seed, "context": context}).items()
            ),
        )

    @classmethod
    def from_spec(cls, rest: str, *, spec: str, **options: object) -> Self:
        """Read ``fair`` (all defaults) or ``NAME=VALUE,…`` with the names of :attr:`PARAMETERS`.

        Raises
        ------
        ConfigError
            An unknown name, a value that can't be, or an option: settings go into the spec.
        """
        if options:
            raise ConfigError(f"judge {spec!r} takes no options (got {', '.join(options)}); settings go into the spec")
        read = read_simulated(rest, spec=spec)
        return cls(read.parameters, biases=read.biases, seed=read.seed, context=read.context, spec=spec)

    @property
    def identity(self) -> JudgeIdentity:
        """The parameters and the seed."""
        return self._identity

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant with its made-up token id; see :class:`evenhand.judges.Judge`."""
        found = []
        for outcome, label in labels.by_outcome.items():
            ids = {text: _token_id(text) if len(_tokens(text)) == 1 else None for text in labels.variants(outcome)}
            if all(token is None for token in ids.values()):
                raise ConfigError(f"label {label!r}: none of its variants is a single token; choose a shorter label")
            found += [LabelTokens(label=label, variant=text, token_id=token) for text, token in ids.items()]
        return tuple(found)

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """Tokens; no time, for a formula takes none worth telling."""
        check_requests(requests, judge="simulated")
        return CostEstimate(
            prompt_tokens=sum(map(_prompt_tokens, requests)),
            completion_tokens_low=len(requests),
            completion_tokens_high=sum(map(_room, requests)),
            seconds_low=None,
            seconds_high=None,
            basis="counted with the simulated judge's own tokens; a formula answers",
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer in the order given."""
        check_requests(requests, judge="simulated")
        for labels in {request.labels for request in requests}:
            self.label_tokens(labels)
        for index, request in enumerate(requests):
            yield Answer(index=index, completion=self._ask(request))

    def close(self) -> None:
        """Nothing to free."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _ask(self, request: JudgeRequest) -> Completion:
        prompt, room = _prompt_tokens(request), _room(request)
        if prompt + room > self._context:
            return Completion(
                text=None,
                finish_reason=FinishReason.ERROR,
                error=f"prompt of {prompt} tokens and budget of {room} do not fit the context of {self._context}",
            )
        thought = self._think(request) if request.prefill is None else self._go_on(request)
        first = self._first_token(thought, request.labels) if request.first_token else None
        if request.constrained:
            return Completion(
                text=request.labels.first if thought.log_odds > 0 else request.labels.second,
                finish_reason=FinishReason.STOP,
                first_token=first,
                usage=Usage(prompt_tokens=prompt, completion_tokens=1),
            )
        led = thought.leads is not None
        if request.generate is Generate.NEVER or (request.generate is Generate.UNLESS_LED and led):
            writing = None
        else:
            writing = Writing(request=request)
            for count, piece in enumerate(
                _endless(thought.text) if thought.endless else _tokens(thought.text), start=1
            ):
                if writing.add(piece, tokens=count):
                    break
            writing.end(FinishReason.STOP)
        return Completion(
            text=None if writing is None else writing.text,
            finish_reason=FinishReason.NOT_GENERATED
            if writing is None
            else writing.finish_reason or FinishReason.UNKNOWN,
            first_token=first,
            budget=None if writing is None else writing.budget,
            usage=Usage(prompt_tokens=prompt, completion_tokens=1 if writing is None else writing.tokens),
        )

    def _think(self, request: JudgeRequest) -> _Thought:
        p, labels = self._parameters, request.labels
        draws = self._draws(request)
        log_odds = self._log_odds(request, draws, position=p.position, noise="noise")
        choice = Outcome.FIRST if log_odds > 0 else Outcome.SECOND
        state = draws.uniform("state")
        for rate, text, endless in (
            (p.tie, _tie_text(labels), False),
            (p.refusal, "I'm sorry, but I can't compare these two responses.", False),
            (p.unparsed, "There is something to be said for each of them.", False),
            (p.truncated, "Let me look at this again.", True),
        ):
            if state < rate:
                return _Thought(log_odds=log_odds, leads=None, text=text, endless=endless)
            state -= rate
        if draws.uniform("compliance") >= p.compliance:
            if p.generated_position is not None:
                anew = self._log_odds(request, draws, position=p.generated_position, noise="noise anew")
                choice = Outcome.FIRST if anew > 0 else Outcome.SECOND
            text = f"The better response is {labels.by_outcome[choice]}."
            return _Thought(log_odds=log_odds, leads=None, text=text, endless=False)
        text = label = labels.by_outcome[choice]
        if draws.uniform("lead_change") < p.lead_change:
            other = labels.second if choice is Outcome.FIRST else labels.first
            text = f"{label} seemed right to me at first, but the final answer is {other}."
        return _Thought(log_odds=log_odds, leads=choice, text=text, endless=False)

    def _draws(self, request: JudgeRequest, *more: str) -> Draws:
        """Chance that belongs to this question."""
        return Draws(key=content_hash([self._seed, *([m.role, m.content] for m in request.messages), *more]))

    def _log_odds(self, request: JudgeRequest, draws: Draws, *, position: float, noise: str) -> float:
        """Log-odds of the first slot; ``noise`` names the draw."""
        p, labels = self._parameters, request.labels
        shown = shown_responses(request.messages, labels)
        quality = qualities(
            request.messages,
            labels,
            shown=shown,
            seed=self._seed,
            sd=p.quality_sd,
            by_opening=self._swayed,
        )
        cues = Cues()
        if self._swayed:
            cues = cues_of(shown, labels, family=self._biases.family, late=quality.late)
        log_odds = quality.difference + self._biases.pull(cues, position=position) + draws.normal(noise, p.noise)
        if self._biases.repeat_noise:
            log_odds += draws.normal(f"{noise}, asked {request.repeat}", self._biases.repeat_noise)
        return log_odds

    def _go_on(self, request: JudgeRequest) -> _Thought:
        """What follows a prefill: another question, so its draws are other draws."""
        p, labels = self._parameters, request.labels
        draws = self._draws(request, "prefill", (request.prefill or "").rstrip())
        log_odds = self._log_odds(request, draws, position=p.position_after_prefill, noise="noise")
        choice = Outcome.FIRST if log_odds > 0 else Outcome.SECOND
        label = labels.by_outcome[choice]
        if draws.uniform("compliance") < p.prefilled_compliance:
            return _Thought(log_odds=log_odds, leads=choice, text=f" {label}.", endless=False, spaced=True)
        return _Thought(log_odds=log_odds, leads=None, text=f" clearly {label}.", endless=False, spaced=True)

    def _first_token(self, thought: _Thought, labels: LabelSet) -> FirstToken:
        """Probabilities that agree with the log-odds and with what the text begins with."""
        mass = 0.9 if thought.leads is not None else 0.2
        tie = 0.0 if labels.tie is None else 0.05 * mass
        # No log probability may be that of 0: odds beyond e±30 are cut there.
        share = 1 / (1 + math.exp(-min(30.0, max(-30.0, thought.log_odds))))
        sizes = {Outcome.FIRST: (mass - tie) * share, Outcome.SECOND: (mass - tie) * (1 - share), Outcome.TIE: tie}
        by_outcome = []
        for outcome in labels.by_outcome:
            singles = [text for text in labels.variants(outcome) if len(_tokens(text)) == 1]
            own = 1 - _OWN_VARIANT if thought.spaced else _OWN_VARIANT
            weights = (own, 1 - own) if len(singles) == 2 else (1.0,)
            entries = tuple(
                _log_prob(text, sizes[outcome] * weight) for text, weight in zip(singles, weights, strict=True)
            )
            by_outcome.append((outcome, entries))
        listed = [entry for _, entries in by_outcome for entry in entries]
        if thought.leads is None:
            listed += [_log_prob(_tokens(thought.text)[0], 0.7), _log_prob(_UNDECLARED, 0.1)]
        else:
            listed += [_log_prob("The", 0.06), _log_prob(_UNDECLARED, 0.04)]
        top = tuple(sorted(listed, key=lambda entry: -(entry.logprob or 0.0)))
        return FirstToken(argmax=top[0], labels=tuple(by_outcome), top=top)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thought:
    """What the judge is about to do; ``leads`` is None where it doesn't lead with a label.

    ``spaced``: what it writes begins with a space, for there is text before it.
    """

    log_odds: float
    leads: Outcome | None
    text: str
    endless: bool
    spaced: bool = False


def _tie_text(labels: LabelSet) -> str:
    return "Both responses are equally good." if labels.tie is None else f"The final answer is {labels.tie}."


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _endless(text: str) -> Iterator[str]:
    while True:
        yield from _tokens(f"{text} ")


def _prompt_tokens(request: JudgeRequest) -> int:
    begun = len(_tokens((request.prefill or "").rstrip()))
    return sum(len(_tokens(message.content)) + 4 for message in request.messages) + begun


def _room(request: JudgeRequest) -> int:
    return 1 if request.constrained or request.generate is Generate.NEVER else request.budgets[-1]


def _token_id(text: str) -> int:
    return int(content_hash(text)[:12], 16) % _VOCABULARY


def _log_prob(text: str, probability: float) -> TokenLogProb:
    return TokenLogProb(text=text, token_id=_token_id(text), logprob=math.log(probability))
