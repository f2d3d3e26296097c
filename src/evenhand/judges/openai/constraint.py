"""Binding the decoder of an endpoint to the labels: four ways of saying it, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import ConfigError
from evenhand.judges.openai.server import Server, ServerKind
from evenhand.records import LabelSet

__all__ = ["Constraint", "constraint_for", "method_for"]

_FIELD = "verdict"
_BIAS = 100
"""The largest that the API allows: a token with it is as good as forced."""
_JSON_ROOM = 48
"""Tokens beside the label: braces, quotes, the field's name, and white space that some decoders add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """One way of binding, for one set of labels.

    Attributes
    ----------
    method
        ``response_format``, ``choice``, ``grammar`` or ``logit_bias``.
    fields
        What it adds to a request.
    max_tokens
        Enough for any label.
    bare
        Whether the label itself is written, so that the first position is the label's.
    """

    method: str
    labels: LabelSet
    fields: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int
    bare: bool

    def label(self, text: str) -> str | None:
        """The label that a text is; None where the endpoint did not keep to the constraint.

        Examples
        --------
        >>> labels = LabelSet.parse("A/B")
        >>> constraint_for("response_format", labels).label('{"verdict": "B"}')
        'B'
        """
        found: object = text.strip()
        if not self.bare:
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                return None
            found = found.get(_FIELD) if isinstance(found, dict) and len(found) == 1 else None
        return found if isinstance(found, str) and found in self.labels.by_outcome.values() else None


def method_for(server: Server, wished: str) -> str:
    """The way that this server has; ``response_format`` is the common API's."""
    if wished != "auto":
        return wished
    match server.kind:
        case ServerKind.LLAMA_CPP:
            return "grammar"
        case ServerKind.VLLM:
            return "choice"
        case _:
            return "response_format"


def constraint_for(method: str, labels: LabelSet, *, ids: Sequence[Sequence[int] | None] = ()) -> Constraint:
    """Make the constraint.

    Parameters
    ----------
    ids
        For ``logit_bias``, each label's token ids in the order of ``labels.by_outcome``.

    Raises
    ------
    ConfigError
        ``logit_bias`` with a label that is not one token, or whose token isn't known.

    Examples
    --------
    >>> constraint_for("grammar", LabelSet.parse("A/B")).fields["grammar"]
    'root ::= "A" | "B"'
    """
    texts = list(labels.by_outcome.values())
    room = max(len(text.encode("utf-8", "replace")) for text in texts) + 2
    match method:
        case "response_format":
            schema = {
                "type": "object",
                "properties": {_FIELD: {"type": "string", "enum": texts}},
                "required": [_FIELD],
                "additionalProperties": False,
            }
            fields: dict[str, Any] = {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": _FIELD, "strict": True, "schema": schema},
                }
            }
            return Constraint(method=method, labels=labels, fields=fields, max_tokens=room + _JSON_ROOM, bare=False)
        case "choice":
            fields = {"structured_outputs": {"choice": texts}}
        case "grammar":
            # JSON's escapes are GBNF's.
            fields = {"grammar": "root ::= " + " | ".join(json.dumps(text, ensure_ascii=False) for text in texts)}
        case "logit_bias":
            fields, room = {"logit_bias": _bias(texts, ids)}, 1
        case _:
            raise ConfigError(f"constrain={method!r}: expected response_format, choice, grammar or logit_bias")
    return Constraint(method=method, labels=labels, fields=fields, max_tokens=room, bare=True)


def _bias(texts: Sequence[str], ids: Sequence[Sequence[int] | None]) -> dict[str, int]:
    bias = {}
    for text, tokens in zip(texts, ids, strict=True):
        if tokens is None:
            raise ConfigError(
                "constrain=logit_bias needs token ids, and this server has no /tokenize: "
                "use constrain=response_format, grammar or choice"
            )
        if len(tokens) != 1:
            raise ConfigError(
                f"constrain=logit_bias: label {text!r} is {len(tokens)} tokens here, not a single one: "
                "choose another label, or constrain=response_format, grammar or choice"
            )
        bias[str(tokens[0])] = _BIAS
    if len(bias) != len(texts):
        raise ConfigError(f"constrain=logit_bias: the labels {'/'.join(texts)} are the same token here")
    return bias
