"""The ways of getting both readouts that ``engines.py`` times, and whether they answer alike.

Every way gets the same model object, tokenizer and presentations, and is timed from chat messages to answers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evenhand.judges.base import JudgeRequest
from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.hf.load import Loaded
from evenhand.judges.hf.prompt import ChatEncoder
from evenhand.judges.hf.tokens import TokenTexts
from evenhand.records import LabelTokens

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Answers", "Arm", "Batched", "Forced", "Loop", "Ours", "Shared", "parting", "warm_up"]


@dataclass(slots=True, kw_only=True)
class Answers:
    """What one way answered; lists in the order of the presentations, empty where a way has no such answer.

    Attributes
    ----------
    logprobs
        For each presentation, the log probability of each label variant that is one token.
    written
        Generated token ids without the token that ends the turn.
    texts
        Generated texts.
    tokens
        Tokens generated.
    """

    logprobs: list[list[float]] = field(default_factory=list)
    written: list[list[int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tokens: int = 0

    def extend(self, more: Answers) -> None:
        """Add the answers of the next presentations."""
        self.logprobs += more.logprobs
        self.written += more.written
        self.texts += more.texts
        self.tokens += more.tokens


class Arm(Protocol):
    """One way, ready to be timed."""

    name: str

    def run(self, requests: Sequence[JudgeRequest]) -> Answers:
        """Answer these presentations."""
        ...


class Shared:
    """What all ways have in common: the model, its tokenizer, the label variants and what ends a turn."""

    def __init__(self, loaded: Loaded, judge: TransformersJudge, requests: Sequence[JudgeRequest]) -> None:
        self.model: Any = loaded.model
        # A copy: the harness and the batched loop set padding on theirs.
        self.tokenizer: Any = copy.deepcopy(loaded.tokenizer)
        self.texts = TokenTexts(loaded.tokenizer)
        encoder = ChatEncoder(self.texts, thinking=False, model="benchmark")
        self.variants: tuple[LabelTokens, ...] = judge.label_tokens(requests[0].labels)
        self.ends = sorted(loaded.generation_ends | encoder.turn_ends())
        self.prompts = {request.messages: encoder.encode(request.messages) for request in requests}
        for request in requests:
            theirs = self.tokenizer(self.chat(request), add_special_tokens=False)["input_ids"]
            assert theirs == self.prompts[request.messages], "the ways would not read the same prompt"

    def chat(self, request: JudgeRequest) -> str:
        """The prompt as text, by the model's own chat template."""
        turns = [{"role": str(message.role), "content": message.content} for message in request.messages]
        # What the judge sets where a template has such a switch; other templates don't read it.
        switches = {"enable_thinking": False, "date_string": "26 Jul 2024"}
        return str(self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **switches))

    def choices(self, logprobs: Sequence[Sequence[float]]) -> list[str]:
        """The forced choice of each presentation: the label whose variants together are most probable."""
        labels = sorted({variant.label for variant in self.variants})
        found = []
        for row in logprobs:
            mass = {
                label: sum(
                    math.exp(value - max(row)) for v, value in zip(self.variants, row, strict=True) if v.label == label
                )
                for label in labels
            }
            found.append(max(labels, key=lambda label: mass[label]))
        return found

    def finished(self, rows: Sequence[Sequence[int]]) -> Answers:
        """Generated ids up to what ends the turn, and their text without a cut character at the end."""
        written = [
            list(row[: next((n for n, token in enumerate(row) if token in self.ends), len(row))]) for row in rows
        ]
        texts = [self.texts.decode(row).rstrip("\ufffd") for row in written]
        return Answers(written=written, texts=texts, tokens=sum(map(len, written)))


class Ours:
    """Both readouts in one call of the transformers judge."""

    name = "ours, both readouts"

    def __init__(self, judge: TransformersJudge, shared: Shared) -> None:
        self._judge = judge
        self._shared = shared

    def run(self, requests: Sequence[JudgeRequest]) -> Answers:
        """Answer these presentations."""
        done = {answer.index: answer.completion for answer in self._judge.answer(requests)}
        found = Answers()
        for index in range(len(requests)):
            completion = done[index]
            assert completion.error is None, completion.error
            assert completion.first_token is not None
            known = {entry.token_id: entry.logprob for _, entries in completion.first_token.labels for entry in entries}
            row = [known[variant.token_id] for variant in self._shared.variants]
            found.logprobs.append([value for value in row if value is not None])
            found.texts.append(completion.text or "")
            found.tokens += completion.usage.completion_tokens or 0
        return found


class Forced:
    """lm-evaluation-harness: the log-likelihood of every label variant after the chat prompt.

    One ``loglikelihood`` call for all presentations, so that it sorts by length, with its one-token-continuation cache:
    one forward pass computes all variants of a presentation.
    """

    def __init__(self, shared: Shared, *, batch: int) -> None:
        from lm_eval.models.huggingface import HFLM

        self.name = f"forced: lm-eval loglikelihood, batch {batch}"
        self._shared = shared
        make: Any = HFLM
        self._lm: Any = make(
            pretrained=shared.model, tokenizer=copy.deepcopy(shared.tokenizer), batch_size=batch, logits_cache=True
        )

    def run(self, requests: Sequence[JudgeRequest]) -> Answers:
        """Answer these presentations."""
        from lm_eval.api.instance import Instance

        variants = [variant.variant for variant in self._shared.variants]
        make: Any = Instance
        asked = [
            make(request_type="loglikelihood", doc={}, arguments=(self._shared.chat(request), text), idx=number)
            for request in requests
            for number, text in enumerate(variants)
        ]
        got = [float(value) for value, _ in self._lm.loglikelihood(asked, disable_tqdm=True)]
        width = len(variants)
        return Answers(logprobs=[got[start : start + width] for start in range(0, len(got), width)])


class Loop:
    """``model.generate`` on one presentation after the other."""

    name = "generated: generate, batch 1"

    def __init__(self, shared: Shared, *, most: int) -> None:
        self._shared = shared
        self._most = most

    def run(self, requests: Sequence[JudgeRequest]) -> Answers:
        """Answer these presentations."""
        return self._shared.finished([row for request in requests for row in self._generate([request])])

    def _generate(self, requests: Sequence[JudgeRequest]) -> list[list[int]]:
        import torch

        shared = self._shared
        inputs = shared.tokenizer(
            [shared.chat(request) for request in requests],
            return_tensors="pt",
            padding=len(requests) > 1,
            padding_side="left",
            add_special_tokens=False,
        ).to(shared.model.device)
        with torch.inference_mode():
            got: Tensor = shared.model.generate(
                **inputs,
                max_new_tokens=self._most,
                do_sample=False,
                eos_token_id=shared.ends,
                pad_token_id=shared.tokenizer.pad_token_id,
            )
        rows: list[list[int]] = got[:, inputs["input_ids"].shape[1] :].tolist()
        return rows


class Batched(Loop):
    """The same in left-padded batches of presentations of like length."""

    def __init__(self, shared: Shared, *, most: int, batch: int) -> None:
        super().__init__(shared, most=most)
        self.name = f"generated: generate, batch {batch}, left-padded"
        self._batch = batch
        if shared.tokenizer.pad_token_id is None:
            shared.tokenizer.pad_token_id = shared.ends[0]

    def run(self, requests: Sequence[JudgeRequest]) -> Answers:
        """Answer these presentations."""
        prompts = self._shared.prompts
        turn = sorted(range(len(requests)), key=lambda index: -len(prompts[requests[index].messages]))
        rows: dict[int, list[int]] = {}
        for start in range(0, len(turn), self._batch):
            places = turn[start : start + self._batch]
            rows |= zip(places, self._generate([requests[place] for place in places]), strict=True)
        return self._shared.finished([rows[index] for index in range(len(requests))])


def warm_up(arms: Sequence[Arm], requests: Sequence[JudgeRequest]) -> None:
    """Run every way once, untimed."""
    for arm in arms:
        arm.run(requests)


def parting(shared: Shared, request: JudgeRequest, *, written: Sequence[int], ours: str) -> str:
    """Where a text of ``generate`` and ours part: at which token, and how near a tie the model was there."""
    import torch

    decode: Callable[[Sequence[int]], str] = shared.texts.decode
    same = next(
        (n for n in range(len(written)) if not ours.startswith(decode(written[: n + 1]).rstrip("\ufffd"))), len(written)
    )
    ids = torch.tensor([[*shared.prompts[request.messages], *written[:same]]], device=shared.model.device)
    with torch.inference_mode():
        top = shared.model(input_ids=ids, logits_to_keep=1).logits[0, -1].float().topk(2).values.tolist()
    return f"token {same + 1} of {len(written)}, where the two best logits differ by {top[0] - top[1]:.1e}"
