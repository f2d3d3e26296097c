"""The runner: asks what is not yet answered, and loses nothing."""

from evenhand.runner.execute import execute
from evenhand.runner.keys import presentation_key
from evenhand.runner.progress import Progress, RichProgress, SilentProgress
from evenhand.runner.spend import Prices, SpendLimit
from evenhand.runner.summary import ExecutionError, ExecutionSummary

__all__ = [
    "ExecutionError",
    "ExecutionSummary",
    "Prices",
    "Progress",
    "RichProgress",
    "SilentProgress",
    "SpendLimit",
    "execute",
    "presentation_key",
]
