"""A chat endpoint on loopback that does what a script says: answers, refuses, hangs, cuts, garbles, dawdles."""

import asyncio
import json
import math
from collections import Counter
from dataclasses import dataclass, field

from evenhand.judges.openai.judge import OpenAIJudge
from evenhand.judges.openai.loop import LoopThread
from evenhand.judges.openai.settings import read_settings

KEY = "swordfish-0123456789-secret"
"""The key that these tests give the judge; it must turn up nowhere."""


@dataclass(frozen=True)
class Say:
    """A whole response."""

    body: object = None
    status: int = 200
    headers: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """No response at all."""


@dataclass(frozen=True)
class Drop:
    """The connection is closed without a response."""


@dataclass(frozen=True)
class Cut:
    """The connection is closed in the middle of the body."""

    body: object


@dataclass(frozen=True)
class Late:
    """A whole response after a while."""

    body: object
    seconds: float = 0.05


@dataclass(frozen=True)
class Trickle:
    """The body comes byte by byte."""

    body: object
    pause: float = 0.02


def entry(token, logprob, **more):
    return {"token": token, "logprob": logprob, "bytes": list(token.encode()), **more}


def top(**probabilities):
    """``top(A=.7, B=.2)`` as one position's content; the first named was written."""
    listed = [entry(token.replace("_", " "), math.log(p)) for token, p in probabilities.items()]
    return {**listed[0], "top_logprobs": listed}


def chat(content="A", *, position=None, finish="stop", message=None, usage=(10, 1), **more):
    """A chat completion; by default with log probabilities that fit the content."""
    if position is None and content:
        position = {
            **entry(content.split()[0], -0.2),
            "top_logprobs": [entry(content.split()[0], -0.2), entry("Z", -2.5)],
        }
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "served-1",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **(message or {})},
                "logprobs": None if position is None else {"content": [position]},
            }
        ],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
        **more,
    }


def refused(message, status=400, **more):
    return Say({"error": {"message": message, "type": "invalid_request_error", **more}}, status)


class FaultyServer:
    """Serve ``script(body, attempt)``: the request's JSON and how often its last message was asked before.

    Attributes
    ----------
    seen
        Every chat request's body, in order; ``asked`` counts them by their last message, ``answered`` those that were
        answered whole with status 200 and a choice.
    """

    def __init__(self, script, *, owner="somebody", paths=None):
        self._script = script
        self._paths = {"/v1/models": {"data": [{"id": "m", "owned_by": owner}]}} | (paths or {})
        self.seen, self.headers, self.got = [], [], []
        self.asked, self.answered = Counter(), Counter()
        self.now = self.most = 0

    def __enter__(self):
        self._loop = LoopThread(name="faulty-server")
        self._server = self._loop.start(asyncio.start_server(self._serve, "127.0.0.1", 0)).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    def __exit__(self, *exc):
        async def stop():
            self._server.close()

        self._loop.start(stop()).result()
        self._loop.close()

    def judge(self, *, clock=None, environment=None, **options):
        """A judge of this server."""
        options = {"base_url": self.url, "api_key_env": "FAULTY_KEY"} | options
        settings = read_settings("m", spec="openai:m", options=options, environment=environment or {"FAULTY_KEY": KEY})
        return OpenAIJudge(settings, clock=clock or FakeClock())

    async def _serve(self, reader, writer):
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")) and await self._one(head, reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _one(self, head, reader, writer):
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        self.got.append((method, path))
        self.headers.append(headers)
        if path.partition("?")[0] != "/v1/chat/completions":
            found = self._paths.get(path)
            if callable(found):
                found = found(json.loads(data))
            action = (
                Say({"error": "no such path"}, 404)
                if found is None
                else found
                if isinstance(found, Say | Hang)
                else Say(found)
            )
            return await self._do(action, writer)
        body = json.loads(data)
        name = body["messages"][-1]["content"]
        self.seen.append(body)
        attempt = self.asked[name]
        self.asked[name] += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            action = self._script(body, attempt)
            if isinstance(action, Say) and action.status == 200 and isinstance(action.body, dict):
                self.answered[name] += bool(action.body.get("choices"))
            return await self._do(action, writer)
        finally:
            self.now -= 1

    async def _do(self, action, writer):
        body = getattr(action, "body", None)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, more = getattr(action, "status", 200), getattr(action, "headers", {})
        match action:
            case Hang():
                await asyncio.sleep(3600)
            case Drop():
                return False
            case Late(seconds=seconds):
                await asyncio.sleep(seconds)
        lines = [f"HTTP/1.1 {status} x", f"content-length: {len(data)}", *(f"{k}: {v}" for k, v in more.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        match action:
            case Cut():
                writer.write(data[: len(data) // 2])
                await writer.drain()
                return False
            case Trickle(pause=pause):
                for byte in data:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(pause)
            case _:
                writer.write(data)
                await writer.drain()
        return True


class FakeClock:
    """Waits cost nothing; what was waited is written down."""

    def __init__(self):
        self.time, self.waits = 0.0, []

    def now(self):
        return self.time

    def wall(self):
        return 1_000_000.0 + self.time

    async def sleep(self, seconds):
        self.waits.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)
