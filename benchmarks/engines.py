"""The transformers judge against lm-evaluation-harness and plain ``generate``: same pairs, same model, one run.

``python benchmarks/engines.py [--pairs N] [--chunk N] [--max-tokens N] [--prompt NAME] [--threads N] [--rounds N]
[--model PATH-OR-NAME --dtype D --device D]``: the first starter pairs in both orders, in chunks; within a chunk each
way answers in turn, in another turn each time, so that other load on the machine meets all alike:

* forced: the harness's log-likelihood of every label variant after the chat prompt, at its best batch size here;
* generated: greedy ``model.generate`` one by one, and in left-padded batches;
* ours: both readouts in one call.

Then whether they answer alike, and what share of the machine's matrix-product rate the judge reaches while it reads
prompts: for this model and for one of Llama 3.2 1B's layer shapes with random weights. Loading is not timed.
Needs ``pip install 'evenhand[bench]'``.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from engines_arms import Answers, Arm, Batched, Forced, Loop, Ours, Shared, parting, warm_up
from engines_prefill import Prefill, larger, measure_prefill, profile_prefill
from evenhand.datasets import load_pairs
from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.hf.load import Loaded, Source, find_source, load, versions
from evenhand.judges.model_files import model_path
from evenhand.prompts import load_prompt
from evenhand.records import LabelSet, Order

LABELS = LabelSet.parse("A/B")
HARNESS_BATCHES = (1, 4, 8)
"""Of these the harness gets the fastest. Its ``auto`` tries 64 rows and relies on memory errors, which a processor's
memory doesn't give: it holds the logits of every position, twice."""


HEAD = (
    "| beginnings | tokens computed | prompt tokens/s | GFLOP/s, whole call | GFLOP/s, forward passes alone "
    "| share of best square, target ≥ 70 % | share of layer's products | both by CPU time |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass(slots=True, kw_only=True)
class Timed:
    """One way, what it took and what it answered."""

    arm: Arm
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    answers: Answers = field(default_factory=Answers)

    def take(self, requests: Sequence[JudgeRequest]) -> None:
        """Time one chunk."""
        wall, cpu = time.perf_counter(), time.process_time()
        got = self.arm.run(requests)
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)
        self.answers.extend(got)


def asked(pairs: int, *, prompt: str, most: int, generate: Generate = Generate.ALWAYS) -> list[JudgeRequest]:
    template = load_prompt(prompt)
    return [
        JudgeRequest(messages=template.render(pair, order, LABELS), labels=LABELS, generate=generate, budgets=(most,))
        for pair in load_pairs("starter", limit=pairs)
        for order in Order
    ]


def best_forced(shared: Shared, requests: Sequence[JudgeRequest]) -> Forced:
    """The harness at the batch size that is fastest on these presentations."""
    found: list[tuple[float, Forced]] = []
    for batch in HARNESS_BATCHES:
        timed = Timed(arm=(arm := Forced(shared, batch=batch)))
        timed.take(requests[:1])
        for _ in range(2):
            timed.take(requests)
        found.append((min(timed.wall[1:]), arm))
    shown = ", ".join(
        f"batch {batch} {seconds:.1f} s" for batch, (seconds, _) in zip(HARNESS_BATCHES, found, strict=True)
    )
    print(f"Harness on {len(requests)} presentations, untimed below: {shown}.\n")
    return min(found, key=lambda pair: pair[0])[1]


def compare(
    shared: Shared, judge: TransformersJudge, requests: Sequence[JudgeRequest], chosen: argparse.Namespace
) -> None:
    forced = Timed(arm=best_forced(shared, requests[:4]))
    loop = Timed(arm=Loop(shared, most=chosen.max_tokens))
    batched = Timed(arm=Batched(shared, most=chosen.max_tokens, batch=chosen.batch))
    ours = Timed(arm=Ours(judge, shared))
    ways = [forced, loop, batched, ours]
    warm_up([way.arm for way in ways], requests[:2])
    waiting = iter(requests)
    turn = 0
    while chunk := list(islice(waiting, 2 * chosen.chunk)):
        for place in range(len(ways)):
            ways[(place + turn) % len(ways)].take(chunk)
        turn += 1
    print("| way | wall s | CPU s | tokens written |\n|---|---:|---:|---:|")
    for way in ways:
        print(f"| {way.arm.name} | {sum(way.wall):.1f} | {sum(way.cpu):.1f} | {way.answers.tokens or '–'} |")
    ended = sum(len(row) < chosen.max_tokens for row in loop.answers.written)
    print(f"\n{ended} of {len(requests)} texts end within {chosen.max_tokens} tokens.")
    print("\n| ours / (forced + generated), target ≤ 0.5 | wall | median of chunks | CPU |\n|---|---:|---:|---:|")
    for other in (loop, batched):
        chunks = [o / (f + g) for o, f, g in zip(ours.wall, forced.wall, other.wall, strict=True)]
        wall = sum(ours.wall) / (sum(forced.wall) + sum(other.wall))
        cpu = sum(ours.cpu) / (sum(forced.cpu) + sum(other.cpu))
        print(
            f"| {other.arm.name} | **{wall:.2f}** | {statistics.median(chunks):.2f} "
            f"({min(chunks):.2f}–{max(chunks):.2f}, {len(chunks)}) | {cpu:.2f} |"
        )
    agreement(shared, requests, forced.answers, [loop, batched], ours.answers)


def agreement(
    shared: Shared, requests: Sequence[JudgeRequest], forced: Answers, others: Sequence[Timed], ours: Answers
) -> None:
    theirs, mine = shared.choices(forced.logprobs), shared.choices(ours.logprobs)
    same = sum(one == other for one, other in zip(theirs, mine, strict=True))
    # Against the first variant: the harness counts the white space at the prompt's end to the continuation.
    most = max(
        abs((a - row[0]) - (b - our[0]))
        for row, our in zip(forced.logprobs, ours.logprobs, strict=True)
        for a, b in zip(row, our, strict=True)
    )
    shown = ", ".join(repr(variant.variant) for variant in shared.variants)
    print(f"\nForced choices equal: {same} of {len(theirs)}. Log probabilities of {shown}, relative to the first:")
    print(f"largest difference {most:.1e} nats.\n")
    for other in others:
        pairs = list(zip(other.answers.texts, ours.texts, strict=True))
        apart = [index for index, (one, two) in enumerate(pairs) if one != two]
        print(f"Texts equal to ours, {other.arm.name}: {len(pairs) - len(apart)} of {len(pairs)}.")
        for index in apart:
            where = parting(shared, requests[index], written=other.answers.written[index], ours=ours.texts[index])
            print(f"  presentation {index + 1}: they part at {where}")


def _prefill_row(name: str, got: Prefill, *, on_cpu: bool) -> str:
    best = max(got.squares.values())
    cpu = f"{got.cpu_whole / got.cpu_square:.0%}, {got.cpu_whole / got.cpu_shapes:.0%}" if on_cpu else "–"
    return (
        f"| {name} | {got.tokens} | {got.tokens_per_second:.0f} "
        f"| {got.whole:.0f} | {got.passes:.0f} | **{got.whole / best:.0%}** (passes {got.passes / best:.0%}) "
        f"| {got.whole / got.shapes:.0%} (passes {got.passes / got.shapes:.0%}) | {cpu} |"
    )


def prefill(loaded: Loaded, source: Source, requests: Sequence[JudgeRequest], *, name: str, rounds: int) -> None:
    print(f"\n## Prefill, {name}\n")
    for reuse in (True, False):
        with TransformersJudge(loaded, source=source, spec=name, reuse_prefix=reuse) as judge:
            list(judge.answer(requests[:2]))
            got = measure_prefill(loaded, judge, requests, rounds=rounds)
            if reuse:
                rates = ", ".join(f"{side}³ {rate:.0f}" for side, rate in got.squares.items())
                print(f"Matrix products, GFLOP/s: squares {rates}; this model's layer {got.shapes:.0f}")
                print(f"at {judge.limits.tokens} rows. {len(requests)} presentations, best of {rounds} rounds.\n")
                print(HEAD)
            print(_prefill_row("shared" if reuse else "each by itself", got, on_cpu=loaded.model.device.type == "cpu"))
    with TransformersJudge(loaded, source=source, spec=name) as judge:
        print("\n| where the time goes (torch.profiler, self time) | share | calls |\n|---|---:|---:|")
        for what, share, calls in profile_prefill(judge, requests, top=10):
            print(f"| {what} | {share:.1%} | {calls} |", flush=True)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--chunk", type=int, default=8, help="pairs that each way answers at a time")
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--batch", type=int, default=8, help="rows of the batched generate")
    parser.add_argument("--prompt", default="single-character")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2, help="of the prefill measurement")
    parser.add_argument("--prefill-pairs", type=int, default=60)
    parser.add_argument("--large-layers", type=int, default=4, help="of the random model; 0 leaves it out")
    parser.add_argument("--only", choices=("compare", "prefill"))
    parser.add_argument("--model", help="as in transformers:MODEL; by default SmolLM2-135M from its GGUF")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--device", default="cpu")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    import torch

    try:
        import lm_eval.models.huggingface  # noqa: F401 - needs accelerate besides
    except ImportError as error:
        raise SystemExit(f"this benchmark needs {error.name}: pip install 'evenhand[bench]'") from error
    torch.set_num_threads(chosen.threads)
    for name in ("transformers", "lm_eval", "lm-eval"):
        logging.getLogger(name).setLevel(logging.ERROR)
    load_at_start = os.getloadavg()[0]
    name = chosen.model or str(model_path())
    source = find_source(name, spec=name, gguf_file=None, revision=None, local_files_only=False)
    loaded = load(source, dtype=chosen.dtype, device=chosen.device, attention="auto")
    # Some models' own settings sample; a plain greedy loop leaves them out.
    loaded.model.generation_config = type(loaded.model.generation_config)()
    kit = ", ".join(f"{key} {number}" for key, number in versions().items())
    print(f"{platform.platform()}, Python {platform.python_version()}, {kit}, {torch.get_num_threads()} threads")
    print(f"{source.model}, {loaded.dtype} on {chosen.device}; load average {load_at_start:.1f} at the start")
    if chosen.only != "prefill":
        requests = asked(chosen.pairs, prompt=chosen.prompt, most=chosen.max_tokens)
        print(
            f"\n## {chosen.pairs} starter pairs in both orders, {chosen.prompt} prompt, ≤ {chosen.max_tokens} tokens\n"
        )
        with TransformersJudge(loaded, source=source, spec=name) as judge:
            compare(Shared(loaded, judge, requests), judge, requests, chosen)
    if chosen.only != "compare":
        few = asked(chosen.prefill_pairs, prompt=chosen.prompt, most=1, generate=Generate.NEVER)
        prefill(loaded, source, few, name=source.model, rounds=chosen.rounds)
        if chosen.large_layers:
            big = larger(loaded, layers=chosen.large_layers)
            title = f"hidden 2048, intermediate 8192, {chosen.large_layers} layers, random weights"
            prefill(big, source, few[:24], name=title, rounds=max(1, chosen.rounds - 1))
    print(f"\nLoad average {os.getloadavg()[0]:.1f} at the end.")


if __name__ == "__main__":
    main()
