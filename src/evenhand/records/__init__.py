"""The records that every layer shares: frozen, hashable, free of behaviour that needs a judge."""

from evenhand.records.change import Change
from evenhand.records.completion import Completion, FinishReason, FirstToken, TokenLogProb, Usage
from evenhand.records.first_tokens import first_token_of
from evenhand.records.grammar import GrammarHint
from evenhand.records.hashing import content_hash, file_sha256
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import (
    COLUMNS_VERSION,
    ROWS_VERSION,
    SCHEMA_VERSION,
    DataIdentity,
    JudgeIdentity,
    LabelTokens,
    RunManifest,
    Sampling,
    SwapRecord,
    VariantsIdentity,
)
from evenhand.records.outcome import Order, Outcome, Preference, Readout, Slot, preference_of, slot_of
from evenhand.records.pair import Pair, pairs_hash
from evenhand.records.presentation import Ask, Condition, Message, Presentation
from evenhand.records.text_status import TextStatus, TextWatcher
from evenhand.records.verdict import Reading, Verdict, verdict_table

__all__ = [
    "COLUMNS_VERSION",
    "ROWS_VERSION",
    "SCHEMA_VERSION",
    "Ask",
    "Change",
    "Completion",
    "Condition",
    "DataIdentity",
    "FinishReason",
    "FirstToken",
    "GrammarHint",
    "JudgeIdentity",
    "LabelSet",
    "LabelTokens",
    "Message",
    "Order",
    "Outcome",
    "Pair",
    "Preference",
    "Presentation",
    "Reading",
    "Readout",
    "RunManifest",
    "Sampling",
    "Slot",
    "SwapRecord",
    "TextStatus",
    "TextWatcher",
    "TokenLogProb",
    "Usage",
    "VariantsIdentity",
    "Verdict",
    "content_hash",
    "file_sha256",
    "first_token_of",
    "pairs_hash",
    "preference_of",
    "slot_of",
    "verdict_table",
]
