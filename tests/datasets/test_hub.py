"""Data sets of the hub: pinned first, read with the checks of the local files. The hub is a folder here."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import datasets
from evenhand.datasets import load as load_module
from evenhand.datasets import load_dataset, load_pairs, read_pairs
from evenhand.datasets.base import ReadsWithNotes
from evenhand.datasets.hub import DatasetsHub, HubDataset, HubTable, hub_request
from evenhand.errors import ConfigError, DataError
from evenhand.records import pairs_hash
from evenhand.workflow.chosen import choose_pairs

SHA = "0123456789abcdef0123456789abcdef01234567"
OTHER = "f" * 40


@dataclass(frozen=True)
class FolderHub:
    """Splits that ``datasets`` saved to a folder, and what was asked of them."""

    folder: Path
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def save(self, repository, split, rows):
        datasets.Dataset.from_list(rows).save_to_disk(self.folder / repository.replace("/", "--") / split)

    def resolve(self, repository, revision):
        self.asked.append(("resolve", repository, str(revision)))
        return SHA

    def rows(self, table, revision):
        self.asked.append(("rows", table.repository, table.split, revision))
        return datasets.load_from_disk(self.folder / table.repository.replace("/", "--") / table.split)


@pytest.fixture
def hub(tmp_path):
    return FolderHub(tmp_path / "hub")


def online(spec, hub):
    return replace(load_dataset(spec), hub=hub)


def judgebench_row(identity, **changes):
    return {
        "pair_id": identity,
        "original_id": None,
        "source": "math",
        "question": "1 + 1?",
        "response_model": "m",
        "response_A": "2",
        "response_B": "3",
        "label": "A>B",
    } | changes


def test_what_stands_after_hub_is_a_revision():
    assert hub_request("llmbar", "hub").revision is None
    assert hub_request("llmbar", f"hub@{SHA}").revision == SHA
    for path in (None, "", "./hub", "hub/x", "hubs", "HUB"):
        assert hub_request("llmbar", path) is None
    for rest in ("hub@", "hub@ main"):
        with pytest.raises(ConfigError, match=r"expected judgebench:hub@REVISION"):
            load_dataset(f"judgebench:{rest}")


@pytest.mark.parametrize("spec", ["judgebench:hub", "mt_bench:hub", f"llmbar:hub@{SHA}", "judgebench:hub@main"])
def test_the_spec_names_the_data_set_and_nothing_is_read_yet(spec):
    dataset = load_dataset(spec)
    assert isinstance(dataset, HubDataset)
    assert isinstance(dataset, ReadsWithNotes)
    assert dataset.spec == spec
    assert load_dataset(dataset.spec) == dataset


def test_judgebench_is_the_same_from_the_hub_as_from_its_files(hub, tmp_path):
    splits = {
        "claude": [judgebench_row("c1"), judgebench_row("c2", source="law", label="B>A", original_id="7")],
        "gpt": [judgebench_row("g1", response_model="n", question="2 + 2?"), judgebench_row("g2", source="law")],
    }
    for split, rows in splits.items():
        hub.save("ScalerLab/JudgeBench", split, rows)
        path = tmp_path / f"dataset=judgebench,response_model={split}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = online("judgebench:hub@main", hub).read()
    assert loaded.pairs == load_pairs(f"judgebench:{tmp_path}")
    assert len(loaded.pairs) == 4
    assert loaded.spec == f"judgebench:hub@{SHA}"
    assert hub.asked == [
        ("resolve", "ScalerLab/JudgeBench", "main"),
        ("rows", "ScalerLab/JudgeBench", "claude", SHA),
        ("rows", "ScalerLab/JudgeBench", "gpt", SHA),
    ]


def test_llmbar_is_the_same_from_the_hub_as_from_its_files(hub, tmp_path):
    for name in ("GPTInst", "GPTOut", "Manual", "Natural", "Neighbor"):
        rows = [{"input": f"{name} {i}", "output_1": "x", "output_2": "", "label": 1 + i % 2} for i in range(3)]
        hub.save("princeton-nlp/LLMBar", name, rows)
        (tmp_path / name).mkdir()
        (tmp_path / name / "dataset.json").write_text(json.dumps(rows))
    assert online("llmbar:hub", hub).pairs() == load_pairs(f"llmbar:{tmp_path}")


def test_llmbar_is_read_at_a_full_commit_of_the_files_that_the_hubs_script_names():
    dataset = load_dataset("llmbar:hub")
    assert len(dataset.revision) == 40
    urls = {table.split: table.url.format(revision=dataset.revision) for table in dataset.tables}
    base = f"https://raw.githubusercontent.com/princeton-nlp/LLMBar/{dataset.revision}/Dataset/LLMBar"
    assert urls["Natural"] == f"{base}/Natural/dataset.json"
    assert urls["GPTOut"] == f"{base}/Adversarial/GPTOut/dataset.json"
    with pytest.raises(ConfigError, match="llmbar:hub@main: expected a full commit"):
        load_dataset("llmbar:hub@main")


def conversation(*texts):
    return [{"content": text, "role": "assistant" if n % 2 else "user"} for n, text in enumerate(texts)]


def mt_row(a, b, turn, question=81, **changes):
    texts = {"m1": ("Q", "1a", "R", "1b"), "m2": ("Q", "2a", "R", "2b"), "m3": ("Q", "3a", "R", "3b")}
    return {
        "question_id": question,
        "model_a": a,
        "model_b": b,
        "winner": "model_a",
        "judge": "gpt4_pair",
        "conversation_a": conversation(*texts[a]),
        "conversation_b": conversation(*texts[b]),
        "turn": turn,
    } | changes


def test_mt_bench_is_the_same_from_the_hub_as_from_fastchats_files(hub, tmp_path):
    # In either order of the models, and once with the first turn's conversation alone.
    short = mt_row("m1", "m2", 1) | {"conversation_a": conversation("Q", "1a")}
    rows = [short, mt_row("m2", "m1", 2), mt_row("m3", "m1", 1), mt_row("m2", "m3", 2)]
    hub.save("lmsys/mt_bench_human_judgments", "gpt4_pair", rows)
    (tmp_path / "model_answer").mkdir()
    (tmp_path / "question.jsonl").write_text(
        json.dumps({"question_id": 81, "category": "writing", "turns": ["Q", "R"]})
    )
    for n in "123":
        row = {"question_id": 81, "model_id": f"m{n}", "choices": [{"index": 0, "turns": [f"{n}a", f"{n}b"]}]}
        (tmp_path / "model_answer" / f"{n}.jsonl").write_text(json.dumps(row))
    loaded = online("mt_bench:hub", hub).read()
    assert len(loaded.pairs) == 6
    assert loaded.pairs == load_pairs(f"mt_bench:{tmp_path}")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"conversation_b": conversation("Q")}, "field 'conversation_b': is a list, expected messages"),
        ({"conversation_b": conversation("Q", "other")}, "differs from m2's conversation on question 81 in row 1"),
        ({"conversation_b": conversation("P", "2a")}, "asks something else than other rows of question 81"),
        (
            {"conversation_b": conversation("Q", "2a")[::-1]},
            r"field 'conversation_b\[0\]': expected a text by the user",
        ),
        ({"model_b": None}, "field 'model_b': is null, expected text"),
    ],
)
def test_errors_name_data_set_split_row_and_field(hub, changes, said):
    hub.save("lmsys/mt_bench_human_judgments", "gpt4_pair", [mt_row("m1", "m2", 1), mt_row("m1", "m2", 2, **changes)])
    with pytest.raises(DataError, match=said) as caught:
        online("mt_bench:hub", hub).pairs()
    assert str(caught.value).startswith("lmsys/mt_bench_human_judgments@0123456789ab, split gpt4_pair, row 2, field ")


def test_a_bad_row_of_judgebench_is_named_too(hub):
    hub.save("ScalerLab/JudgeBench", "claude", [judgebench_row("c1")])
    hub.save("ScalerLab/JudgeBench", "gpt", [judgebench_row("g1"), judgebench_row("g2", label="A")])
    with pytest.raises(DataError, match=r"ScalerLab/JudgeBench@0123456789ab, split gpt, row 2, field 'label': is 'A'"):
        online("judgebench:hub", hub).pairs()
    hub.save("ScalerLab/JudgeBench", "gpt", [judgebench_row("c1")])
    with pytest.raises(DataError, match="'c1' is already the id of ScalerLab/JudgeBench@0123456789ab, split claude"):
        online("judgebench:hub", hub).pairs()


def test_a_run_records_the_commit(hub, monkeypatch):
    for split in ("claude", "gpt"):
        hub.save("ScalerLab/JudgeBench", split, [judgebench_row(f"{split}{i}") for i in range(3)])
    real = load_module.load_dataset
    monkeypatch.setattr(load_module, "load_dataset", lambda spec: replace(real(spec), hub=hub))
    chosen = choose_pairs("judgebench:hub", limit=4)
    assert chosen.data.spec == f"judgebench:hub@{SHA}"
    assert (chosen.data.pairs, chosen.data.sha256) == (4, pairs_hash(chosen.pairs))
    # A spec of files stays as it was written.
    monkeypatch.undo()
    assert read_pairs("starter").spec == "starter"


def test_without_the_extra_the_error_names_the_command(monkeypatch):
    for missing in ("datasets", "huggingface_hub"):
        with monkeypatch.context() as patch:
            patch.setitem(__import__("sys").modules, missing, None)
            with pytest.raises(ConfigError, match=r'needs the datasets package .*: pip install "evenhand\[hub\]"'):
                load_pairs(f"judgebench:hub@{SHA}")


def test_offline_is_one_clear_line(monkeypatch):
    import huggingface_hub.constants

    # No request is made: the library refuses by itself.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DataError) as caught:
        load_pairs("judgebench:hub")
    text = str(caught.value)
    assert text.startswith("judgebench:hub can't be read from the hub (OfflineModeIsEnabled: ")
    assert text.endswith("offline, get its files and write judgebench:PATH)")
    assert "\n" not in text


def test_a_failure_of_any_kind_is_a_data_error(hub):
    class Broken(FolderHub):
        def rows(self, _table, _revision):
            raise RuntimeError("half\nof it")

    with pytest.raises(DataError, match=r"judgebench:hub@0123.* can't be read from the hub \(RuntimeError: half\)"):
        online("judgebench:hub", Broken(hub.folder)).pairs()


def test_a_full_commit_is_not_asked_for():
    assert DatasetsHub().resolve("any/where", OTHER) == OTHER


def test_json_files_elsewhere_are_read_through_datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    rows = [{"input": "Q", "output_1": "x", "output_2": "y", "label": 1}]
    (tmp_path / f"{SHA}.json").write_text(json.dumps(rows))
    table = HubTable(repository="a/b", split="Natural", url=f"{tmp_path}/{{revision}}.json")
    assert list(DatasetsHub().rows(table, SHA)) == rows
