"""What a label store holds: who labels, what was shown to whom, and what they said."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from evenhand.errors import ConfigError
from evenhand.records import Order, Outcome, Pair, Preference, preference_of
from evenhand.records.hashing import content_hash

__all__ = [
    "NAME_LIMIT",
    "NOTE_LIMIT",
    "Annotator",
    "Choice",
    "Drawn",
    "LabelEvent",
    "LabelSession",
    "NewShowing",
    "Showing",
    "ShowingState",
    "StoreFacts",
    "clean_name",
    "clean_note",
    "stored_id",
    "text_sha256",
]

NAME_LIMIT: Final = 60
NOTE_LIMIT: Final = 2_000
"""Characters of an annotator's name and of a note."""


class Choice(StrEnum):
    """What a person says of a pair, by the place where a response is shown."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    SKIP = "skip"
    """Can't tell: a state of its own, never a tie."""


class Drawn(StrEnum):
    """Why a pair was put before an annotator."""

    SHARED = "shared"
    """It is among those that everybody labels, which are drawn at random."""
    RANDOM = "random"
    INFORMATIVE = "informative"
    """The judges flip or disagree on it: no random sample of the pairs."""
    REPEAT = "repeat"
    """The annotator labelled it before; now in the other order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """What a store is known by: a random name, the seed of every random choice, and when it was made."""

    name: str
    seed: int
    created: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """Somebody who labels."""

    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A pair put before an annotator.

    Attributes
    ----------
    token
        Its name in addresses: random, and tells nothing.
    annotator
        Id of the annotator.
    pair_id, text_sha256
        The pair, and a hash of the texts that were shown (:func:`text_sha256`).
    shown_order
        Which response is Response 1: A in order AB.
    repeat
        Whether the annotator had labelled the pair before.
    """

    id: int
    token: str
    annotator: int
    pair_id: str
    text_sha256: str
    shown_order: Order
    repeat: bool
    drawn: Drawn
    created: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowingState:
    """A showing and what came of it.

    Attributes
    ----------
    first_event, last_event, choice
        Its first and its latest label, by their ids, and what the latest says; None: not labelled yet.
    """

    showing: Showing
    first_event: int | None = None
    last_event: int | None = None
    choice: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEvent:
    """One label as it was given. A later event of the same showing takes its place, and leaves it in the store.

    Attributes
    ----------
    id
        Grows with the order of recording, whatever the clock did.
    annotator
        The name.
    confidence
        1 (a guess) to 3 (sure); None: not said.
    seconds
        From the page's delivery to the answer; None where the clock can't be right.
    session
        Number of the browser session.
    after_results
        Whether the annotator, or somebody in the same browser, had looked at the results before.
    """

    id: int
    showing: Showing
    annotator: str
    choice: Choice
    confidence: int | None
    note: str
    seconds: float | None
    recorded_at: str
    session: int
    after_results: bool

    @property
    def preference(self) -> Preference | None:
        """The choice mapped to the responses' identity; None for a skip."""
        order = self.showing.shown_order
        match self.choice:
            case Choice.FIRST:
                return preference_of(Outcome.FIRST, order)
            case Choice.SECOND:
                return preference_of(Outcome.SECOND, order)
            case Choice.TIE:
                return Preference.TIE
            case Choice.SKIP:
                return None
            case _:
                assert_never(self.choice)


def text_sha256(pair: Pair) -> str:
    """A hash of what an annotator is shown: instruction and responses, and nothing that may change beside them.

    Examples
    --------
    >>> from dataclasses import replace
    >>> pair = Pair(id="p", instruction="2+2?", response_a="4", response_b="5")
    >>> text_sha256(replace(pair, source="x", gold=Preference.A)) == text_sha256(pair)
    True
    >>> text_sha256(replace(pair, response_b="6")) == text_sha256(pair)
    False
    """
    return content_hash([pair.instruction, pair.response_a, pair.response_b])


def stored_id(pair_id: str) -> str:
    r"""The id as a database column and a label file hold it: a lone surrogate is written as its escape.

    Examples
    --------
    >>> print(stored_id("a\ud800"))
    a\ud800
    """
    return pair_id.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSession:
    """One browser; ``annotator`` is None until somebody gave a name."""

    id: int
    annotator: Annotator | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewShowing:
    """A pair that is to be put before an annotator."""

    pair_id: str
    text_sha256: str
    shown_order: Order
    repeat: bool
    drawn: Drawn


def clean_name(name: str) -> str:
    """An annotator's name on one line.

    Raises
    ------
    ConfigError
        It is empty, too long, holds hidden characters, or begins with what a spreadsheet takes for a formula.

    Examples
    --------
    >>> clean_name("  Ann   Lee ")
    'Ann Lee'
    """
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        raise ConfigError("the name is empty: expected one, such as ann")
    if len(text) > NAME_LIMIT:
        raise ConfigError(f"the name has {len(text)} characters: at most {NAME_LIMIT}")
    if not text.isprintable() or not text[0].isalnum():
        raise ConfigError("the name must begin with a letter or digit and hold no hidden characters")
    return text


def clean_note(note: str) -> str:
    """A note without what no database or CSV can hold; line breaks are kept."""
    text = note[: 2 * NOTE_LIMIT].replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
    return kept.strip()[:NOTE_LIMIT].rstrip()
