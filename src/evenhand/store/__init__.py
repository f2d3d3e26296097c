"""The store: a durable journal of a run."""

from evenhand.store.journal import Journal, JournalEntry, PlanCounts, Recording

__all__ = ["Journal", "JournalEntry", "PlanCounts", "Recording"]
