"""Names to classes, loaded late: what ``--judge``, ``--pairs``, ``import FORMAT`` and prompts resolve through.

Each kind has a built-in table and one entry-point group (``evenhand.judges``, ``evenhand.datasets``,
``evenhand.logs``), so that a package elsewhere can add to it without a change here.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

from evenhand.errors import ConfigError

__all__ = ["BUILT_IN", "available", "forget_entry_points", "resolve"]

BUILT_IN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "judges": MappingProxyType(
            {
                "llamacpp": "evenhand.judges.llama.judge:LlamaCppJudge",
                "openai": "evenhand.judges.openai.judge:OpenAIJudge",
                "simulated": "evenhand.judges.simulated:SimulatedJudge",
                "transformers": "evenhand.judges.hf.judge:TransformersJudge",
                "vllm": "evenhand.judges.vllm.judge:VllmJudge",
            }
        ),
        "datasets": MappingProxyType(
            {
                "starter": "evenhand.datasets.starter:StarterDataset",
                "adversarial": "evenhand.datasets.adversarial:AdversarialDataset",
                "judgebench": "evenhand.datasets.judgebench:JudgeBenchDataset",
                "llmbar": "evenhand.datasets.llmbar:LlmBarDataset",
                "mt_bench": "evenhand.datasets.mt_bench:MtBenchDataset",
                "table": "evenhand.datasets.table:TableDataset",
            }
        ),
        "logs": MappingProxyType(
            {
                "llmbar": "evenhand.logs.llmbar:LlmBarLog",
                "judgebench": "evenhand.logs.judgebench:JudgeBenchLog",
                "alpaca_eval": "evenhand.logs.alpaca_eval:AlpacaEvalLog",
                "arena_hard": "evenhand.logs.arena_hard:ArenaHardLog",
                "deepeval": "evenhand.logs.deepeval:DeepEvalLog",
                "inspect": "evenhand.logs.inspect_log:InspectLog",
                "lm_eval": "evenhand.logs.lm_eval:LmEvalLog",
                "mt_bench_judgments": "evenhand.logs.mt_bench_judgments:MtBenchJudgmentsLog",
                "promptfoo": "evenhand.logs.promptfoo:PromptfooLog",
                "rewardbench": "evenhand.logs.rewardbench:RewardBenchLog",
                "table": "evenhand.logs.table:TableLog",
                "trace_csv": "evenhand.logs.trace_csv:TraceCsvLog",
            }
        ),
    }
)


@functools.cache
def _entry_points(kind: str) -> Mapping[str, str]:
    """Names that other packages add; read once, as it means reading the metadata of all that is installed."""
    return MappingProxyType({point.name: point.value for point in entry_points(group=f"evenhand.{kind}")})


def forget_entry_points() -> None:
    """Read the entry points again at the next question: for a process that installs a package as it runs, and tests."""
    _entry_points.cache_clear()


def available(kind: str) -> tuple[str, ...]:
    """Names that :func:`resolve` knows for a kind, sorted.

    Examples
    --------
    >>> available("datasets")
    ('adversarial', 'judgebench', 'llmbar', 'mt_bench', 'starter', 'table')
    """
    return tuple(sorted({*BUILT_IN[kind], *_entry_points(kind)}))


def resolve(kind: str, name: str) -> Any:  # noqa: ANN401 - the caller knows the kind's own type
    """Load what a name stands for.

    Raises
    ------
    ConfigError
        The name is unknown (the message lists those that exist), or its module can't be imported.
    """
    target = BUILT_IN[kind].get(name)  # first: entry points are read only where they are needed
    table = BUILT_IN[kind] if target is not None else {**_entry_points(kind), **BUILT_IN[kind]}
    target = table.get(name)
    if target is None:
        close = difflib.get_close_matches(name, table, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"unknown {kind.rstrip('s')} {name!r}{hint} (known: {', '.join(sorted(table))})")
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ImportError as error:
        raise ConfigError(
            f"{kind.rstrip('s')} {name!r} needs {error.name or module}, which is not installed"
        ) from error
