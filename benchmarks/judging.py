"""Both readouts from one prefill against two separate passes with the same engine.

``python benchmarks/judging.py [--pairs N] [--prompt NAME] [--threads N] [--budget 4 --budget 100]``: starter
pairs in both orders. For each presentation and budget it times, one after the other so that other load on the
machine meets all alike:

* ours: first-token distribution and generated text from one prefill, the beginning shared with the presentation
  before taken from the cache (what an audit does);
* ours, cold: the same with nothing taken from the presentation before;
* two passes: one call for the first token's log probabilities, then one call that writes from scratch, both cold.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.datasets import load_pairs
from evenhand.judges.base import JudgeRequest
from evenhand.judges.llama.engine import EngineSettings, LlamaEngine
from evenhand.judges.llama.judge import LlamaCppJudge
from evenhand.judges.llama.prompt import PromptEncoder
from evenhand.judges.model_files import model_path
from evenhand.prompts import load_prompt
from evenhand.records import LabelSet, Order

N_CTX = 4096
LABELS = LabelSet.parse("A/B")


@dataclass(slots=True, kw_only=True)
class Arm:
    """One way of getting both readouts: what it took so far."""

    name: str
    run: Callable[[JudgeRequest], int]
    wall: float = 0.0
    cpu: float = 0.0
    written: list[int] = field(default_factory=list)

    def take(self, request: JudgeRequest) -> None:
        """Time one presentation."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.written.append(self.run(request))
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def ours(judge: LlamaCppJudge) -> Callable[[JudgeRequest], int]:
    def run(request: JudgeRequest) -> int:
        [answer] = judge.answer([request])
        assert answer.completion.error is None, answer.completion.error
        return answer.completion.usage.completion_tokens or 0

    return run


def two_passes(engine: LlamaEngine) -> Callable[[JudgeRequest], int]:
    encoder = PromptEncoder(engine)

    def run(request: JudgeRequest) -> int:
        prompt = encoder.encode(request.messages)
        engine.complete(prompt, max_tokens=1, n_probs=128, reuse=False)
        got = engine.complete(prompt, max_tokens=request.budgets[-1], reuse=False)
        return int(got["usage"]["completion_tokens"])

    return run


def measure(path: Path, *, prompt: str, pairs: int, threads: int | None, budget: int) -> list[Arm]:
    template = load_prompt(prompt)
    requests = [
        JudgeRequest(messages=template.render(pair, order, LABELS), labels=LABELS, budgets=(budget,))
        for pair in load_pairs("starter", limit=pairs)
        for order in Order
    ]
    settings = EngineSettings(n_ctx=N_CTX, threads=threads)
    engine = LlamaEngine(path, settings=settings)
    with (
        LlamaCppJudge(path, n_ctx=N_CTX, threads=threads) as warm,
        LlamaCppJudge(path, n_ctx=N_CTX, threads=threads, reuse_prefix=False) as cold,
    ):
        arms = [
            Arm(name="ours", run=ours(warm)),
            Arm(name="ours, cold", run=ours(cold)),
            Arm(name="two passes", run=two_passes(engine)),
        ]
        for request in requests:
            for arm in arms:
                arm.take(request)
    engine.close()
    return arms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--prompt", default="single-character")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--budget", type=int, action="append")
    chosen = parser.parse_args()
    path = model_path()
    print(f"{platform.platform()}, Python {platform.python_version()}, threads {chosen.threads or 'by llama.cpp'}")
    print(f"{chosen.pairs} starter pairs in both orders, {chosen.prompt} prompt, SmolLM2-135M-Instruct Q4_1\n")
    print("| budget | way | wall s | CPU s | tokens written, mean | wall / two passes | CPU / two passes |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for budget in chosen.budget or [4, 100]:
        arms = measure(path, prompt=chosen.prompt, pairs=chosen.pairs, threads=chosen.threads, budget=budget)
        base = arms[-1]
        for arm in arms:
            print(
                f"| {budget} | {arm.name} | {arm.wall:.1f} | {arm.cpu:.1f} | {sum(arm.written) / len(arm.written):.1f} "
                f"| {arm.wall / base.wall:.2f} | {arm.cpu / base.cpu:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
