"""Our side of the seam to vLLM with stand-ins, and its names against vLLM's own signatures wherever they can be read.

The signatures need vLLM's source and the small libraries it imports, no GPU. Where that is missing the checks are
skipped with the reason; docs/decisions/0008-ray-and-vllm.md says when they last ran.
"""

import inspect
import sys
import types

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.hf.load import Source
from evenhand.judges.vllm.course import Pass
from evenhand.judges.vllm.engine import (
    EngineSettings,
    VllmEngine,
    engine_arguments,
    import_vllm,
    load_tokenizer,
    read_output,
    sampling_arguments,
    settings_texts,
)
from judges.tiny_models import QWEN3, save
from judges.vllm.stand_in import Logprob, request_output

SOURCE = Source(name="Qwen/Qwen3-8B", revision="abc")
ASKED = Pass(prompt=(1, 2), max_tokens=3, logprob_ids=(5, 6), allowed=(7,))


def test_a_finished_output():
    got = read_output(
        request_output("k", [5, 9], logprobs=[{5: Logprob(-0.5), 6: Logprob(-3.0)}, {9: Logprob(-1.0)}], cached=16)
    )
    assert (got.tokens, got.stopped, got.first, got.cached, got.error) == ((5, 9), False, {5: -0.5, 6: -3.0}, 16, None)
    assert read_output(request_output("k", [5], finish="stop")).stopped
    assert read_output(request_output("k", [5])).first == {}


@pytest.mark.parametrize("finish", ["abort", "error", "repetition", None])
def test_one_that_ended_otherwise(finish):
    got = read_output(request_output("k", [5], finish=finish))
    assert repr(finish) in got.error
    assert got.tokens == ()


def test_what_is_not_set_is_left_to_vllm():
    given = engine_arguments(SOURCE, EngineSettings())
    assert not {"gpu_memory_utilization", "max_model_len", "quantization"} & given.keys()
    assert given["trust_remote_code"] is False
    assert given["load_format"] == "safetensors"
    full = engine_arguments(SOURCE, EngineSettings(max_model_len=512, gpu_memory_utilization=0.5, quantization="fp8"))
    assert (full["max_model_len"], full["gpu_memory_utilization"], full["quantization"]) == (512, 0.5, "fp8")


def test_every_pass_is_greedy():
    given = sampling_arguments(ASKED, ends=(9, 8))
    assert (given["temperature"], given["max_tokens"], given["stop_token_ids"]) == (0.0, 3, [8, 9])
    assert (given["logprob_token_ids"], given["allowed_token_ids"]) == ([5, 6], [7])
    plain = sampling_arguments(Pass(prompt=(1,), max_tokens=3), ends=())
    assert plain["logprob_token_ids"] is plain["allowed_token_ids"] is None


def test_settings_in_the_identity():
    assert settings_texts(EngineSettings(quantization="fp8", enforce_eager=True)) == {
        "tensor_parallel_size": "1",
        "quantization": "fp8",
        "cuda_graphs": "off",
        "seed": "0",
    }


def fake_vllm(monkeypatch, llm):
    """A module of that name with no more than we touch."""
    made = types.ModuleType("vllm")
    made.__version__ = "0.0"
    made.LLM, made.SamplingParams = llm, lambda **given: given
    params, inputs = types.ModuleType("vllm.sampling_params"), types.ModuleType("vllm.inputs")
    params.RequestOutputKind = types.SimpleNamespace(FINAL_ONLY="final")
    inputs.tokens_input = lambda ids: {"type": "token", "prompt_token_ids": ids}
    for module in (made, params, inputs):
        monkeypatch.setitem(sys.modules, module.__name__, module)


class Core:
    """``LLMEngine`` as far as we call it."""

    def __init__(self):
        self.added, self.aborted, self.shut = {}, [], 0
        self.engine_core = types.SimpleNamespace(shutdown=self._shutdown)
        self.fails = False

    def _shutdown(self):
        self.shut += 1

    def add_request(self, request_id, prompt, params):
        self.added[request_id] = (prompt, params)

    def step(self):
        if self.fails:
            raise RuntimeError("CUDA error:\n out of memory")
        unfinished = request_output("b", [])
        unfinished.finished = False
        return [request_output("a", [5]), unfinished]

    def abort_request(self, request_ids):
        self.aborted += request_ids


def test_the_engine_is_driven_step_by_step(monkeypatch):
    core = Core()
    config = types.SimpleNamespace(max_model_len=512, dtype="torch.bfloat16", hf_config=types.SimpleNamespace())
    fake_vllm(monkeypatch, lambda **given: types.SimpleNamespace(llm_engine=core, model_config=config))
    engine = VllmEngine(SOURCE, settings=EngineSettings(), ends=(8,))
    assert (engine.n_ctx, engine.dtype, engine.revision, engine.name) == (512, "bfloat16", "abc", "vllm 0.0")
    engine.submit("a", ASKED)
    prompt, params = core.added["a"]
    assert prompt == {"type": "token", "prompt_token_ids": [1, 2]}
    assert (params["output_kind"], params["stop_token_ids"]) == ("final", [8])
    [(key, passed)] = engine.step()
    assert (key, passed.tokens) == ("a", (5,))
    engine.abort(["b"])
    assert core.aborted == ["b"]
    core.fails = True
    with pytest.raises(JudgeError, match="CUDA error: out of memory"):
        engine.step()
    engine.close()
    engine.close()
    assert core.shut == 1


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (TypeError("unexpected keyword"), ConfigError, "takes other settings"),
        (RuntimeError("no GPU"), JudgeError, "can't load Qwen/Qwen3-8B: no GPU"),
    ],
)
def test_what_goes_wrong_at_the_start(monkeypatch, raised, kind, text):
    def llm(**given):
        raise raised

    fake_vllm(monkeypatch, llm)
    with pytest.raises(kind, match=text):
        VllmEngine(SOURCE, settings=EngineSettings(), ends=())


def test_the_tokenizer_of_a_folder(tmp_path):
    save(QWEN3, tmp_path)
    assert load_tokenizer(Source(name=str(tmp_path), folder=tmp_path)).eos_token == QWEN3.eos
    with pytest.raises(JudgeError, match="can't load the tokenizer"):
        load_tokenizer(Source(name=str(tmp_path / "none"), local_files_only=True))


def test_without_vllm(monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ConfigError, match=r"evenhand\[vllm\]"):
        import_vllm()


def real(name):
    return pytest.importorskip(
        name, reason=f"{name} can't be imported here: vllm is not installed", exc_type=ImportError
    )


def test_sampling_parameters_are_those_of_the_real_class():
    module = real("vllm.sampling_params")
    kind = module.RequestOutputKind.FINAL_ONLY
    made = module.SamplingParams(**sampling_arguments(ASKED, ends=(8, 9)), output_kind=kind)
    assert (made.max_tokens, made.temperature, made.logprob_token_ids) == (3, 0.0, [5, 6])
    assert (made.allowed_token_ids, made.stop_token_ids) == ([7], [8, 9])
    assert made.num_logprobs == 2
    assert len(ASKED.logprob_ids) <= module.MAX_LOGPROB_TOKEN_IDS


def test_engine_arguments_are_those_of_the_real_constructor():
    known = set(inspect.signature(real("vllm.entrypoints.llm").LLM.__init__).parameters)
    known |= set(inspect.signature(real("vllm.engine.arg_utils").EngineArgs).parameters)
    settings = EngineSettings(max_model_len=512, gpu_memory_utilization=0.5, quantization="fp8")
    assert set(engine_arguments(SOURCE, settings)) <= known


def test_the_engine_has_the_methods_that_we_call():
    engine = real("vllm.v1.engine.llm_engine").LLMEngine
    assert list(inspect.signature(engine.add_request).parameters)[1:4] == ["request_id", "prompt", "params"]
    assert list(inspect.signature(engine.step).parameters) == ["self"]
    assert list(inspect.signature(engine.abort_request).parameters)[1] == "request_ids"
    assert hasattr(real("vllm.v1.engine.core_client").EngineCoreClient, "shutdown")
    assert real("vllm.inputs").tokens_input([1, 2]) == {"type": "token", "prompt_token_ids": [1, 2]}


def test_outputs_are_read_from_the_real_records():
    outputs, logprobs = real("vllm.outputs"), real("vllm.logprobs")
    written = outputs.CompletionOutput(
        index=0,
        text="",
        token_ids=[5, 9],
        cumulative_logprob=-1.0,
        logprobs=[{5: logprobs.Logprob(logprob=-0.5, rank=1), 6: logprobs.Logprob(logprob=-2.0)}, {}],
        finish_reason="stop",
    )
    output = outputs.RequestOutput("k", None, [1, 2], None, [written], finished=True, num_cached_tokens=16)
    got = read_output(output)
    assert (got.tokens, got.stopped, got.first, got.cached) == ((5, 9), True, {5: -0.5, 6: -2.0}, 16)
