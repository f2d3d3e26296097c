"""vLLM itself, where it can run: whether it is there, and the embedded model's weights in a form that it loads."""

import gc
from pathlib import Path

import pytest
from transformers.utils.logging import disable_progress_bar

from evenhand.judges import Judge, load_judge
from evenhand.judges.model_files import model_path
from judges.tiny_models import loaded

WARNINGS_OF_ITS_OWN = pytest.mark.filterwarnings("ignore", "error:::evenhand")
"""vLLM warns of its own affairs (0.32: ``torch.jit.script_method`` is deprecated); what we do stays an error."""


def skip_without_vllm() -> None:
    """Skip, saying why, where the offline engine can't run."""
    pytest.importorskip(
        "vllm", reason="vllm is not installed: the offline engine is untested here", exc_type=ImportError
    )
    from vllm.platforms import current_platform

    if not current_platform.device_type:
        pytest.skip("vllm is installed, but finds no device that it can use: the offline engine is untested here")


def save_smollm2(folder: Path) -> Path:
    """SmolLM2 as the transformers judge reads it from the GGUF file, as safetensors in float32."""
    _, read = loaded(model_path())
    disable_progress_bar()
    read.model.save_pretrained(folder)
    read.tokenizer.save_pretrained(folder)
    return folder


def smollm2_judge(folder: Path, *, n_ctx: int) -> Judge:
    """The judge on those weights, without CUDA graphs, which take long to record."""
    return load_judge(f"vllm:{folder}", dtype="float32", max_model_len=n_ctx, enforce_eager=True)


def collect_what_it_left() -> None:
    """Let a closed engine's socket context go now: vLLM 0.32 leaves it to the collector, which warns where it runs."""
    gc.collect()
