"""A pair: one instruction, two responses, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evenhand.records.hashing import content_hash
from evenhand.records.outcome import Preference

__all__ = ["Pair", "pairs_hash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two responses to one instruction.

    Attributes
    ----------
    id
        Unique within a run.
    instruction, response_a, response_b
        The texts. A and B are identities: they never say where a response is shown.
    gold
        The preference that counts as right, or None where there is none.
    source
        Where the pair comes from (a data set's subset, a task family).
    group
        The question group: pairs that share an instruction share it, and are resampled together.
        Empty means: the hash of the instruction.
    author_a, author_b
        Which model or person wrote the response, where known.
    metadata
        Further facts as ordered (name, value) texts, such as why the gold preference holds.
    """

    id: str
    instruction: str
    response_a: str
    response_b: str
    gold: Preference | None = None
    source: str = ""
    group: str = ""
    author_a: str | None = None
    author_b: str | None = None
    metadata: tuple[tuple[str, str], ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", content_hash(self.instruction)[:16])

    @property
    def content_hash(self) -> str:
        """SHA-256 over what a judge sees and what it is scored by; metadata is left out."""
        return content_hash(
            [self.id, self.instruction, self.response_a, self.response_b, self.gold, self.source, self.group]
        )


def pairs_hash(pairs: Sequence[Pair]) -> str:
    """One hash for a whole set of pairs, whatever their order: what a disclosure card prints for its data."""
    return content_hash(sorted(pair.content_hash for pair in pairs))
