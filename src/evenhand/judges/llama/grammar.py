"""The grammar of a constrained answer, in llama.cpp's GBNF: one of the labels and nothing else."""

from __future__ import annotations

from evenhand.records import LabelSet

__all__ = ["label_grammar"]


def label_grammar(labels: LabelSet, *, spaced: bool = False) -> str:
    r"""A grammar that allows exactly the labels.

    Parameters
    ----------
    labels
        What may be written; a tie only where they have one.
    spaced
        Whether one space may stand before the label: after a prefill the next word begins with one.

    Examples
    --------
    >>> print(label_grammar(LabelSet.parse("A/B/tie")))
    root ::= "A" | "B" | "tie"
    >>> print(label_grammar(LabelSet(first='"', second="é"), spaced=True))
    root ::= " "? ("\U00000022" | "\U000000E9")
    """
    choices = " | ".join(f'"{_literal(label)}"' for label in labels.by_outcome.values())
    return f'root ::= " "? ({choices})' if spaced else f"root ::= {choices}"


def _literal(text: str) -> str:
    """Text within a GBNF string: whatever is no ASCII letter or digit by its code, so that nothing ends the string."""
    return "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08X}" for c in text)
