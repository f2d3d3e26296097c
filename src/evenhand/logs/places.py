"""Places inside a record, written with dots: how a user names a column of a nested log, and what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["look_up", "places_of"]

_DEEPEST = 6
"""Levels that places are listed for; a log's verdicts don't lie deeper, and hostile nesting must not be walked."""

_MOST = 400
"""Places that are listed of one record; a wider one is named by the user."""


def look_up(record: object, place: str) -> object:
    """Find what stands at a dotted place; None where there is nothing.

    A key that has dots itself (a CSV column such as ``inputs.question``) is found as it is written. A number indexes a
    list.

    Examples
    --------
    >>> look_up({"vars": {"order": "AB"}}, "vars.order"), look_up({"vars.order": "BA"}, "vars.order")
    ('AB', 'BA')
    >>> look_up({"resps": [["A"]]}, "resps.0.0"), look_up({}, "a.b") is None
    ('A', True)
    """
    if isinstance(record, Mapping):
        if place in record:
            return record[place]
        cut = place.find(".")
        while cut >= 0:
            if place[:cut] in record:
                found = look_up(record[place[:cut]], place[cut + 1 :])
                if found is not None:
                    return found
            cut = place.find(".", cut + 1)
        return None
    if isinstance(record, list):
        head, _, rest = place.partition(".")
        # isdigit alone also takes superscripts, which int refuses.
        if not (head.isascii() and head.isdigit() and len(head) < 7 and int(head) < len(record)):
            return None
        return look_up(record[int(head)], rest) if rest else record[int(head)]
    return None


def places_of(record: object) -> tuple[str, ...]:
    """List the dotted places of a record's plain values, in the record's order.

    Examples
    --------
    >>> places_of({"id": 1, "vars": {"order": "AB", "none": None}})
    ('id', 'vars.order', 'vars.none')
    """
    found: list[str] = []
    for place in _walk(record, "", 0):
        found.append(place)
        if len(found) >= _MOST:
            break
    return tuple(found)


def _walk(value: object, place: str, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, inner in value.items():
            yield from _walk(inner, f"{place}.{key}" if place else str(key), depth + 1)
    elif place:
        yield place
