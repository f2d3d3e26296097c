"""What a user may choose for collecting activations, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from evenhand.errors import ConfigError
from evenhand.judges import Captures
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.places import default_layers
from evenhand.prompts import DEFAULT_PROMPT, available_prompts, load_prompt
from evenhand.records import LabelSet, Readout
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.settings import AuditSettings

__all__ = ["CollectSettings"]

_THREE_LINES: Final = "brief-reasoning"
_CHOICES: Final = {
    Readout.GENERATED: ReadoutChoice.GENERATED,
    Readout.FIRST_TOKEN: ReadoutChoice.FIRST_TOKEN,
    Readout.PREFILLED: ReadoutChoice.PREFILLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectSettings:
    """The choices of one collection: one prompt, one label set, one readout.

    Attributes
    ----------
    prompt
        A shipped template's name or the path of a TOML file; None takes ``brief-reasoning`` for the generated readout,
        else ``single-character``.
    labels
        None takes the prompt's own.
    readout
        Whose verdict the activation stands before. ``generated``: the label on the last of three lines. ``first-token``
        and ``prefilled``: the first token, which is read whatever the judge would have written.
    prefill
        What the judge's turn begins with in the prefilled readout.
    layers
        Which layers to keep; empty takes 25, 50 and 75 % of the depth and the penultimate one.
    max_tokens
        Completion tokens of the generated readout; None takes the prompt's own, such as 256.
    repeat
        How many pairs the repeated-AB control asks again.
    seed
        Of the choice of repeated pairs, and of those that are replayed where not all are.
    level
        Of the flip rate's interval.

    Examples
    --------
    >>> CollectSettings(readout=Readout.FIRST_TOKEN).audit.prompt
    'single-character'
    """

    prompt: str | None = None
    labels: LabelSet | None = None
    readout: Readout = Readout.GENERATED
    prefill: str | None = None
    layers: tuple[int, ...] = ()
    max_tokens: int | None = None
    repeat: int = 0
    seed: int = 0
    retries: int = 2
    level: float = 0.95

    def __post_init__(self) -> None:
        given: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        if given["readout"] not in _CHOICES:
            raise ConfigError(
                f"readout {given['readout']!r}: expected generated, first-token or prefilled; the verdict of another "
                "readout is no single token that the judge wrote freely"
            )
        layers = given["layers"]
        if not isinstance(layers, tuple) or not all(
            isinstance(layer, int) and not isinstance(layer, bool) for layer in layers
        ):
            raise ConfigError(f"layers {layers!r}: expected a tuple of whole numbers such as (7, 14, 21, 27)")
        if given["labels"] is not None and not isinstance(given["labels"], LabelSet):
            raise ConfigError(f"labels {given['labels']!r}: expected one LabelSet, such as LabelSet.parse('A/B')")
        if self.max_tokens is not None and self.readout is not Readout.GENERATED:
            raise ConfigError(f"max_tokens is of the generated readout; under {self.readout} nothing is written")
        _ = self.audit  # checks the rest

    @property
    def audit(self) -> AuditSettings:
        """The same as settings of an audit: a collection is a run like any other."""
        usual = _THREE_LINES if self.readout is Readout.GENERATED else DEFAULT_PROMPT
        return AuditSettings(
            prompt=self.prompt if self.prompt is not None else usual,
            labels=() if self.labels is None else (self.labels,),
            readout=_CHOICES[self.readout],
            prefill=self.prefill,
            budgets=() if self.max_tokens is None else (self.max_tokens,),
            repeat=self.repeat,
            seed=self.seed,
            retries=self.retries,
            level=self.level,
        )

    def check_prompt(self) -> None:
        """Refuse a shipped prompt whose answers this readout can't read.

        Raises
        ------
        ConfigError
            It asks for scores, or, under the generated readout, for another format than three lines.
        """
        name = self.audit.prompt
        if load_prompt(name).decision == "scores":
            raise ConfigError(f"prompt {name!r} asks for a score of each response: there is no verdict token in it")
        if self.readout is Readout.GENERATED and name != _THREE_LINES and name in available_prompts():
            raise ConfigError(
                f"prompt {name!r} asks for another format than three lines (reason, confidence, label), by which the "
                f"verdict token is found: use {_THREE_LINES}, or --readout first-token"
            )

    def meta(self, judge: Captures) -> ActivationMeta:
        """What would be kept of this judge's answers.

        Raises
        ------
        ConfigError
            A layer that the model doesn't have.
        """
        return ActivationMeta(
            blocks=judge.layers,
            size=judge.size,
            layers=tuple(sorted(set(self.layers))) or default_layers(judge.layers),
            readout=self.readout,
        )
