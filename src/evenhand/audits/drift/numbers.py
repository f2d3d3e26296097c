"""Numbers in the texts of requirements and tolerances."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["plain_number"]

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,20}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


def plain_number(text: str) -> float | None:
    """A number as it is written in a shell or a file; None where the text is none.

    ``float`` takes more: ``.0_5``, digits of other scripts, ``nan`` and ``infinity``. As a limit these are slips.

    Examples
    --------
    >>> plain_number(".05"), plain_number(" 5e-2 "), plain_number(".0_5"), plain_number("٠.٥")
    (0.05, 0.05, None, None)
    """
    found = text.strip()
    return float(found) if _NUMBER.fullmatch(found) else None
