"""One suite over every registered data set: what the rest of the package relies on."""

import json

import pytest

from evenhand.datasets import Dataset, load_dataset, load_pairs
from evenhand.records import Pair, Preference, pairs_hash
from evenhand.registry import BUILT_IN, resolve


def _llmbar(folder):
    for name in ("Natural", "Manual"):
        (folder / name).mkdir()
        rows = [{"input": f"{name} {i}", "output_1": "x\n", "output_2": "", "label": 1 + i % 2} for i in range(3)]
        (folder / name / "dataset.json").write_text(json.dumps(rows))
    return f"llmbar:{folder}"


def _judgebench(folder):
    for model in ("m1", "m2"):
        rows = [
            {
                "pair_id": f"{model}-{i}",
                "original_id": None,
                "source": f"s{i % 2}",
                "question": f"Question {i}",
                "response_model": model,
                "response_A": "x",
                "response_B": "y",
                "label": ("A>B", "B>A", "A=B")[i],
            }
            for i in range(3)
        ]
        path = folder / f"dataset=judgebench,response_model={model}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"judgebench:{folder}"


def _table(folder):
    path = folder / "pairs.csv"
    path.write_text("instruction,response_a,response_b,gold,why\nOne?,1,2,A,so\nTwo?,1,2,tie,\nThree?,1,,,\n")
    return str(path)


def _starter(folder):
    return "starter"


def _adversarial(folder):
    return "adversarial"


def _mt_bench(folder):
    (folder / "model_answer").mkdir()
    questions = [{"question_id": i, "category": f"c{i % 2}", "turns": [f"One {i}?", f"Two {i}?"]} for i in range(2)]
    (folder / "question.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    for model in ("m1", "m2", "m3"):
        turns = [f"{model} one", f"{model} two"]
        rows = [{"question_id": i, "model_id": model, "choices": [{"index": 0, "turns": turns}]} for i in range(2)]
        (folder / "model_answer" / f"{model}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"mt_bench:{folder}"


SPECS = {
    "starter": _starter,
    "adversarial": _adversarial,
    "llmbar": _llmbar,
    "judgebench": _judgebench,
    "table": _table,
    "mt_bench": _mt_bench,
}


@pytest.fixture(params=sorted(SPECS))
def spec(request, tmp_path):
    return SPECS[request.param](tmp_path)


def test_every_built_in_data_set_is_here():
    assert set(SPECS) == set(BUILT_IN["datasets"])


def test_it_is_a_dataset_of_the_registered_class_that_gives_its_spec_back(spec):
    dataset = load_dataset(spec)
    assert isinstance(dataset, Dataset)
    assert dataset.spec == spec
    built_in = ("llmbar:", "judgebench:", "mt_bench:", "starter", "adversarial")
    name = spec.partition(":")[0] if spec.startswith(built_in) else "table"
    assert type(dataset) is resolve("datasets", name)
    assert load_dataset(dataset.spec) == dataset


def test_pairs_are_whole(spec):
    pairs = load_pairs(spec)
    assert isinstance(pairs, tuple)
    assert len(pairs) > 2
    assert len({pair.id for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert type(pair) is Pair
        for text in (pair.id, pair.instruction, pair.response_a, pair.response_b, pair.source, pair.group):
            assert type(text) is str
        assert pair.id
        assert pair.group
        assert pair.gold is None or type(pair.gold) is Preference
        assert all(author is None or (type(author) is str and author) for author in (pair.author_a, pair.author_b))
        assert all(type(name) is str and type(value) is str for name, value in pair.metadata)


def test_reading_twice_gives_the_same(spec):
    first, second = load_pairs(spec), load_pairs(spec)
    assert first == second
    assert pairs_hash(first) == pairs_hash(second[::-1])


def test_the_same_question_is_the_same_group(spec):
    groups = {}
    for pair in load_pairs(spec):
        assert groups.setdefault(pair.instruction, pair.group) == pair.group


@pytest.mark.parametrize("limit", [1, 2, 10_000])
def test_a_limit_is_a_prefix(spec, limit):
    assert load_pairs(spec, limit=limit) == load_pairs(spec)[:limit]


def test_the_starter_pairs_have_not_changed():
    # Figures in the documentation were measured on these very pairs: on a change, measure them again.
    assert pairs_hash(load_pairs("starter")) == "dc8f6072e6a9bfee4ef96ec6aff72fe7347865782d1faa0387bf40f6dbf987e2"
