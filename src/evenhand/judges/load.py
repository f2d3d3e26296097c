"""From a spec such as ``llamacpp:smollm2-135m`` to a judge."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.errors import ConfigError
from evenhand.judges.base import Judge
from evenhand.registry import available, resolve

__all__ = ["EXAMPLES", "load_for_estimate", "load_judge"]

EXAMPLES: Mapping[str, str] = {
    "llamacpp": "llamacpp:smollm2-135m",
    "openai": "openai:gpt-4o-mini",
    "transformers": "transformers:Qwen/Qwen2.5-0.5B-Instruct",
    "vllm": "vllm:Qwen/Qwen2.5-0.5B-Instruct",
    "simulated": "simulated:fair",
}
"""A whole spec of each kind that comes with the library."""


def load_judge(spec: str, **options: object) -> Judge:
    """Load a judge: the part before the first colon names its kind, the rest is the kind's own to read.

    Every judge class has ``from_spec(rest, *, spec, **options)``; options that a kind doesn't know are its ConfigError.
    A class that can estimate with less than asking needs, such as without a key, has ``for_estimate`` too, which takes
    the same.

    Raises
    ------
    ConfigError
        No colon-separated kind, or an unknown one.
    """
    kind, rest = _parted(spec)
    judge: Judge = resolve("judges", kind).from_spec(rest, spec=spec, **options)
    return judge


def load_for_estimate(spec: str, **options: object) -> Judge | None:
    """Load a judge that is asked for estimates alone; None where no such kind is known that needs less for them.

    Raises
    ------
    ConfigError
        No colon-separated kind, or options that the kind doesn't know.
    """
    kind, rest = _parted(spec)
    make = getattr(resolve("judges", kind), "for_estimate", None) if kind in available("judges") else None
    judge: Judge | None = None if make is None else make(rest, spec=spec, **options)
    return judge


def _parted(spec: str) -> tuple[str, str]:
    kind, colon, rest = spec.partition(":")
    if not colon or not rest:
        raise ConfigError(f"judge {spec!r}: expected KIND:MODEL, such as {EXAMPLES.get(kind, EXAMPLES['llamacpp'])}")
    return kind, rest
