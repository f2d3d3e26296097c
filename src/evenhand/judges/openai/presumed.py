"""What an estimate takes for granted of an endpoint that told nothing, so that no figure seems surer than it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.judges.base import JudgeRequest
from evenhand.judges.openai.ask import begun_with
from evenhand.judges.openai.settings import ApiSettings

__all__ = ["presumed_of"]


def presumed_of(settings: ApiSettings, requests: Sequence[JudgeRequest], *, why: str) -> tuple[str, ...]:
    """What must hold for these requests to be answered as they are planned, one sentence each.

    Parameters
    ----------
    why
        Why nothing of it is known, such as "it was not asked: OPENAI_API_KEY holds no key".
    """
    return tuple(_sentences(settings, requests, why=why)) if requests else ()


def _sentences(settings: ApiSettings, requests: Sequence[JudgeRequest], *, why: str) -> Iterator[str]:
    takes = "" if settings.endpoint.loopback else " and takes the key"
    yield f"{settings.endpoint.host} answers, has the model {settings.model!r}{takes} ({why})"
    if any(request.first_token for request in requests):
        yield "it gives log probabilities of first tokens; without them every first-token readout is unparsed"
    if any(begun_with(request) for request in requests):
        others = "it is asked of every server (prefill=on)"
        if settings.prefill != "on":
            others = "of others the prefilled readout is refused"
        yield f"it goes on with an answer begun for it, as llama.cpp's server and vLLM do; {others}"
    if any(request.constrained for request in requests):
        way = "by its own means" if settings.constrain == "auto" else f"by {settings.constrain}"
        yield f"it can be bound to the labels {way}, for the constrained readout"
