"""Judges: whoever chooses between two responses, behind one interface."""

from evenhand.judges.base import (
    Answer,
    Captures,
    CostEstimate,
    Generate,
    Judge,
    JudgeRequest,
    TextStatus,
    TextWatcher,
    WindsDown,
)
from evenhand.judges.load import load_judge

__all__ = [
    "Answer",
    "Captures",
    "CostEstimate",
    "Generate",
    "Judge",
    "JudgeRequest",
    "TextStatus",
    "TextWatcher",
    "WindsDown",
    "load_judge",
]
