"""The store: a durable journal of a run."""

from evenhand.store.entries import JournalEntry, PlanCounts, Recording, TokenTotals
from evenhand.store.journal import Journal
from evenhand.store.run_directory import RunSummary, describe, is_run

__all__ = ["Journal", "JournalEntry", "PlanCounts", "Recording", "RunSummary", "TokenTotals", "describe", "is_run"]
