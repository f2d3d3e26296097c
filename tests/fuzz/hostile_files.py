"""Files that break readers: one list for every target, so that a kind of harm is met by all of them."""

from __future__ import annotations

import json
import zlib

from hostile import DEEP, short_texts

JSON_VALUES: tuple[str, ...] = (
    *("null", "true", "-0", "1e999", "-1e999", "NaN", "Infinity", "0.1e-999", "1" * 5_000, "-", "01"),
    *('""', '"\\ud800"', '"\\u0000"', '"\\u202e"', '"' + "x" * 20_000 + '"'),
    *("[]", "{}", "[[]]", '[{"a": {"b": [1]}}]', '{"": {}}'),
)
"""Values to put in the place of any field's."""

WHOLE: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\t\r\n",
    "one null byte": b"\0",
    "null bytes": b"\0" * 10_000,
    "BOM alone": b"\xef\xbb\xbf",
    "two BOMs": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "UTF-16": '{"id": "p", "instruction": "x"}\n'.encode("utf-16"),
    "UTF-16 without BOM": "pair_id,order\n".encode("utf-16-be"),
    "UTF-32": "[]".encode("utf-32"),
    "Latin-1": "id,instruction\n1,caf\xe9\n".encode("latin-1"),
    "lone surrogate in UTF-8": b'{"id": "\xed\xa0\x80"}',
    "overlong UTF-8": b'{"id": "\xc0\xaf"}',
    "only line ends": b"\n\r\r\n\n" * 1_000,
    "mixed line ends": b'{"a": 1}\r{"a": 2}\n\r{"a": 3}\r\n{"a": 4}\x0b{"a": 5}\xe2\x80\xa8',
    "list deep": b"[" * DEEP,
    "object deep": b'{"a":' * DEEP,
    "list deep and closed": b"[" * DEEP + b"]" * DEEP,
    "TOML deep": b"a = " + b"[" * DEEP,
    "TOML dotted deep": b".".join([b"a"] * 20_000) + b" = 1",
    "TOML tables": b"".join(b"[a%d]\n" % number for number in range(3_000)),
    "TOML date": b"name = 9999-12-31T23:59:59.999999-23:59\nmax_flip_rate = 1e999\n",
    "TOML huge": b"max_flip_rate = " + b"9" * 5_000,
    "TOML NaN": b"max_flip_rate = nan\nmax_failures = -inf\n",
    "key twice": b'{"id": 1, "id": 2}',
    "many keys": b'{"id": 1' + b"".join(b', "k%d": 1' % number for number in range(5_000)) + b"}",
    "long line": b'{"id": "' + b"x" * 1_000_000,
    "long key": b'{"' + b"k" * 1_000_000 + b'": 1}',
    "huge number": b"[" + b"9" * 100_000 + b"]",
    "not a number": b'[NaN, Infinity, -Infinity, 1e999, {"value": NaN}]',
    "CSV quote open": b'id,instruction\n1,"open\n' + b"x,y\n" * 1_000,
    "CSV quotes": b'"' * 10_001,
    "CSV header alone": b"id,instruction,response_a,response_b\n",
    "CSV header twice": b"id,id\n1,2\n",
    "CSV ragged": b"id,instruction,response_a,response_b\n1\n1,2,3,4,5,6\n",
    "CSV wide": b",".join(b"c%d" % number for number in range(5_000)) + b"\n" + b"," * 4_999 + b"\n",
    "CSV null": b"id,instruction,response_a,response_b\n1,\0,\0,\0\n",
    "CSV blank names": b",,,\n1,2,3,4\n",
    "CSV return in header": b'"id\r\nx","instruction","response_a","response_b"\n1,2,3,4\n',
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "gzip bomb": b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + zlib.compress(b"\0" * 1_000_000)[2:-4],
    "pickle": b"\x80\x04\x95\x1e\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.",
    "Parquet magic": b"PAR1" + b"\xff" * 64 + b"\xff\xff\xff\x7fPAR1",
    "Parquet magic twice": b"PAR1PAR1",
    "safetensors header beyond the end": (2**40).to_bytes(8, "little") + b"{}",
    "safetensors header huge": (2**63).to_bytes(8, "little"),
    "safetensors overlap": (60).to_bytes(8, "little")
    + b'{"x":{"dtype":"F64","shape":[9],"data_offsets":[0,999999]}}  ',
    "SQLite magic": b"SQLite format 3\0" + b"\xff" * 200,
    "XML bomb": b"<!DOCTYPE a [<!ENTITY b '" + b"&c;" * 1_000 + b"'>]><a>&b;</a>",
    "HTML": b"<!doctype html><title>404</title>",
    "LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
}
"""Whole files."""


def changed(seed: bytes) -> dict[str, bytes]:
    """The seed with one thing changed, where it is text; keyed by what was done."""
    made = {
        "with a BOM": b"\xef\xbb\xbf" + seed,
        "with CRLF": seed.replace(b"\n", b"\r\n"),
        "with CR alone": seed.replace(b"\n", b"\r"),
        "twice": seed + seed,
        "with null bytes at the end": seed + b"\0" * 100,
        "without its end": seed[:-1],
        "its half": seed[: len(seed) // 2],
        "backwards": seed[::-1],
    }
    for name, text in short_texts().items():
        escaped = json.dumps(text)[1:-1].encode()
        made[f"A replaced by {name}"] = seed.replace(b'"A"', b'"' + escaped + b'"')
        made[f"p1 replaced by {name}"] = seed.replace(b"p1", escaped)
    try:
        tree = json.loads(seed.splitlines()[0] if seed[:1] == b"{" else seed)
    except (ValueError, IndexError):
        return made
    row = tree[0] if isinstance(tree, list) and tree else tree
    if isinstance(row, dict):
        for key in row:
            for value in JSON_VALUES:
                text = json.dumps({**row, key: "@@"}).replace('"@@"', value)
                made[f"{key} = {value[:30]}"] = (f"[{text}]" if isinstance(tree, list) else text + "\n").encode()
            made[f"without {key}"] = json.dumps(
                [{k: v for k, v in row.items() if k != key}]
                if isinstance(tree, list)
                else {k: v for k, v in row.items() if k != key}
            ).encode()
    return made
