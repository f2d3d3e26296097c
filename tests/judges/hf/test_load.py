"""What is loaded, what is refused, and how a model is pinned."""

import json
import shutil

import pytest
import torch

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.hf.load import find_source, load, versions
from evenhand.records import file_sha256
from judges.tiny_models import GEMMA2, LLAMA3, loaded, save


def source_of(rest, **settings):
    settings = {"gguf_file": None, "revision": None, "local_files_only": True} | settings
    return find_source(str(rest), spec=f"transformers:{rest}", **settings)


def test_a_folder_a_file_and_a_hub_name_are_told_apart(tmp_path, tiny):
    folder = source_of(tiny(LLAMA3))
    assert (folder.folder, folder.gguf, folder.model) == (tiny(LLAMA3), None, tiny(LLAMA3).name)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    assert (source_of(file).folder, source_of(file).gguf, source_of(file).model) == (tmp_path, "m.gguf", "m.gguf")
    hub = source_of("Qwen/Qwen3-8B", revision="main")
    assert (hub.folder, hub.name, hub.model, hub.revision) == (None, "Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "main")


@pytest.mark.parametrize(
    ("rest", "settings", "said"),
    [
        ("/no/such/file.gguf", {}, "no such file"),
        ("/no/such/folder", {}, "no folder with a model"),
        ("./none", {}, "no folder with a model"),
        ("a/b/c", {}, "no folder with a model"),
    ],
)
def test_places_that_are_not_there(rest, settings, said):
    with pytest.raises(ConfigError, match=said):
        source_of(rest, **settings)


def test_a_folder_must_hold_a_model_as_safetensors(tmp_path, tiny):
    with pytest.raises(ConfigError, match=r"no config\.json"):
        source_of(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match="has no weights"):
        source_of(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"only pytorch_model\.bin, which can run code.*safetensors"):
        source_of(tmp_path)
    with pytest.raises(ConfigError, match=r"gguf_file='x\.gguf': no such file"):
        source_of(tmp_path, gguf_file="x.gguf")
    with pytest.raises(ConfigError, match="revision='v1' is for hub models"):
        source_of(tiny(LLAMA3), revision="v1")


def test_a_local_model_is_pinned_by_all_that_can_change_it(tmp_path, tiny):
    _, model = loaded(tiny(LLAMA3))
    assert model.revision.startswith("sha256:")
    copy = tmp_path / "copy"
    shutil.copytree(tiny(LLAMA3), copy)
    assert loaded(copy)[1].revision == model.revision
    other = save(LLAMA3, tmp_path / "other", seed=1)
    assert loaded(other)[1].revision != model.revision
    config = json.loads((copy / "generation_config.json").read_text()) | {"eos_token_id": [1, 2]}
    (copy / "generation_config.json").write_text(json.dumps(config))
    changed = load(source_of(copy), dtype="auto", device="auto", attention="auto")
    assert changed.revision != model.revision
    assert {1, 2} <= changed.generation_ends
    assert (model.dtype, str(model.model.device), model.attention) == ("float32", "cpu", "sdpa")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_on_request(tiny, dtype):
    model = load(source_of(tiny(LLAMA3)), dtype=dtype, device="cpu", attention="auto")
    assert model.dtype == dtype
    assert {parameter.dtype for parameter in model.model.parameters()} == {getattr(torch, dtype)}
    assert not any(parameter.requires_grad for parameter in model.model.parameters())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"device": "abacus"}, "expected auto, cpu"),
        ({"device": "meta"}, "expected auto, cpu"),
        ({"device": "cuda:99"}, "this machine has none"),
        ({"dtype": "int8"}, "expected auto, float32"),
    ],
)
def test_devices_and_types_that_are_not_there(tiny, settings, said):
    settings = {"dtype": "auto", "device": "cpu", "attention": "auto"} | settings
    with pytest.raises(ConfigError, match=said):
        load(source_of(tiny(LLAMA3)), **settings)


def test_capped_attention_is_computed_eagerly(tiny):
    assert loaded(tiny(GEMMA2))[1].attention == "eager"
    with pytest.raises(ConfigError, match="cap on attention scores"):
        load(source_of(tiny(GEMMA2)), dtype="auto", device="cpu", attention="sdpa")


def test_a_model_with_code_of_its_own_is_not_run(tmp_path, tiny):
    folder = tmp_path / "own"
    shutil.copytree(tiny(LLAMA3), folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Config: pass\nclass Model: pass\n")
    with pytest.raises(ConfigError, match="code of its own"):
        load(source_of(folder), dtype="auto", device="cpu", attention="auto")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("name", "content"), [("model.safetensors", b"\0" * 64), ("tokenizer.json", b"{")])
def test_damaged_files_are_one_line(tmp_path, tiny, name, content):
    folder = tmp_path / "damaged"
    shutil.copytree(tiny(LLAMA3), folder)
    (folder / name).write_bytes(content)
    with pytest.raises((JudgeError, ConfigError), match=r"model damaged can't be loaded: \S") as caught:
        load(source_of(folder), dtype="auto", device="cpu", attention="auto")
    assert "\n" not in str(caught.value)


def test_a_hub_model_that_is_not_cached_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(JudgeError, match="nobody/nothing can't be loaded") as caught:
        load(source_of("nobody/nothing"), dtype="auto", device="cpu", attention="auto")
    assert caught.value.retryable


def test_versions_name_what_computes():
    assert list(versions()) == ["torch", "transformers", "tokenizers"]
    assert versions()["torch"].startswith("2.")


@pytest.mark.engine
def test_a_gguf_file_is_pinned_by_its_own_hash(smollm2):
    assert source_of(smollm2).gguf == smollm2.name
    assert file_sha256(smollm2).startswith("b179c952")
