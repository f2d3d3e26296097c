"""What an ``openai:MODEL`` judge is told: options, endpoint and identity."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import SplitResult, urlsplit

from evenhand.errors import ConfigError
from evenhand.judges.openai.key import ApiKey, read_key
from evenhand.judges.options import Option, read_options
from evenhand.records import JudgeIdentity

__all__ = ["OPTIONS", "ApiSettings", "Endpoint", "read_endpoint", "read_settings"]

OPENAI = "https://api.openai.com/v1"

OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "base_url": Option(
            kind=str,
            help="the endpoint, such as http://127.0.0.1:8080/v1",
            default=f"OPENAI_BASE_URL, and else {OPENAI}",
        ),
        "api_key_env": Option(kind=str, help="the environment variable that holds the key", default="OPENAI_API_KEY"),
        "concurrency": Option(kind=int, help="requests at a time", least=1, default="8"),
        "timeout": Option(kind=float, help="seconds that one request may take", least=0.001, default="120"),
        "retries_per_request": Option(kind=int, help="how often one request is sent again", least=0, default="6"),
        "retry_budget": Option(
            kind=float,
            help="retries over a whole batch, as a share of its requests, at least 20",
            least=0,
            default="0.5",
        ),
        "top_logprobs": Option(kind=int, help="first-token entries to ask for", least=1, default="20"),
        "constrain": Option(
            kind=str,
            help="how the constrained readout binds the endpoint; auto goes by the server found",
            choices=("auto", "response_format", "choice", "grammar", "logit_bias"),
            default="auto",
        ),
        "prefill": Option(
            kind=str,
            help="auto: only where the server is known to go on with a begun answer; on: try it anyway",
            choices=("auto", "on"),
            default="auto",
        ),
        "system_role": Option(
            kind=str,
            help="on, or merge: put it at the head of the first user message",
            choices=("on", "merge"),
            default="on",
        ),
        "max_tokens_field": Option(
            kind=str,
            help="the name of the token limit; auto finds out which is taken",
            choices=("auto", "max_tokens", "max_completion_tokens"),
            default="auto",
        ),
        "temperature": Option(
            kind=str,
            help="zero (greedy), or omit: for endpoints that refuse it",
            choices=("zero", "omit"),
            default="zero",
        ),
        "reasoning_effort": Option(kind=str, help="passed on as it is, such as minimal"),
        "extra_body": Option(kind=str, help="further request fields as a JSON object; recorded with the run"),
        "seed": Option(kind=int, help="passed on to the endpoint"),
    }
)

_OURS = frozenset(
    {"model", "messages", "temperature", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "stream"}
    | {"n", "seed", "reasoning_effort"}
)
"""Fields of the request that ``extra_body`` must not set: they have options of their own, or we rely on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where requests go, free of credentials.

    Examples
    --------
    >>> endpoint = read_endpoint("http://localhost:8080/v1/")
    >>> endpoint.url, endpoint.host, endpoint.root, endpoint.loopback
    ('http://localhost:8080/v1', 'localhost:8080', 'http://localhost:8080', True)
    """

    url: str
    host: str
    loopback: bool

    @property
    def root(self) -> str:
        """The server's own address, below which llama.cpp and vLLM have their own paths."""
        return self.url.removesuffix("/v1")

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI itself."""
        return self.host == "api.openai.com" or self.host.endswith(".api.openai.com")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """Everything an ``openai:MODEL`` judge was told; see :data:`OPTIONS`. ``key`` shows as hidden.

    ``no_key_in`` names the environment variable that holds no key, where estimates alone are wanted: nothing is sent.
    """

    spec: str
    model: str
    endpoint: Endpoint
    key: ApiKey
    concurrency: int = 8
    timeout: float = 120.0
    retries_per_request: int = 6
    retry_budget: float = 0.5
    top_logprobs: int = 20
    constrain: str = "auto"
    prefill: str = "auto"
    system_role: str = "on"
    max_tokens_field: str = "auto"
    temperature: str = "zero"
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    no_key_in: str | None = None

    @property
    def identity(self) -> JudgeIdentity:
        """Model, endpoint and what of the settings can change an answer. What answered is told by each completion."""
        pinned = (
            ("max_tokens_field", None if self.max_tokens_field == "auto" else self.max_tokens_field),
            ("temperature", None if self.temperature == "zero" else "left to the endpoint"),
            ("reasoning_effort", self.reasoning_effort),
            ("extra_body", json.dumps(dict(self.extra_body), sort_keys=True) if self.extra_body else None),
            ("seed", None if self.seed is None else str(self.seed)),
        )
        return JudgeIdentity(
            spec=self.spec,
            model=self.model,
            engine=f"OpenAI-compatible ({self.endpoint.host})",
            settings=(
                ("endpoint", self.endpoint.url),
                ("top_logprobs", str(self.top_logprobs)),
                ("constrain", self.constrain),
                ("system_role", self.system_role),
                *((name, value) for name, value in pinned if value is not None),
            ),
        )


def read_settings(
    rest: str,
    *,
    spec: str,
    options: Mapping[str, object],
    environment: Mapping[str, str] | None = None,
    asking: bool = True,
) -> ApiSettings:
    """Check and read the options of a spec.

    Parameters
    ----------
    rest
        The model, as the endpoint calls it.
    environment
        By default the process's.
    asking
        Whether anything will be asked, so that a key is needed.

    Raises
    ------
    ConfigError
        An option is wrong, the address carries credentials, or there is no key, or none that can be sent.
    """
    environment = os.environ if environment is None else environment
    given: dict[str, Any] = dict(read_options(options, OPTIONS, spec=spec))
    if not rest.strip():
        raise ConfigError(f"judge {spec!r}: expected openai:MODEL, with the model as the endpoint calls it")
    if not _sendable([rest, given.get("reasoning_effort", "")]):
        raise ConfigError(f"judge {spec!r}: the model or reasoning_effort holds characters that can't be sent")
    # An empty one is a variable that was not set: asking OpenAI instead, or with another key, would be a surprise.
    endpoint = read_endpoint(given.pop("base_url", environment.get("OPENAI_BASE_URL") or OPENAI))
    name = given.pop("api_key_env", "OPENAI_API_KEY")
    if not name.replace("_", "").isalnum() or name[0].isdigit():
        # Somebody may have given the key itself: it is not repeated here.
        raise ConfigError("option api_key_env: expected the name of an environment variable, such as OPENAI_API_KEY")
    if "extra_body" in given:
        given["extra_body"] = MappingProxyType(_extra_body(given["extra_body"]))
    lacks = not (asking or endpoint.loopback or environment.get(name, "").strip())
    key = read_key(environment, name, loopback=endpoint.loopback or lacks, endpoint=endpoint.host)
    return ApiSettings(spec=spec, model=rest, endpoint=endpoint, key=key, no_key_in=name if lacks else None, **given)


def read_endpoint(text: str) -> Endpoint:
    """Check an address. What may be secret in it is refused, and not repeated.

    Raises
    ------
    ConfigError
        No http or https address, or one with a user, password, query or fragment.
    """
    wrong = "base_url: expected an address such as https://api.openai.com/v1 or http://127.0.0.1:8080/v1"
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        # Its text repeats what may be a secret.
        raise ConfigError(wrong) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not _is_host(parts.hostname):
        raise ConfigError(wrong)
    if not text.isascii() or not text.isprintable():
        raise ConfigError(wrong)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigError(
            "base_url must not carry a user, password, query or fragment: it is stored with the run; "
            "a key belongs in the environment variable that api_key_env names"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host = host if port is None else f"{host}:{port}"
    clean = SplitResult(parts.scheme, host, parts.path.rstrip("/"), "", "").geturl()
    return Endpoint(url=clean, host=host, loopback=_is_loopback(parts.hostname))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_host(host: str) -> bool:
    """Whether it can be looked up: no label of it is empty or longer than 63 characters."""
    try:
        return bool(host.encode("idna"))
    except UnicodeError:
        return False


def _sendable(value: object) -> bool:
    """Whether JSON in UTF-8 can carry it: no lone surrogates, NaN or infinity."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _extra_body(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"option extra_body is not JSON: {error}") from error
    if not _sendable(value):
        raise ConfigError("option extra_body holds what JSON can't carry: NaN, infinity or a lone surrogate")
    if not isinstance(value, dict):
        raise ConfigError('option extra_body: expected a JSON object, such as {"top_p": 1}')
    taken = sorted(_OURS & value.keys())
    if taken:
        raise ConfigError(f"option extra_body must not set {', '.join(taken)}: Evenhand sets it itself")
    return value
