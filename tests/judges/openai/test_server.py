"""Which server it is, from free requests."""

import asyncio

import pytest

from evenhand.judges.openai.faults import ApiFault, Fault, FaultKind, status_fault
from evenhand.judges.openai.server import Server, ServerKind, count_prompt, find_server, token_ids
from evenhand.judges.openai.settings import read_settings

ROOT = "http://127.0.0.1:1"


class Paths:
    """A client that knows some paths; the others are 404."""

    def __init__(self, **known):
        self._known = {name.replace("_", "/"): answer for name, answer in known.items()}
        self.asked = []

    async def get(self, path):
        self.asked.append(path)
        answer = self._known.get(path.removeprefix(ROOT), 404)
        if isinstance(answer, int):
            raise ApiFault(status_fault(answer, b"", {}, now=0))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def post(self, path, body):
        self.body = body
        return await self.get(path)


def settings(base_url=f"{ROOT}/v1"):
    return read_settings("m", spec="openai:m", options={"base_url": base_url}, environment={"OPENAI_API_KEY": "k"})


def find(client, **options):
    return asyncio.run(find_server(client, settings(**options)))


@pytest.mark.parametrize(
    ("paths", "kind"),
    [
        ({"_models": {"data": [{"id": "m", "owned_by": "vllm"}]}}, ServerKind.VLLM),
        ({"_models": {"data": [{"id": "m", "owned_by": "llamacpp"}]}}, ServerKind.LLAMA_CPP),
        ({"_models": {"data": [{"id": "m", "owned_by": "library"}]}}, ServerKind.OTHER),
        ({"_props": {"default_generation_settings": {}}}, ServerKind.LLAMA_CPP),
        ({"_models": {"data": "odd"}, "_props": {}}, ServerKind.OTHER),
        ({"_models": {"data": [3, {"owned_by": ["vllm"]}]}}, ServerKind.OTHER),
        ({"_models": 403}, ServerKind.OTHER),
        ({}, ServerKind.OTHER),
    ],
)
def test_kinds(paths, kind):
    server = find(Paths(**paths))
    assert (server.kind, server.root) == (kind, ROOT)
    assert server.continues is server.raw_logprobs is (kind is not ServerKind.OTHER)


def test_openai_is_known_by_its_name():
    client = Paths()
    assert find(client, base_url="https://api.openai.com/v1").kind is ServerKind.OTHER
    assert client.asked == []


@pytest.mark.parametrize("answer", [500, 429])
def test_not_knowing_is_not_taken_for_knowing(answer):
    with pytest.raises(ApiFault):
        find(Paths(_models=answer))


def test_nobody_there_and_a_page_of_html():
    unreachable = ApiFault(Fault(kind=FaultKind.UNREACHABLE, text="nobody"))
    with pytest.raises(ApiFault):
        find(Paths(_models=unreachable))
    html = ApiFault(Fault(kind=FaultKind.AGAIN, status=200, text="HTML"))
    assert find(Paths(_models=html)).kind is ServerKind.OTHER
    hung = ApiFault(Fault(kind=FaultKind.AGAIN, text="no answer within 1 s"))
    with pytest.raises(ApiFault):
        find(Paths(_models={}, _props=hung))


def count(client, kind, **more):
    messages = [{"role": "user", "content": "x"}]
    return asyncio.run(count_prompt(client, Server(kind=kind, root=ROOT), model="m", messages=messages, **more))


def test_counting_a_prompt():
    llama = Paths(_chat_completions_input_tokens=None)
    llama._known = {"/chat/completions/input_tokens": {"input_tokens": 31}}
    assert count(llama, ServerKind.LLAMA_CPP) == 31
    vllm = Paths(_tokenize={"count": 12, "tokens": []})
    assert count(vllm, ServerKind.VLLM, begun=True) == 12
    assert vllm.body["continue_final_message"] is True
    assert vllm.body["add_generation_prompt"] is False
    assert count(Paths(), ServerKind.OTHER) is None
    assert count(Paths(), ServerKind.VLLM) is None
    assert count(Paths(_tokenize={"count": "12"}), ServerKind.VLLM) is None
    for none in (-1, 10**400, True):
        assert count(Paths(_tokenize={"count": none}), ServerKind.VLLM) is None


def ids(client, kind):
    return asyncio.run(token_ids(client, Server(kind=kind, root=ROOT), model="m", text="A"))


def test_token_ids():
    known = Paths(_tokenize={"tokens": [49]})
    assert ids(known, ServerKind.LLAMA_CPP) == [49]
    assert known.body == {"content": "A", "add_special": False}
    assert ids(known, ServerKind.VLLM) == [49]
    assert known.body == {"model": "m", "prompt": "A", "add_special_tokens": False}
    assert ids(known, ServerKind.OTHER) is None
    assert ids(Paths(), ServerKind.LLAMA_CPP) is None
    assert ids(Paths(_tokenize={"tokens": ["A"]}), ServerKind.LLAMA_CPP) is None
