"""Readouts: from a completion to a verdict or a stated absence of one."""

from evenhand.readouts.constrained import read_constrained
from evenhand.readouts.decision import Decision, DecisionStatus, parse_decision
from evenhand.readouts.first_token import Compliance, compliance, read_first_token
from evenhand.readouts.generated import read_generated
from evenhand.readouts.grammar import NOUNS, DecisionGrammar
from evenhand.readouts.hybrid import HybridReading, read_hybrid
from evenhand.readouts.read_all import ReadAll, read
from evenhand.readouts.watcher import DecisionWatcher

__all__ = [
    "NOUNS",
    "Compliance",
    "Decision",
    "DecisionGrammar",
    "DecisionStatus",
    "DecisionWatcher",
    "HybridReading",
    "ReadAll",
    "compliance",
    "parse_decision",
    "read",
    "read_constrained",
    "read_first_token",
    "read_generated",
    "read_hybrid",
]
