"""What a user may choose for an audit, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from evenhand.audits.bias.registry import bias_names
from evenhand.errors import ConfigError
from evenhand.judges import Generate
from evenhand.prompts import DEFAULT_PROMPT, PromptTemplate
from evenhand.records import Ask, LabelSet, Readout, Sampling
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.selective_settings import SelectiveSettings

__all__ = ["NOISE_PAIRS", "PREFILL", "AuditSettings"]

NOISE_PAIRS = 50
"""Pairs that are asked again where a bias audit changes pairs and nobody said how many: their noise is what every
effect is compared with. Half of the 100 of "Will the Judge Flip?" (2026), whose control stands alone."""

PREFILL = "The better response is "
"""The beginning that "The First Token Is Not the Verdict" (2026) names as a remedy and leaves untested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """The choices of one audit.

    Attributes
    ----------
    labels
        One condition each; empty takes the prompt's own.
    prompt
        A shipped template's name or the path of a TOML file.
    readout
        A :class:`ReadoutChoice` or several: at most one of those where the judge answers freely (both, first-token,
        generated, hybrid), beside prefilled and constrained, which are asked apart.
    prefill
        What the judge's turn begins with in the prefilled readout; None takes the prompt's own, else :data:`PREFILL`.
        White space at its end is not sent.
    vary
        Axes of the prompt's design, such as ``("labels", "criteria=after|before")``: the run asks under every
        combination of their levels (see :mod:`evenhand.prompts.design`), in place of ``prompt`` and ``labels``.
    star
        With ``vary``: only the baseline and each single change of it, not every combination.
    budget
        Share of the pairs whose text is generated, above 0 and below 1; the first token is read from all, and the
        figures of the generated readout are prediction-powered estimates. None: every pair's text.
    selective
        Which pairs are asked in order BA; None: all. Prompt, labels and readout that are left at their defaults are
        then those that the probe was fitted under.
    budgets
        Ascending completion-token budgets; the later ones are spent only where no decision was read under the one
        before. Empty takes the prompt's own, else 500 and 1,500 after "The First Token Is Not the Verdict" (2026).
    repeat
        How many pairs the repeated-AB control asks again; 0 leaves it out. None: none, or where ``biases`` change pairs
        :data:`NOISE_PAIRS` of them, since what a change does is measured against mere repetition.
    biases
        Bias audits whose changed conditions are asked beside the control, such as ``("sycophancy", "tone")``; ``all``
        stands for every one (:data:`evenhand.audits.bias.registry.BIAS_AUDITS`). Kept in the order of their reports.
    variants
        A file of rewritten responses for ``biases`` (:func:`evenhand.perturbations.variants.load_variants`).
    cluster
        What is resampled: ``group``, ``source``, or ``auto`` (source from 30 sources on, else question group).
    level
        Of every interval.
    """

    labels: tuple[LabelSet, ...] = ()
    prompt: str = DEFAULT_PROMPT
    readout: ReadoutChoice | tuple[ReadoutChoice, ...] = ReadoutChoice.BOTH
    prefill: str | None = None
    vary: tuple[str, ...] = ()
    star: bool = False
    budget: float | None = None
    selective: SelectiveSettings | None = None
    budgets: tuple[int, ...] = ()
    repeat: int | None = None
    biases: tuple[str, ...] = ()
    variants: str | Path | None = None
    seed: int = 0
    resamples: int = 2000
    level: float = 0.95
    cluster: str = "auto"
    retries: int = 2

    def __post_init__(self) -> None:
        self._check_types()
        self._check_readouts()
        self._check_design()
        self._check_selective()
        self._check_biases()
        names = [labels.name for labels in self.labels]
        if len(set(names)) != len(names):
            raise ConfigError(f"labels {', '.join(names)}: a label set is named twice")
        if any(b < 1 for b in self.budgets) or list(self.budgets) != sorted(set(self.budgets)):
            raise ConfigError(f"token budgets {list(self.budgets)}: expected ascending whole numbers from 1 up")
        if self.repeat is not None and self.repeat < 0:
            raise ConfigError(f"repeat is {self.repeat}: expected 0 or how many pairs to ask again")
        if self.seed < 0:
            raise ConfigError(f"seed is {self.seed}: expected 0 or more")
        if self.resamples < 100:
            raise ConfigError(f"resamples is {self.resamples}: an interval needs at least 100")
        if not 0.5 <= self.level < 1:
            raise ConfigError(f"level is {self.level}: expected from .5 up to below 1, such as .95")
        if self.cluster not in ("auto", "group", "source"):
            raise ConfigError(f"cluster is {self.cluster!r}: expected auto, group or source")
        if self.retries < 0:
            raise ConfigError(f"retries is {self.retries}: expected 0 or more")

    def _check_types(self) -> None:
        """Settings come from notebooks too, where nothing else checks them before the first call has been paid."""
        given: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        labels, budgets, level = given["labels"], given["budgets"], given["level"]
        if not isinstance(labels, tuple) or not all(isinstance(each, LabelSet) for each in labels):
            raise ConfigError(f"labels are {labels!r}: expected a tuple such as (LabelSet.parse('A/B'),)")
        readout = given["readout"]
        if not isinstance(readout, ReadoutChoice) and not (
            isinstance(readout, tuple) and all(isinstance(each, ReadoutChoice) for each in readout)
        ):
            raise ConfigError(
                f"readout is {readout!r}: expected a ReadoutChoice such as ReadoutChoice.BOTH, or several"
            )
        if not isinstance(given["prompt"], str):
            raise ConfigError(f"prompt is {given['prompt']!r}: expected a template's name or the path of a TOML file")
        if not isinstance(budgets, tuple) or not all(map(_is_whole, budgets)):
            raise ConfigError(f"token budgets {budgets!r}: expected a tuple of ascending whole numbers from 1 up")
        for name in ("repeat", "seed", "resamples", "retries"):
            if not _is_whole(given[name]) and not (name == "repeat" and given[name] is None):
                raise ConfigError(f"{name} is {given[name]!r}: expected a whole number")
        if isinstance(level, bool) or not isinstance(level, float | int):
            raise ConfigError(f"level is {level!r}: expected a number such as .95")
        budget = given["budget"]
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, float | int)):
            raise ConfigError(f"budget is {budget!r}: expected a share such as .1, or None")
        if given["prefill"] is not None and not isinstance(given["prefill"], str):
            raise ConfigError(f"prefill is {given['prefill']!r}: expected a text such as {PREFILL!r}")
        vary = given["vary"]
        if not isinstance(vary, tuple) or not all(isinstance(each, str) for each in vary):
            raise ConfigError(f"vary is {vary!r}: expected a tuple of axes such as ('labels', 'criteria')")

    def _check_readouts(self) -> None:
        choices = self.choices
        names = ", ".join(choice.value for choice in choices)
        if not choices or len(set(choices)) != len(choices):
            raise ConfigError(f"readouts {names or 'none'}: expected one or several, each once")
        free = [choice.value for choice in choices if choice.ask is Ask.OPEN]
        if len(free) > 1:
            raise ConfigError(
                f"readouts {', '.join(free)}: choose one of them (both gives the first-token, the generated and the "
                "hybrid readout); prefilled and constrained can stand beside it"
            )
        if self.prefill is not None and ReadoutChoice.PREFILLED not in choices:
            raise ConfigError(f"prefill is of the prefilled readout, which isn't among the readouts {names}")
        if self.prefill is not None and not self.prefill.strip():
            raise ConfigError(
                f"prefill is {self.prefill!r}: the prefilled readout needs a beginning, such as {PREFILL!r}"
            )
        if self.budget is not None:
            if not 0 < self.budget < 1:
                raise ConfigError(f"budget is {self.budget}: expected a share above 0 and below 1, such as .1")
            if ReadoutChoice.BOTH not in choices:
                raise ConfigError(
                    f"budget is {self.budget:g}, readouts {names}: a budget samples what is generated beside the first "
                    "token of all pairs, so it needs the readout both"
                )

    def _check_design(self) -> None:
        if self.vary and (self.labels or self.prompt != DEFAULT_PROMPT):
            raise ConfigError(
                "vary makes the prompts and labels itself: leave out prompt and labels (labels=A/B|1/2 picks levels)"
            )
        if self.star and not self.vary:
            raise ConfigError("star says how the designs of vary are combined: name axes to vary")

    def _check_selective(self) -> None:
        given: object = self.selective
        if given is None:
            return
        if not isinstance(given, SelectiveSettings):
            raise ConfigError(f"selective is {given!r}: expected SelectiveSettings(…), or None")
        if self.budget is not None:
            raise ConfigError(
                "budget asks for the text of a sample of the pairs, a selective swap for order BA of some: give one"
            )
        if self.vary:
            raise ConfigError("a selective swap is of the one prompt that its probe was fitted under: leave out vary")
        if len(self.labels) > 1:
            names = ", ".join(labels.name for labels in self.labels)
            raise ConfigError(f"labels {names}: a selective swap is of the one label set of its probe")

    def _check_biases(self) -> None:
        given: object = self.biases
        if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
            raise ConfigError(f"biases are {given!r}: expected a tuple of names such as ('sycophancy', 'tone')")
        path: object = self.variants
        if path is not None and not isinstance(path, str | Path):
            raise ConfigError(f"variants is {path!r}: expected the path of a file of rewrites, or None")
        if path is not None and not given:
            raise ConfigError("variants are rewrites for bias audits: say in biases which ones, or all")
        object.__setattr__(self, "biases", bias_names(given))
        together = {"vary": self.vary, "budget": self.budget, "a selective swap": self.selective}
        taken = [name for name, value in together.items() if value]
        if given and taken:
            raise ConfigError(
                f"bias audits compare every pair in both orders under one prompt: leave out {' and '.join(taken)}, or "
                "make it a run of its own"
            )

    @property
    def choices(self) -> tuple[ReadoutChoice, ...]:
        """The readout choices as a tuple."""
        return (self.readout,) if isinstance(self.readout, ReadoutChoice) else self.readout

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """Every readout that is reported."""
        asked = {readout for choice in self.choices for readout in choice.readouts}
        if self.budget is not None:
            # It would have to generate wherever the judge doesn't lead with a label, which a budget does not.
            asked.discard(Readout.HYBRID)
        return tuple(readout for readout in Readout if readout in asked)

    @property
    def generate(self) -> Generate:
        """When the judge goes on writing in presentations that it answers freely."""
        return next((choice.generate for choice in self.choices if choice.ask is Ask.OPEN), Generate.NEVER)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The ways in which every presentation is put to the judge; the sample of a budget comes later."""
        asks = dict.fromkeys(choice.ask for choice in self.choices)
        return tuple(Ask.FIRST if ask is Ask.OPEN and self.budget is not None else ask for ask in asks)

    def resolved(self, template: PromptTemplate) -> AuditSettings:
        """The same settings with what was left to the prompt filled in (with ``vary``, the labels are the designs')."""
        return replace(
            self,
            labels=() if self.vary else self.labels or (template.labels,),
            budgets=self.budgets or template.budgets or Sampling().budgets,
        )

    @property
    def sampling(self) -> Sampling:
        """Decoding settings: greedy, with these budgets."""
        return Sampling(temperature=0.0, budgets=self.budgets)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
