"""What the JSON of a probe report and of a triage say alike: whose activations, and how many pairs were usable."""

from __future__ import annotations

from evenhand.probes import ProbeSubject, Retention
from evenhand.report.encode import Json

__all__ = ["encode_retention", "encode_subject"]


def encode_subject(subject: ProbeSubject) -> Json:
    """The judge, the prompt and the readout."""
    return {
        "model": subject.model,
        "revision": subject.revision,
        "dtype": subject.dtype,
        "prompt": subject.prompt,
        "prompt_sha256": subject.prompt_hash,
        "labels": subject.labels,
        "readout": subject.readout.value,
        "blocks": subject.blocks,
        "size": subject.size,
        "settings": [{"name": name, "value": value} for name, value in subject.settings],
    }


def encode_retention(retention: Retention) -> Json:
    """Pairs planned, usable and lost by reason.

    Examples
    --------
    >>> encode_retention(Retention(planned=3, usable=2, lost=(("AB: no verdict", 1),)))
    {'planned': 3, 'usable': 2, 'lost': [{'why': 'AB: no verdict', 'pairs': 1}]}
    """
    return {
        "planned": retention.planned,
        "usable": retention.usable,
        "lost": [{"why": why, "pairs": count} for why, count in retention.lost],
    }
