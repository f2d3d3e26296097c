"""Tiny models of the families that judges come from, with tokenizers and chat templates made here: nothing to fetch.

The templates are our own wording with each family's structure: its control tokens, where BOS stands, whether there is
a system role. Weights are random, so a text means nothing; what is tested is that it does not depend on the batch.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    LlamaConfig,
    MistralConfig,
    Phi3Config,
    PreTrainedTokenizerFast,
    Qwen3Config,
)
from transformers.utils.logging import disable_progress_bar

from evenhand.judges import JudgeRequest
from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.hf.load import find_source, load
from evenhand.records import LabelSet, Message

torch.set_num_threads(1)

LABELS = LabelSet.parse("A/B")
CORPUS = [
    "Which response is better, A or B? The better response is A. The better response is B. 1 2 3 4 5 6 7 8 9 0",
    "X Y Z tie, first second. Say hello; is water wet? Write a poem about the sea! (naïve café) [END] <b> {x}",
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z",
]


@dataclass(frozen=True)
class Family:
    name: str
    template: str
    control: tuple[str, ...]
    bos: str | None
    eos: str
    turn_end: str
    spaced: bool = False
    """Spaces are part of words as ▁, and a text begins with one (Llama 2, Mistral, Phi-3)."""
    plain_added: tuple[str, ...] = ()
    """Added tokens that are not marked special (Qwen's <think>)."""
    strips_right: tuple[str, ...] = ()
    """Control tokens that take the white space after them with them (Phi-3)."""
    system_role: bool = True


QWEN3 = Family(
    name="qwen3",
    template=(
        "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
        "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}"
        "{%- endif %}{%- endif %}"
    ),
    control=("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    bos=None,
    eos="<|im_end|>",
    turn_end="<|im_end|>",
    plain_added=("<think>", "</think>"),
)
LLAMA3 = Family(
    name="llama3",
    template=(
        "{{- bos_token }}{%- if not date_string is defined %}{%- set date_string = strftime_now('%d %b %Y') %}"
        "{%- endif %}{%- if messages[0].role != 'system' %}"
        "{{- '<|start_header_id|>system<|end_header_id|>\\n\\nToday is ' + date_string + '.<|eot_id|>' }}{%- endif %}"
        "{%- for m in messages %}"
        "{{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>' }}"
        "{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
    ),
    control=("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    bos="<|begin_of_text|>",
    eos="<|end_of_text|>",
    turn_end="<|eot_id|>",
)
PHI3 = Family(
    name="phi3",
    template=(
        "{%- for m in messages %}{{- '<|' + m.role + '|>\\n' + m.content + '<|end|>\\n' }}{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- else %}{{- eos_token }}{%- endif %}"
    ),
    control=("<s>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
    bos="<s>",
    eos="<|endoftext|>",
    turn_end="<|end|>",
    spaced=True,
    strips_right=("<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
)
GEMMA_TEMPLATE = (
    "{{- bos_token }}{%- if messages[0].role == 'system' %}{{- raise_exception('no system role') }}{%- endif %}"
    "{%- for m in messages %}{%- set role = 'model' if m.role == 'assistant' else m.role %}"
    "{{- '<start_of_turn>' + role + '\\n' + m.content | trim + '<end_of_turn>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}"
)
GEMMA2 = Family(
    name="gemma2",
    template=GEMMA_TEMPLATE,
    control=("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"),
    bos="<bos>",
    eos="<eos>",
    turn_end="<end_of_turn>",
    system_role=False,
)
GEMMA3 = Family(**{**GEMMA2.__dict__, "name": "gemma3"})
MISTRAL = Family(
    name="mistral",
    template=(
        "{{- bos_token }}{%- if messages[0].role == 'system' %}{%- set system = messages[0].content + '\\n\\n' %}"
        "{%- set turns = messages[1:] %}{%- else %}{%- set system = '' %}{%- set turns = messages %}{%- endif %}"
        "{%- for m in turns %}{%- if m.role == 'user' %}"
        "{{- '[INST] ' + (system if loop.first else '') + m.content + '[/INST]' }}"
        "{%- else %}{{- ' ' + m.content + eos_token }}{%- endif %}{%- endfor %}"
    ),
    control=("<s>", "</s>", "[INST]", "[/INST]"),
    bos="<s>",
    eos="</s>",
    turn_end="</s>",
    spaced=True,
)
FAMILIES = (QWEN3, LLAMA3, PHI3, GEMMA2, GEMMA3, MISTRAL)


@cache
def tokenizer_of(family):
    """A byte-level tokenizer, or one that writes spaces as ▁, with the family's control tokens."""
    made = Tokenizer(models.BPE(byte_fallback=family.spaced, unk_token=None))
    if family.spaced:
        made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        made.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
        alphabet = []
        first = [f"<0x{byte:02X}>" for byte in range(256)]
    else:
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet, first = pre_tokenizers.ByteLevel.alphabet(), []
    made.train_from_iterator(
        CORPUS * 3,
        trainers.BpeTrainer(vocab_size=520, initial_alphabet=alphabet, special_tokens=first, show_progress=False),
    )
    if first:
        # Trained as special so that the bytes have ids; as such they would be read out of a text.
        made = Tokenizer.from_str(_without_added(made.to_str()))
    made.add_special_tokens(
        [
            AddedToken(text, special=True, normalized=False, rstrip=text in family.strips_right)
            for text in family.control
        ]
    )
    made.add_tokens([AddedToken(text, special=False, normalized=False) for text in family.plain_added])
    if family.bos is not None:
        # Adding BOS by itself too, as these tokenizers do: a template that prints one must not give two.
        made.post_processor = processors.TemplateProcessing(
            single=f"{family.bos} $A", special_tokens=[(family.bos, made.token_to_id(family.bos))]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=family.bos, eos_token=family.eos, chat_template=family.template
    )


def _without_added(text):
    return json.dumps(json.loads(text) | {"added_tokens": []})


def config_of(family, tokenizer, **changes):
    """The family's own configuration class, tiny."""
    common = {
        "vocab_size": len(tokenizer) + 8,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": 0,
        "initializer_range": 0.4,
    }
    match family.name:
        case "qwen3":
            made = Qwen3Config(**common | {"head_dim": 8} | changes)
        case "llama3":
            rope = {
                "rope_type": "llama3",
                "rope_theta": 10_000.0,
                "factor": 4.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 128,
            }
            made = LlamaConfig(**common | {"rope_parameters": rope} | changes)
        case "phi3":
            made = Phi3Config(**common | {"sliding_window": 24} | changes)
        case "gemma2":
            made = Gemma2Config(
                **common | {"head_dim": 8, "sliding_window": 16, "tie_word_embeddings": False} | changes
            )
        case "gemma3":
            made = Gemma3TextConfig(
                **common | {"head_dim": 8, "sliding_window": 16, "tie_word_embeddings": False} | changes
            )
        case "mistral":
            made = MistralConfig(**common | {"sliding_window": 20} | changes)
    return made


def save(family, folder: Path, *, seed=0, **changes):
    """A model with its tokenizer as ``save_pretrained`` leaves them."""
    tokenizer = tokenizer_of(family)
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config_of(family, tokenizer, **changes))
    disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@cache
def loaded(folder, *, dtype="float32", attention="auto"):
    source = find_source(str(folder), spec="transformers", gguf_file=None, revision=None, local_files_only=True)
    return source, load(source, dtype=dtype, device="cpu", attention=attention)


def judge_of(folder, **settings):
    source, model = loaded(folder)
    return TransformersJudge(model, source=source, spec=f"transformers:{folder}", **settings)


def ask(content, **settings):
    settings = {"labels": LABELS, "budgets": (12,)} | settings
    return JudgeRequest(messages=(Message(role="user", content=content),), **settings)


def answers(judge, requests):
    given = list(judge.answer(requests))
    assert sorted(a.index for a in given) == list(range(len(requests)))
    return [a.completion for a in sorted(given, key=lambda a: a.index)]


def logprobs(completion):
    """Log probabilities of the record by token."""
    first = completion.first_token
    return {e.token_id: e.logprob for e in [*first.top, *(e for _, given in first.labels for e in given)]}


def farthest(one, other):
    """Largest difference of a log probability that both records hold, in nats."""
    ours, theirs = logprobs(one), logprobs(other)
    shared = ours.keys() & theirs.keys()
    assert len(shared) >= len(ours) - 1
    return max(abs(ours[token] - theirs[token]) for token in shared)
