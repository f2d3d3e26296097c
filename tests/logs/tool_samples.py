"""Small records of the tools' own formats: the shapes are the tools', the texts are ours."""

from typing import Any

PAIRS = (
    ("p1", "Name a prime.", "Seven.", "Nine."),
    ("p2", "What is 2 + 2?", "Four.", "Five."),
    ("p3", "Name a colour.", "Red.", "Loud."),
)


def pairwise_prompt(question: str, first: str, second: str) -> str:
    """Write the user part of MT-bench's ``pair-v2``."""
    answers = "".join(
        f"\n\n[The Start of Assistant {side}'s Answer]\n{text}\n[The End of Assistant {side}'s Answer]"
        for side, text in (("A", first), ("B", second))
    )
    return f"[User Question]\n{question}{answers}"


def talk_prompt(questions: tuple[str, str], first: tuple[str, str], second: tuple[str, str]) -> str:
    """Write the user part of MT-bench's ``pair-v2-multi-turn``."""
    blocks = []
    for side, answers in (("A", first), ("B", second)):
        turns = "\n\n".join(
            f"### User:\n{question}\n\n### Assistant {side}:\n{answer}"
            for question, answer in zip(questions, answers, strict=True)
        )
        name = f"Assistant {side}'s Conversation with User|>"
        blocks.append(f"<|The Start of {name}\n\n{turns}\n\n<|The End of {name}")
    return "\n\n\n".join(blocks)


def mt_bench_row(
    number: int, g1: str, g2: str, *, turn: int = 1, models: tuple[str, str] = ("one", "two"), prompt: str = "pair-v2"
) -> dict[str, Any]:
    question, a, b = f"Question {number}", f"{models[0]} says {number}", f"{models[1]} says {number}"
    letters = {1: {"model_1": "[[A]]", "model_2": "[[B]]"}, 2: {"model_1": "[[B]]", "model_2": "[[A]]"}}
    more = {"tie": "[[C]]", "error": "Both are fine."}
    prompts = (
        (pairwise_prompt(question, a, b), pairwise_prompt(question, b, a))
        if turn == 1
        else (
            talk_prompt((question, "And now?"), (a, "a2"), (b, "b2")),
            talk_prompt((question, "And now?"), (b, "b2"), (a, "a2")),
        )
    )
    return {
        "question_id": number,
        "model_1": models[0],
        "model_2": models[1],
        "g1_winner": g1,
        "g2_winner": g2,
        "judge": ["judge-1", prompt],
        "g1_user_prompt": prompts[0],
        "g1_judgment": {**letters[1], **more}[g1],
        "g2_user_prompt": prompts[1],
        "g2_judgment": {**letters[2], **more}[g2],
        "turn": turn,
        "tstamp": 1.5,
    }


def mt_bench_rows() -> list[dict[str, Any]]:
    return [
        mt_bench_row(81, "model_1", "model_1"),
        mt_bench_row(82, "model_1", "model_2"),
        mt_bench_row(83, "tie", "model_2"),
        mt_bench_row(84, "error", "model_2"),
        mt_bench_row(81, "model_2", "model_2", turn=2, prompt="pair-v2-multi-turn"),
    ]


def grade_row(number: int, model: str, score: float) -> dict[str, Any]:
    prompt = (
        f"[Instruction]\nRate it.\n\n[Question]\nQuestion {number}\n\n[The Start of Assistant's Answer]\n"
        f"{model} says {number}\n[The End of Assistant's Answer]"
    )
    return {
        "question_id": number,
        "model": model,
        "judge": ["judge-1", "single-v1"],
        "user_prompt": prompt,
        "judgment": f"Rating: [[{score}]]",
        "score": score,
        "turn": 1,
        "tstamp": 1.5,
    }


def arena_prompt(question: str, first: str, second: str) -> str:
    answers = "\n\n".join(
        f"<|The Start of Assistant {side}'s Answer|>\n{text}\n<|The End of Assistant {side}'s Answer|>"
        for side, text in (("A", first), ("B", second))
    )
    return f"<|User Prompt|>\n{question}\n\n{answers}"


def arena_row(number: int, first: str | None, second: str | None, *, model: str = "model-1") -> dict[str, Any]:
    """Write a row of v0.1: game 1 shows the baseline as A, game 2 the model."""
    question, baseline, answer = f"Question {number}", f"baseline {number}", f"{model} {number}"
    shown = ((baseline, answer), (answer, baseline))
    return {
        "question_id": f"q{number}",
        "model": model,
        "judge": "judge-1",
        "games": [
            {
                "user_prompt": arena_prompt(question, *texts),
                "judgment": f"\nMy final verdict is: [[{score}]]" if score else "\nI can't say.",
                "score": score,
            }
            for texts, score in zip(shown, (first, second), strict=True)
        ],
    }


def arena_v2_row(number: int, first: str | None, second: str | None, *, model: str = "model-1") -> dict[str, Any]:
    old = arena_row(number, first, second, model=model)
    return {
        "uid": f"q{number}",
        "category": "hard_prompt",
        "judge": "judge-1",
        "model": model,
        "baseline": "base-1",
        "games": [
            {
                "score": game["score"],
                "judgment": {"answer": game["judgment"]},
                "prompt": [
                    {"role": "system", "content": "Judge."},
                    {"role": "user", "content": game["user_prompt"]},
                ],
            }
            for game in old["games"]
        ],
    }


def arena_rows() -> list[dict[str, Any]]:
    return [
        arena_row(0, "A>B", "B>A"),
        arena_row(1, "A>>B", "A>B"),
        arena_row(2, "A=B", "B>>A"),
        arena_row(3, None, "B>A"),
        arena_row(0, "B>A", "A>B", model="model-2"),
    ]


def lm_eval_row(number: int, order: str, a: float, b: float, *, greedy: str = "") -> dict[str, Any]:
    """Write a multiple-choice sample with the log-likelihoods of `` A`` and `` B``."""
    pair, question, good, bad = PAIRS[number]
    first, second = (good, bad) if order == "AB" else (bad, good)
    context = f"Which is better? {question}\n[A] {first}\n[B] {second}\nThe better one is"
    answers = [[str(a), str(greedy == "A")], [str(b), str(greedy == "B")]]
    return {
        "doc_id": number,
        "doc": {
            "pair_id": pair,
            "order": order,
            "question": question,
            "first_response": first,
            "second_response": second,
        },
        "target": "0" if order == "AB" else "1",
        "arguments": {f"gen_args_{i}": {"arg_0": context, "arg_1": f" {label}"} for i, label in enumerate("AB")},
        "resps": [[answer] for answer in answers],
        "filtered_resps": answers,
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
        "acc": 1.0,
    }


def lm_eval_rows() -> list[dict[str, Any]]:
    return [
        lm_eval_row(0, "AB", -0.25, -2.5, greedy="A"),
        lm_eval_row(0, "BA", -1.5, -0.5, greedy="B"),
        lm_eval_row(1, "AB", -0.1, -3.0, greedy="A"),
        lm_eval_row(1, "BA", -0.2, -4.0, greedy="A"),
        lm_eval_row(2, "AB", -5.0, -6.0),
        lm_eval_row(2, "BA", -5.0, -5.5),
    ]


def lm_eval_text_row(number: int, order: str, text: str, taken: str) -> dict[str, Any]:
    row = lm_eval_row(number, order, 0.0, 0.0)
    return {
        **row,
        "target": "A" if order == "AB" else "B",
        "arguments": {"gen_args_0": {"arg_0": "Which?", "arg_1": {"until": ["\n\n"]}}},
        "resps": [[text]],
        "filtered_resps": [taken],
        "filter": "brackets",
    }


def inspect_sample(number: int, order: str, text: str, answer: str | None, *, epoch: int = 1) -> dict[str, Any]:
    pair, question, good, bad = PAIRS[number]
    score = {"value": "C" if answer else "I", "explanation": text}
    return {
        "id": f"{pair}-{order}",
        "epoch": epoch,
        "input": f"Which is better? {question}",
        "target": "A" if order == "AB" else "B",
        "messages": [],
        "output": {
            "model": "judge-1",
            "choices": [{"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}],
            "completion": text,
        },
        "scores": {"pattern": score if answer is None else {**score, "answer": answer}},
        "metadata": {
            "pair_id": pair,
            "order": order,
            "instruction": question,
            "response_a": good,
            "response_b": bad,
            "source": "ours",
        },
        "store": {},
    }


def inspect_samples() -> list[dict[str, Any]]:
    return [
        inspect_sample(0, "AB", "The first. [[A]]", "A"),
        inspect_sample(0, "BA", "The second. [[B]]", "B"),
        inspect_sample(1, "AB", "[[A]]", "A"),
        inspect_sample(1, "BA", "[[A]]", "A"),
        inspect_sample(2, "AB", "I can't say.", None),
        inspect_sample(2, "BA", "[[B]]", "B"),
    ]


def inspect_object(samples: list[Any]) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "which_is_better", "model": "judge-1", "created": "2026-11-30T00:00:00+00:00"},
        "plan": {},
        "samples": samples,
    }


def promptfoo_rows() -> list[dict[str, Any]]:
    """Write a judge under test; the answers lie in ``vars`` by slot."""
    return [
        {
            "testIdx": 2 * number + index,
            "promptIdx": 0,
            "promptId": "x",
            "prompt": {"raw": "Which?", "label": "Which?"},
            "provider": {"id": "judge-1", "label": ""},
            "response": {"output": f"The first. [[{'A' if number else 'AB'[index]}]]"},
            "vars": {
                "pair_id": PAIRS[number][0],
                "order": order,
                "question": PAIRS[number][1],
                "answer_a": PAIRS[number][2 + index],
                "answer_b": PAIRS[number][3 - index],
                "preference": "AB"[index] if number else "A",
            },
            "success": True,
            "score": 1,
            "failureReason": 0,
            "testCase": {"assert": [{"type": "contains", "value": "[["}]},
        }
        for number in (0, 1)
        for index, order in enumerate(("AB", "BA"))
    ]


def promptfoo_object(rows: list[Any]) -> dict[str, Any]:
    return {"evalId": "e", "results": {"version": 3, "results": rows, "prompts": [], "stats": {}}, "config": {}}


def select_best_rows(
    number: int, passed: tuple[bool, bool], *, reason: str = "Output not selected: clearer"
) -> list[Any]:
    return [
        {
            "testIdx": number,
            "promptIdx": index,
            "prompt": {"raw": "x", "label": f"prompt {index}"},
            "provider": {"id": "writer", "label": ""},
            "response": {"output": PAIRS[number][2 + index]},
            "vars": {"question": PAIRS[number][1]},
            "gradingResult": {
                "pass": one,
                "score": 0,
                "reason": reason,
                "componentResults": [
                    {
                        "pass": one,
                        "score": int(one),
                        "reason": "Output selected as the best: clearer" if one else reason,
                        "assertion": {"type": "select-best", "value": "clearer"},
                    }
                ],
            },
            "testCase": {"assert": [{"type": "select-best", "value": "clearer"}]},
        }
        for index, one in enumerate(passed)
    ]


def deepeval_rows() -> list[dict[str, Any]]:
    return [
        {
            "name": f"{PAIRS[number][0]}-{order}",
            "input": "Which is better?",
            "actualOutput": f"[[{'A' if number else 'AB'[index]}]]",
            "success": True,
            "metricsData": [{"name": "Verdict", "score": 1.0, "success": True}],
            "order": 2 * number + index,
            "metadata": {
                "pair_id": PAIRS[number][0],
                "order": order,
                "instruction": PAIRS[number][1],
                "response_a": PAIRS[number][2],
                "response_b": PAIRS[number][3],
                "outcome": "AB"[index] if not number else "A",
            },
        }
        for number in (0, 1)
        for index, order in enumerate(("AB", "BA"))
    ]


def deepeval_object(rows: list[Any]) -> dict[str, Any]:
    return {"testCases": rows, "conversationalTestCases": [], "metricsScores": [], "testPassed": 1, "testFailed": 0}


def rewardbench_row(number: int, result: float, *, shuffled: bool | None = False) -> dict[str, Any]:
    _, question, good, bad = PAIRS[number % 3]
    row = {
        "id": number,
        "subset": "ours",
        "results": result,
        "text_chosen": [{"role": "user", "content": question}, {"role": "assistant", "content": good}],
        "text_rejected": [{"role": "user", "content": question}, {"role": "assistant", "content": bad}],
        "model": "judge-1",
        "model_type": "Generative RM",
    }
    return row if shuffled is None else {**row, "is_shuffled": shuffled}


def rewardbench_rows() -> list[dict[str, Any]]:
    return [rewardbench_row(0, 1), rewardbench_row(1, 0, shuffled=True), rewardbench_row(2, 0.5), rewardbench_row(3, 1)]


def trace_rows() -> list[dict[str, Any]]:
    return [
        {
            "inputs.pair_id": PAIRS[number][0],
            "metadata.order": order,
            "inputs.question": PAIRS[number][1],
            "inputs.response_a": PAIRS[number][2],
            "inputs.response_b": PAIRS[number][3],
            "outputs.output": f"I choose [[{'A' if number else 'AB'[index]}]].",
            "feedback.preference": "A" if not number else "AB"[index],
            "metadata.judge_model": "judge-1",
        }
        for number in (0, 1, 2)
        for index, order in enumerate(("AB", "BA"))
    ]
