"""What a user may choose for an audit, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import assert_never

from evenhand.errors import ConfigError
from evenhand.judges import Generate
from evenhand.prompts import PromptTemplate
from evenhand.records import LabelSet, Readout, Sampling

__all__ = ["AuditSettings", "ReadoutChoice"]


class ReadoutChoice(StrEnum):
    """Which readouts to ask the judge for.

    Whatever is chosen, the distribution of the first token is kept, since a position figure must stand beside its
    compliance rate; it costs no forward pass of its own.
    """

    BOTH = "both"
    """First-token and generated; the hybrid readout is derived from them at no further call."""
    FIRST_TOKEN = "first-token"  # noqa: S105 - a readout's name
    GENERATED = "generated"
    HYBRID = "hybrid"
    """Generate only for presentations that do not lead with a verdict token."""

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """The readouts that the choice reports."""
        match self:
            case ReadoutChoice.BOTH:
                return (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)
            case ReadoutChoice.FIRST_TOKEN:
                return (Readout.FIRST_TOKEN,)
            case ReadoutChoice.GENERATED:
                return (Readout.GENERATED,)
            case ReadoutChoice.HYBRID:
                return (Readout.HYBRID,)
            case _:
                assert_never(self)

    @property
    def generate(self) -> Generate:
        """When the judge has to go on writing."""
        match self:
            case ReadoutChoice.BOTH | ReadoutChoice.GENERATED:
                return Generate.ALWAYS
            case ReadoutChoice.FIRST_TOKEN:
                return Generate.NEVER
            case ReadoutChoice.HYBRID:
                return Generate.UNLESS_LED
            case _:
                assert_never(self)


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
        See :class:`ReadoutChoice`.
    budgets
        Ascending completion-token budgets; the later ones are spent only where no decision was read under the one
        before. Empty takes the prompt's own, else 500 and 1,500 after "The First Token Is Not the Verdict" (2026).
    repeat
        How many pairs the repeated-AB control asks again; 0 leaves it out.
    cluster
        What is resampled: ``group``, ``source``, or ``auto`` (source from 30 sources on, else question group).
    level
        Of every interval.
    """

    labels: tuple[LabelSet, ...] = ()
    prompt: str = "single-character"
    readout: ReadoutChoice = ReadoutChoice.BOTH
    budgets: tuple[int, ...] = ()
    repeat: int = 0
    seed: int = 0
    resamples: int = 2000
    level: float = 0.95
    cluster: str = "auto"
    retries: int = 2

    def __post_init__(self) -> None:
        self._check_types()
        names = [labels.name for labels in self.labels]
        if len(set(names)) != len(names):
            raise ConfigError(f"labels {', '.join(names)}: a label set is named twice")
        if any(b < 1 for b in self.budgets) or list(self.budgets) != sorted(set(self.budgets)):
            raise ConfigError(f"token budgets {list(self.budgets)}: expected ascending whole numbers from 1 up")
        if self.repeat < 0:
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
        if not isinstance(given["readout"], ReadoutChoice):
            raise ConfigError(f"readout is {given['readout']!r}: expected a ReadoutChoice such as ReadoutChoice.BOTH")
        if not isinstance(given["prompt"], str):
            raise ConfigError(f"prompt is {given['prompt']!r}: expected a template's name or the path of a TOML file")
        if not isinstance(budgets, tuple) or not all(map(_is_whole, budgets)):
            raise ConfigError(f"token budgets {budgets!r}: expected a tuple of ascending whole numbers from 1 up")
        for name in ("repeat", "seed", "resamples", "retries"):
            if not _is_whole(given[name]):
                raise ConfigError(f"{name} is {given[name]!r}: expected a whole number")
        if isinstance(level, bool) or not isinstance(level, float | int):
            raise ConfigError(f"level is {level!r}: expected a number such as .95")

    def resolved(self, template: PromptTemplate) -> AuditSettings:
        """The same settings with what was left to the prompt filled in."""
        return replace(
            self,
            labels=self.labels or (template.labels,),
            budgets=self.budgets or template.budgets or Sampling().budgets,
        )

    @property
    def sampling(self) -> Sampling:
        """Decoding settings: greedy, with these budgets."""
        return Sampling(temperature=0.0, budgets=self.budgets)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
