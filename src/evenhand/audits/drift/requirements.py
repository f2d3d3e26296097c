"""What a gate asks of a run: a measure, a limit, and of which conditions and readouts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from evenhand.analysis.measures import MEASURES, MeasureInfo
from evenhand.audits.bias.registry import BIAS_AUDITS
from evenhand.audits.drift.bounds import Limits
from evenhand.audits.drift.measures import ALIASES, DRIFT_MEASURES
from evenhand.audits.drift.numbers import plain_number
from evenhand.errors import ConfigError
from evenhand.records import Readout

__all__ = ["SHORTHANDS", "Requirement", "Shorthand", "gate_measure", "parse_requirement", "readout_named"]

_FORM = re.compile(
    r"(?P<open>\|?)(?:(?P<audit>[a-z-]{1,40}):)?(?P<measure>[A-Za-z0-9_-]{1,80})(?P<close>\|?)"
    r"(?:@(?P<readout>[a-z-]{1,40}))?(?P<sign><=|>=)(?P<value>[^<>=]{1,40})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A limit that a measure must keep.

    Attributes
    ----------
    measure
        Key of :data:`evenhand.analysis.measures.MEASURES` or of DRIFT_MEASURES.
    most, least
        One of them, or both; a share as 0 to 1.
    size
        Whether the limit is on the distance from 0 in either direction.
    audit
        The bias audit whose figure is meant, such as ``sycophancy``: every change that it made must keep the limit.
        None: figures of the pairs as they are, where there are such.
    condition, readout
        Of which; None: every one of the run that has the measure.
    """

    measure: str
    most: float | None = None
    least: float | None = None
    size: bool = False
    audit: str | None = None
    condition: str | None = None
    readout: Readout | None = None

    def __post_init__(self) -> None:
        info = gate_measure(self.measure)
        object.__setattr__(self, "measure", info.name)
        if self.audit is not None and self.audit not in BIAS_AUDITS:
            raise ConfigError(f"no bias audit {self.audit!r}: expected one of {', '.join(BIAS_AUDITS)}")
        limits = [limit for limit in (self.most, self.least) if limit is not None]
        if not limits:
            raise ConfigError(f"requirement on {self.measure}: expected a largest or a smallest value")
        low, high = {"share": (0.0, 1.0), "difference": (-1.0, 1.0)}.get(info.unit, (-math.inf, math.inf))
        for limit in limits:
            if math.isnan(limit) or math.isinf(limit) or not low <= limit <= high:
                wanted = f"between {low:g} and {high:g}" if math.isfinite(low) else "that is finite"
                raise ConfigError(f"requirement on {self.measure}: {limit:g}, expected a number {wanted}")
        if self.size and (self.most is None or self.least is not None or self.most < 0):
            raise ConfigError(f"requirement on |{self.measure}|: expected one largest distance from 0, 0 or more")
        if self.most is not None and self.least is not None and self.least > self.most:
            raise ConfigError(
                f"requirement on {self.measure}: nothing is at least {self.least:g} and at most {self.most:g}"
            )

    @property
    def info(self) -> MeasureInfo:
        """Label, definition and unit."""
        return gate_measure(self.measure)

    @property
    def limits(self) -> Limits:
        """What the figure must keep."""
        if self.size and self.most is not None:
            return Limits(low=-self.most, high=self.most)
        return Limits(low=self.least, high=self.most)

    @property
    def text(self) -> str:
        """As :func:`parse_requirement` reads it, where it has one limit; ``flip_rate@generated<=0.15``."""
        name = self.measure if self.audit is None else f"{self.audit}:{self.measure}"
        name = f"|{name}|" if self.size else name
        where = f"@{self.readout}" if self.readout is not None else ""
        parts = [
            f"{name}{where}{sign}{limit:g}"
            for sign, limit in ((">=", self.least), ("<=", self.most))
            if limit is not None
        ]
        return " and ".join(parts) + (f" ({self.condition})" if self.condition is not None else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorthand:
    """A requirement with a name of its own, such as ``max_flip_rate``."""

    measure: str
    most: bool
    size: bool = False
    audit: str | None = None

    def requirement(self, value: float, *, condition: str | None = None, readout: Readout | None = None) -> Requirement:
        """The requirement with its value."""
        return Requirement(
            measure=self.measure,
            most=value if self.most else None,
            least=None if self.most else value,
            size=self.size,
            audit=self.audit,
            condition=condition,
            readout=readout,
        )


SHORTHANDS: Mapping[str, Shorthand] = {
    "max_flip_rate": Shorthand(measure="flip_rate", most=True),
    "min_compliance": Shorthand(measure="compliance_pairs", most=False),
    "min_verdict_rate": Shorthand(measure="verdict_rate", most=False),
    "max_position_bias": Shorthand(measure="position_bias_strength", most=True, size=True),
    "min_accuracy": Shorthand(measure="accuracy", most=False),
    "max_sycophancy": Shorthand(measure="net_shift", most=True, audit="sycophancy"),
    "max_verbosity": Shorthand(measure="net_shift", most=True, audit="verbosity"),
}
"""Keys of a gate file, and with dashes the options of ``evenhand gate``."""


_UNPROTECTED: Final = "net_shift_any_target"


def gate_measure(name: str) -> MeasureInfo:
    """Look a measure up, by its name or short name; ``-`` counts as ``_``.

    Raises
    ------
    ConfigError
        There is none; the nearest names are told. Or one that shows nothing by itself.

    Examples
    --------
    >>> gate_measure("flip-rate").label
    'flip rate'
    >>> gate_measure("accuracy").label
    'accuracy, all verdicts'
    """
    known = {info.name: info for info in MEASURES}
    known.update({name: measure.info for name, measure in DRIFT_MEASURES.items() if name not in known})
    key = name.strip().replace("-", "_")
    found = known.get(ALIASES.get(key, key))
    if found is None:
        near = get_close_matches(key, [*known, *ALIASES], n=3)
        raise ConfigError(
            f"no measure {name!r}: "
            + (f"did you mean {' or '.join(near)}?" if near else "docs/reference/gates.md lists them")
        )
    if found.name == _UNPROTECTED:
        raise ConfigError(
            f"measure {name!r}: no requirement can be decided on it, as changes that favour nobody move it where pairs "
            "have one target alone; require net_shift"
        )
    return found


def parse_requirement(text: str, *, condition: str | None = None, readout: Readout | None = None) -> Requirement:
    """Read ``MEASURE<=VALUE``, ``MEASURE@READOUT>=VALUE``, ``AUDIT:MEASURE<=VALUE`` or ``|MEASURE|<=VALUE``.

    Raises
    ------
    ConfigError
        Another form, an unknown measure or readout, or no fitting number.

    Examples
    --------
    >>> parse_requirement("flip-rate@generated <= .15").text
    'flip_rate@generated<=0.15'
    >>> parse_requirement("|position_bias_strength|<=.1").limits
    Limits(low=-0.1, high=0.1)
    >>> parse_requirement("sycophancy:net_shift<=.05").audit
    'sycophancy'
    """
    match = _FORM.fullmatch(re.sub(r"\s", "", text[:300]))
    if match is None or match["open"] != match["close"]:
        raise ConfigError(
            f"requirement {text[:80]!r}: expected MEASURE<=VALUE or MEASURE>=VALUE; a readout is named by "
            "MEASURE@READOUT, a bias audit by AUDIT:MEASURE, the distance from 0 by |MEASURE|"
        )
    value = plain_number(match["value"])
    if value is None:
        raise ConfigError(f"requirement {text[:80]!r}: {match['value']!r} is no number such as .15")
    most = match["sign"] == "<="
    return Requirement(
        measure=match["measure"],
        most=value if most else None,
        least=None if most else value,
        size=bool(match["open"]),
        audit=match["audit"],
        condition=condition,
        readout=readout_named(match["readout"]) if match["readout"] else readout,
    )


def readout_named(name: str) -> Readout:
    """A readout by its name.

    Raises
    ------
    ConfigError
        There is none of that name.
    """
    try:
        return Readout(name)
    except ValueError:
        raise ConfigError(f"readout {name!r}: expected one of {', '.join(Readout)}") from None
