"""A judge made of a formula, for tests and simulations: its biases are set by parameter, so the truth is known."""

from __future__ import annotations

from evenhand.judges.simulated_table import SimulatedTable, simulate_audit_table
from evenhand.judges.simulated_truth import AuditParameters, TrueValue, true_values

__all__ = ["AuditParameters", "SimulatedTable", "TrueValue", "simulate_audit_table", "true_values"]
