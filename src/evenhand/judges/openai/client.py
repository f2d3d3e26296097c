"""The ``openai`` SDK as we use it: one call, one JSON object or one stated fault. Retrying is not its matter."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError, install_hint
from evenhand.judges.openai.bounded import bound_body
from evenhand.judges.openai.faults import ApiFault, Fault, FaultKind, body_fault, decode, one_line, status_fault
from evenhand.judges.openai.settings import ApiSettings

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["ApiClient"]

_CONNECT_SECONDS = 10.0


class ApiClient:
    """One endpoint. Make it and use it inside one event loop.

    Raises
    ------
    ConfigError
        The ``openai`` package is missing.
    """

    def __init__(self, settings: ApiSettings, *, wall: Callable[[], float]) -> None:
        try:
            import httpx2
            import openai
        except ImportError as error:
            raise ConfigError(f"openai judges need the openai package ({error}): {install_hint('openai')}") from error
        self._settings = settings
        self._wall = wall
        self._response = httpx2.Response
        http = self._http()
        try:
            self._client = openai.AsyncOpenAI(
                api_key=settings.key.reveal(), base_url=settings.endpoint.url, max_retries=0, http_client=http
            )
        except httpx2.InvalidURL as error:
            raise ConfigError(f"base_url {settings.endpoint.url[:100]!r}: {one_line(str(error))}") from None
        if not settings.endpoint.is_openai:
            # From OPENAI_ORG_ID and OPENAI_PROJECT_ID: nobody else's business.
            self._client.organization = self._client.project = None

    def _http(self) -> httpx2.AsyncClient:
        import httpx2

        settings = self._settings
        try:
            # Past any proxy to this machine itself; no redirects, which could carry prompts elsewhere.
            return httpx2.AsyncClient(
                trust_env=not settings.endpoint.loopback,
                follow_redirects=False,
                timeout=httpx2.Timeout(settings.timeout, connect=min(settings.timeout, _CONNECT_SECONDS)),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.concurrency),
                headers={"Accept-Encoding": "identity"},
                event_hooks={"response": [bound_body]},
            )
        except (httpx2.InvalidURL, ValueError):
            # Its text repeats the address, which may hold a password.
            raise ConfigError("HTTP_PROXY, HTTPS_PROXY or ALL_PROXY of the environment is no proxy's address") from None
        except (ImportError, OSError) as error:
            raise ConfigError(
                "the environment's proxy (HTTPS_PROXY, ALL_PROXY) or certificates (SSL_CERT_FILE) can't be used: "
                f"{one_line(str(error))}"
            ) from None

    async def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for one chat completion.

        Raises
        ------
        ApiFault
            There is no readable answer.
        """
        return await self.post("/chat/completions", body)

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post to a path below the base address, or to a whole address."""
        return await self._object(self._client.post(path, cast_to=self._response, body=dict(body)))

    async def get(self, path: str) -> dict[str, Any]:
        """Get a path below the base address, or a whole address."""
        return await self._object(self._client.get(path, cast_to=self._response))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _object(self, call: Awaitable[httpx2.Response]) -> dict[str, Any]:
        # Faults are raised outside the except blocks: the SDK's errors hold the request with its key.
        fault: Fault | None = None
        answer: dict[str, Any] = {}
        try:
            # The SDK's own limit is between two bytes; this one is on the whole.
            async with asyncio.timeout(self._settings.timeout):
                response = await call
            answer = self._settings.key.hidden_in(decode(response.content))
            if answer.get("error") and not answer.get("choices"):
                fault = body_fault(answer["error"], now=self._wall())
        except TimeoutError:
            fault = self._timeout()
        except ApiFault as error:
            fault = error.fault
        except Exception as error:
            fault = self._judge(error)
        if fault is not None:
            raise ApiFault(self._clean(fault))
        return answer

    def _judge(self, error: Exception) -> Fault:
        import httpx2
        import openai

        match error:
            case openai.APIStatusError(response=response):
                return status_fault(error.status_code, response.content, response.headers, now=self._wall())
            case openai.APITimeoutError():
                if isinstance(error.__cause__, httpx2.ConnectTimeout):
                    return self._unreachable(error)
                return self._timeout()
            case openai.APIConnectionError():
                if isinstance(error.__cause__, httpx2.ConnectError):
                    return self._unreachable(error)
                return Fault(kind=FaultKind.AGAIN, text=f"the connection broke: {_cause(error)}")
            case openai.OpenAIError():
                return Fault(kind=FaultKind.JUDGE, text=f"the openai package: {one_line(str(error))}")
            case _:
                # A server's charset can be any of Python's codecs, and these raise what they like.
                what = one_line(f"{type(error).__name__}: {error}", most=160)
                return Fault(kind=FaultKind.AGAIN, text=f"the endpoint's answer can't be read: {what}")

    def _unreachable(self, error: openai.APIConnectionError) -> Fault:
        return Fault(
            kind=FaultKind.UNREACHABLE, text=f"{self._settings.endpoint.host} can't be reached: {_cause(error)}"
        )

    def _timeout(self) -> Fault:
        return Fault(kind=FaultKind.AGAIN, text=f"no answer within {self._settings.timeout:g} s")

    def _clean(self, fault: Fault) -> Fault:
        scrub = self._settings.key.scrub
        return Fault(
            kind=fault.kind,
            text=scrub(fault.text),
            status=fault.status,
            wait=fault.wait,
            slow_down=fault.slow_down,
            param=None if fault.param is None else scrub(fault.param),
        )


def _cause(error: Exception) -> str:
    cause = error.__cause__ or error
    return one_line(str(cause), most=160) or type(cause).__name__
