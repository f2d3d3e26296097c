"""Statistics: plain arrays in, frozen named results out. Knows no judge."""

from evenhand.stats.results import Estimate, Interval, Refusal, TestResult

__all__ = ["Estimate", "Interval", "Refusal", "TestResult"]
