"""Opening the judge that a user named: with its options, in this process or on Ray workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from evenhand.errors import ConfigError
from evenhand.judges import Judge, load_judge
from evenhand.judges.load import load_for_estimate

__all__ = ["EXECUTORS", "JudgeSetup", "opened", "opened_for_estimate"]

EXECUTORS = ("local", "ray")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSetup:
    """How a judge that is named by its spec is opened.

    Attributes
    ----------
    options
        The judge's own options, as values or as texts (``evenhand judges`` lists them).
    executor
        ``local``: in this process. ``ray``: one judge in each of ``workers`` Ray actors.
    workers
        How many actors; the ray executor needs to be told.
    gpus_per_worker
        What Ray reserves for each, and all that each of them sees.
    address
        Of a Ray cluster that runs; None starts one on this machine.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    executor: str = "local"
    workers: int | None = None
    gpus_per_worker: float = 0.0
    address: str | None = None

    def __post_init__(self) -> None:
        if self.executor not in EXECUTORS:
            raise ConfigError(f"executor {self.executor!r}: expected {' or '.join(EXECUTORS)}")
        if self.executor == "local" and (self.workers is not None or self.gpus_per_worker or self.address is not None):
            raise ConfigError("workers, their GPUs and an address are of the ray executor: add --executor ray")
        if self.executor == "ray" and self.workers is None:
            raise ConfigError("the ray executor needs to know how many workers: add --workers N")
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers is {self.workers}: expected at least 1")
        if not self.gpus_per_worker >= 0:
            raise ConfigError(f"GPUs per worker is {self.gpus_per_worker}: expected 0 or more")


@contextmanager
def opened_for_estimate(judge: str | Judge, setup: JudgeSetup | None = None) -> Iterator[Judge]:
    """As :func:`opened`, for a dry run: a kind that estimates with less, such as without a key, is opened so.

    Then no workers are started either: they would tell nothing more.
    """
    options = {} if setup is None else setup.options
    light = load_for_estimate(judge, **options) if isinstance(judge, str) else None
    with opened(judge, setup) if light is None else light as ready:
        yield ready


@contextmanager
def opened(judge: str | Judge, setup: JudgeSetup | None = None) -> Iterator[Judge]:
    """The judge itself where the caller holds it open, else one that is closed at the end."""
    if not isinstance(judge, str):
        if not isinstance(judge, Judge):
            raise ConfigError(
                f"judge: expected a spec such as 'llamacpp:smollm2-135m' or a judge, got a {type(judge).__name__}"
            )
        if setup is not None:
            raise ConfigError("a setup is for a judge named by its spec; this one is open already")
        yield judge
        return
    setup = setup or JudgeSetup()
    with _load(judge, setup) as ready:
        yield ready


def _load(spec: str, setup: JudgeSetup) -> Judge:
    if setup.workers is None:
        return load_judge(spec, **setup.options)
    from evenhand.runner.ray_judge import RayJudge

    return RayJudge(
        spec=spec,
        options=setup.options,
        workers=setup.workers,
        num_gpus=setup.gpus_per_worker,
        address=setup.address,
    )
