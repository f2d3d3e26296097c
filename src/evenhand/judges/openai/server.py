"""Which server answers behind an address, found with free requests only, and what it can do beyond the common API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from evenhand.judges.openai.faults import ApiFault, FaultKind
from evenhand.judges.openai.reply import MOST_TOKENS
from evenhand.judges.openai.settings import ApiSettings

__all__ = ["Api", "Server", "ServerKind", "count_prompt", "find_server", "token_ids"]


class Api(Protocol):
    """What this needs of a client."""

    async def get(self, path: str) -> dict[str, Any]:
        """See :class:`evenhand.judges.openai.client.ApiClient`."""
        ...

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """See :class:`evenhand.judges.openai.client.ApiClient`."""
        ...


class ServerKind(StrEnum):
    """Servers that can do more than the common API, and the rest."""

    LLAMA_CPP = "llama.cpp"
    VLLM = "vLLM"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server, and the address below which its own paths are."""

    kind: ServerKind
    root: str

    @property
    def continues(self) -> bool:
        """Whether it is known to go on with an assistant's message that ends the chat."""
        return self.kind is not ServerKind.OTHER

    @property
    def raw_logprobs(self) -> bool:
        """Whether its log probabilities are known to be the model's own under a constraint or bias.

        llama.cpp: without ``post_sampling_probs`` (seen in tests/judges/openai/test_judge.py). vLLM: its default
        ``--logprobs-mode raw_logprobs``.
        """
        return self.kind is not ServerKind.OTHER


async def find_server(client: Api, settings: ApiSettings) -> Server:
    """Ask ``GET /models``, whose ``owned_by`` tells llama.cpp and vLLM, then llama.cpp's ``/props``. Not OpenAI.

    Raises
    ------
    ApiFault
        The server can't be asked now: not knowing is not taken for knowing.
    """
    root = settings.endpoint.root
    other = Server(kind=ServerKind.OTHER, root=root)
    if settings.endpoint.is_openai:
        return other
    listed = (await _asked(client, "/models")).get("data")
    owners = [item.get("owned_by") for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    if "vllm" in owners:
        return Server(kind=ServerKind.VLLM, root=root)
    if "llamacpp" in owners or "default_generation_settings" in await _asked(client, f"{root}/props"):
        return Server(kind=ServerKind.LLAMA_CPP, root=root)
    return other


async def _asked(client: Api, path: str) -> dict[str, Any]:
    """What a path says; empty where the server doesn't have it."""
    try:
        return await client.get(path)
    except ApiFault as error:
        fault = error.fault
        # A page that is no JSON is a server without this path; anything else that may be passing tells nothing.
        if fault.kind is FaultKind.UNREACHABLE or (fault.kind is FaultKind.AGAIN and fault.status != 200):
            raise
        return {}


async def count_prompt(
    client: Api, server: Server, *, model: str, messages: Sequence[Mapping[str, str]], begun: bool = False
) -> int | None:
    """Prompt tokens of a chat under the server's own template, without a completion; None where it can't tell.

    Parameters
    ----------
    begun
        Whether the last message is the beginning of the judge's turn.
    """
    if server.kind is ServerKind.LLAMA_CPP:
        path, name, more = "/chat/completions/input_tokens", "input_tokens", {}
    elif server.kind is ServerKind.VLLM:
        path, name = f"{server.root}/tokenize", "count"
        more = {"add_generation_prompt": not begun, "continue_final_message": begun}
    else:
        return None
    try:
        answer = await client.post(path, {"model": model, "messages": list(messages), **more})
    except ApiFault:
        return None
    count = answer.get(name)
    told = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS
    return count if told else None


async def token_ids(client: Api, server: Server, *, model: str, text: str) -> list[int] | None:
    """Token ids of a text; None where the server doesn't tell."""
    if server.kind is ServerKind.OTHER:
        return None
    body = (
        {"content": text, "add_special": False}
        if server.kind is ServerKind.LLAMA_CPP
        else {"model": model, "prompt": text, "add_special_tokens": False}
    )
    try:
        answer = await client.post(f"{server.root}/tokenize", body)
    except ApiFault:
        return None
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
        return None
    return list(tokens)
