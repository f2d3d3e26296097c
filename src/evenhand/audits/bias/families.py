"""Which family a model belongs to: models of one maker share data and taste, so self-preference is asked of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["FAMILY_RULES", "family_of"]

FAMILY_RULES: Final[Mapping[str, str]] = {
    "c4ai": "Cohere",
    "chatglm": "Zhipu",
    "chatgpt": "OpenAI",
    "claude": "Anthropic",
    "codestral": "Mistral",
    "command": "Cohere",
    "davinci": "OpenAI",
    "dbrx": "Databricks",
    "deepseek": "DeepSeek",
    "ernie": "Baidu",
    "falcon": "TII",
    "gemini": "Google",
    "gemma": "Google",
    "glm": "Zhipu",
    "gpt": "OpenAI",
    "gpt-j": "EleutherAI",
    "gpt-neo": "EleutherAI",
    "gpt-neox": "EleutherAI",
    "gpt4all": "Nomic",
    "granite": "IBM",
    "grok": "xAI",
    "hunyuan": "Tencent",
    "internlm": "InternLM",
    "jamba": "AI21",
    "kimi": "Moonshot",
    "llama": "Meta",
    "magistral": "Mistral",
    "meta-llama": "Meta",
    "ministral": "Mistral",
    "mistral": "Mistral",
    "mixtral": "Mistral",
    "mpt": "MosaicML",
    "nemotron": "NVIDIA",
    "nova": "Amazon",
    "o1": "OpenAI",
    "o3": "OpenAI",
    "o4": "OpenAI",
    "olmo": "Ai2",
    "palm": "Google",
    "phi": "Microsoft",
    "qwen": "Alibaba",
    "qwq": "Alibaba",
    "smollm": "Hugging Face",
    "stablelm": "Stability",
    "text-bison": "Google",
    "text-davinci": "OpenAI",
    "tulu": "Ai2",
    "vicuna": "LMSYS",
    "wizardlm": "Microsoft",
    "yi": "01.AI",
    "zephyr": "Hugging Face",
}
"""Beginning of a model's name, in small letters, to its maker. The longest that fits counts. A fine-tune by another
maker (Vicuna, Zephyr) is of its maker, not of its base model: give ``families`` where that isn't what you ask."""

_SPEC: Final = re.compile(r"[:/]")


def family_of(model: str, families: Mapping[str, str] | None = None) -> str:
    """The family of a model by its name; the name itself, in small letters, where no rule fits.

    Parameters
    ----------
    model
        Such as ``gpt-4o`` or ``meta-llama/Llama-3.1-8B-Instruct``; the last part of a path counts.
    families
        Model name to family, which go before the rules.

    Examples
    --------
    >>> family_of("openai:gpt-4o"), family_of("Qwen/Qwen3-8B"), family_of("LLaMA2")
    ('OpenAI', 'Alibaba', 'Meta')
    >>> family_of("our-model-7b"), family_of("our-model-7b", {"our-model-7b": "us"})
    ('our-model-7b', 'us')
    """
    if families and model in families:
        return families[model]
    last = _SPEC.split(model.strip())[-1].lower()
    fitting = [rule for rule in FAMILY_RULES if _begins(last, rule)]
    return FAMILY_RULES[max(fitting, key=len)] if fitting else last


def _begins(name: str, rule: str) -> bool:
    """Whether a name begins with a rule and the next character is no letter; no digit either, after one."""
    following = name[len(rule) : len(rule) + 1]
    return name.startswith(rule) and not following.isalpha() and not (rule[-1].isdigit() and following.isdigit())
