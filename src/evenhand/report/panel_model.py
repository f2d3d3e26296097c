"""What the figures beside rates and outcomes draw: displays of an audit with the measures that belong to them."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.analysis.displays import Flow, Reliability, SavingsCurve, SwapTable
from evenhand.stats import Estimate, Refusal

__all__ = ["FlowPanel", "HybridPoint", "Panels", "SavingsPanel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPanel:
    """A flow and its lead–conclusion divergence."""

    flow: Flow
    divergence: Estimate | Refusal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridPoint:
    """What the hybrid readout comes to: share of presentations generated, agreement with reading all texts."""

    generated: Estimate
    fidelity: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingsPanel:
    """A condition's curves, with the hybrid readout's point where the run has one."""

    condition: str
    swaps: tuple[SavingsCurve, ...]
    text: SavingsCurve | None
    hybrid: HybridPoint | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """Everything that these figures draw; names of conditions are clean."""

    tables: tuple[SwapTable, ...] = ()
    flows: tuple[FlowPanel, ...] = ()
    reliabilities: tuple[Reliability, ...] = ()
    savings: tuple[SavingsPanel, ...] = ()
