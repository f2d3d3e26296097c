"""Small files of every log format, written for these tests: the shapes are the formats' own, the texts are ours."""

import csv
import json
import math
from pathlib import Path
from typing import Any

from evenhand.logs.alpaca_eval import seeded_order
from evenhand.records import Order
from logs.tool_samples import (
    arena_rows,
    deepeval_object,
    deepeval_rows,
    inspect_object,
    inspect_samples,
    lm_eval_rows,
    mt_bench_rows,
    promptfoo_object,
    promptfoo_rows,
    rewardbench_rows,
    trace_rows,
)

FORMATS = (
    "alpaca_eval",
    "arena_hard",
    "deepeval",
    "inspect",
    "judgebench",
    "llmbar",
    "lm_eval",
    "mt_bench_judgments",
    "promptfoo",
    "rewardbench",
    "table",
    "trace_csv",
)


def llmbar_answer(text: str, winner: str | None, finish: str = "stop") -> dict[str, Any]:
    return {"completion": [text, finish], "winner": winner}


def llmbar_row(number: int, false: str | None, true: str | None, label: int = 1) -> dict[str, Any]:
    slot = {"1": "Output (a)", "2": "Output (b)", None: "Both are good."}
    swapped = {"1": "2", "2": "1", None: None}
    return {
        "input": f"Question {number}",
        "output_1": f"good {number}",
        "output_2": f"bad {number}",
        "label": label,
        "results": [
            {
                "swap = False": llmbar_answer(slot[false], false),
                "swap = True": llmbar_answer(slot[swapped[true]], true),
            }
        ],
    }


def llmbar_rows() -> list[dict[str, Any]]:
    return [
        llmbar_row(0, "1", "1"),
        llmbar_row(1, "1", "2"),
        llmbar_row(2, "2", "2", label=2),
        llmbar_row(3, None, None),
        llmbar_row(4, None, "2"),
    ]


def judgebench_game(decision: str | None, text: str | None = None) -> dict[str, Any]:
    response = text if text is not None else f"\nMy final verdict is: [[{decision}]]"
    return {
        "judgment": {"judge_model": "judge-1", "prompt": "Which is better?", "response": response},
        "decision": decision,
    }


def judgebench_row(number: int, first: str | None, second: str | None, label: str = "A>B") -> dict[str, Any]:
    return {
        "pair_id": f"pair-{number}",
        "original_id": number,
        "source": "arithmetic",
        "question": f"Question {number}",
        "response_model": "model-1",
        "response_A": f"good {number}",
        "response_B": f"bad {number}",
        "label": label,
        "judge_name": "arena_hard",
        "judgments": [judgebench_game(first), judgebench_game(second)],
    }


def judgebench_rows() -> list[dict[str, Any]]:
    return [
        judgebench_row(0, "A>B", "B>A"),
        judgebench_row(1, "A>B", "A>B"),
        judgebench_row(2, "A=B", "A>B"),
        judgebench_row(3, None, "B>A"),
        judgebench_row(4, "B>A", "B>A", label="B>A"),
    ]


def alpaca_row(number: int, odds: float, order: Order | None = None, **others: float) -> dict[str, Any]:
    """Write a row whose judge gave the first slot log odds ``odds``, in the order of AlpacaEval's seeded shuffle."""
    instruction = f"Question {number}"
    first = -math.log1p(math.exp(-odds)) - 0.001
    top = {"m": first, "M": first - odds, "The": -12.0, **others}
    order = order or seeded_order(instruction)
    share = 1 / (1 + math.exp(-odds))
    ranked = sorted(top.items(), key=lambda item: -item[1])
    return {
        "instruction": instruction,
        "output_1": f"reference {number}",
        "output_2": f"candidate {number}",
        "generator_1": "reference-model",
        "generator_2": "candidate-model",
        "dataset": "set-1",
        "annotator": "weighted",
        "preference": round(2 - share if order is Order.AB else 1 + share, 10),
        "raw_completion": {
            "finish_reason": "length",
            "text": ranked[0][0],
            "logprobs": {"content": [{"top_logprobs": [{"token": t, "logprob": p} for t, p in ranked]}]},
        },
    }


def alpaca_rows() -> list[dict[str, Any]]:
    return [alpaca_row(number, odds) for number, odds in enumerate([3.0, -2.0, 0.5, -6.0, 1.25, -0.75])]


def table_rows() -> list[dict[str, Any]]:
    shared = {"instruction": "Question", "response_a": "good", "response_b": "bad", "gold": "A"}
    return [
        {"pair_id": "p1", "order": "AB", "text": "The answer is A", "outcome": "first", "source": "s", **shared},
        {"pair_id": "p1", "order": "BA", "text": "The answer is B", "outcome": "second", "source": "s", **shared},
        {"pair_id": "p2", "order": "AB", "text": "I can't say.", "outcome": "unparsed", "source": "s", **shared},
        {"pair_id": "p2", "order": "BA", "text": "", "outcome": "error", "source": "s", **shared},
    ]


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


ROWS = {
    "alpaca_eval": alpaca_rows,
    "arena_hard": arena_rows,
    "deepeval": deepeval_rows,
    "inspect": inspect_samples,
    "judgebench": judgebench_rows,
    "llmbar": llmbar_rows,
    "lm_eval": lm_eval_rows,
    "mt_bench_judgments": mt_bench_rows,
    "promptfoo": promptfoo_rows,
    "rewardbench": rewardbench_rows,
    "table": table_rows,
    "trace_csv": trace_rows,
}
"""Records of each format: elements, lines, or what lies inside its object."""

OBJECTS = {"deepeval": deepeval_object, "inspect": inspect_object, "promptfoo": promptfoo_object}
"""How the records of a format that is one object are wrapped."""

LINES = ("arena_hard", "judgebench", "lm_eval", "mt_bench_judgments", "table", "trace_csv")


def suffix(log_format: str) -> str:
    return ".jsonl" if log_format in LINES else ".json"


def write_rows(log_format: str, path: Path, rows: list[Any]) -> Path:
    """Write records in a format's plainest form."""
    if log_format in LINES:
        return write_lines(path, rows)
    return write_json(path, OBJECTS[log_format](rows) if log_format in OBJECTS else rows)


def write_sample(log_format: str, folder: Path) -> Path:
    match log_format:
        case "llmbar":
            return write_json(folder / "Natural" / "judge-1" / "Vanilla" / "result.json", llmbar_rows())
        case "judgebench":
            return write_lines(folder / "outputs.jsonl", judgebench_rows())
        case "alpaca_eval":
            return write_json(folder / "annotations.json", alpaca_rows())
        case "table":
            return write_csv(folder / "verdicts.csv", table_rows())
        case "trace_csv":
            return write_csv(folder / "runs.csv", trace_rows())
        case _:
            return write_rows(log_format, folder / f"log{suffix(log_format)}", ROWS[log_format]())
