import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.probes import Metric, ProbeSubject, Retention
from evenhand.probes.saved_card import CardFigure, ProbeCard
from evenhand.probes.saved_json import FORMAT_VERSION, TensorsFile, card_from_json, card_to_json
from evenhand.records import Readout, content_hash
from probes.saved_examples import saved_probe

TENSORS = TensorsFile(file="probe.safetensors", sha256="0" * 64)


def changed(text: str, change: dict[str, Any], *, resealed: bool = True) -> str:
    """The file with top-level keys changed, its own checksum made to fit unless said otherwise."""
    value = {**json.loads(text), **change}
    if resealed:
        value["sha256"] = content_hash({key: item for key, item in value.items() if key != "sha256"})
    return json.dumps(value)


TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
SUBJECTS = st.builds(
    ProbeSubject,
    model=TEXTS,
    revision=st.none() | TEXTS,
    dtype=TEXTS,
    prompt=TEXTS,
    prompt_hash=TEXTS,
    labels=TEXTS,
    readout=st.sampled_from(Readout),
    blocks=st.integers(3, 200),
    size=st.integers(1, 10_000),
    settings=st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple),
)


@given(
    subject=SUBJECTS,
    l2=st.floats(allow_infinity=False) | st.integers(0, 10),
    spec=TEXTS,
    value=st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 1),
)
def test_a_card_reads_back_as_it_was(subject: ProbeSubject, l2: float, spec: str, value: float | None) -> None:
    card = saved_probe().card
    card = replace(
        card,
        subject=subject,
        l2=l2,
        trained_on=replace(card.trained_on, spec=spec, retention=Retention(planned=9, usable=7, lost=((spec, 2),))),
        figures=(CardFigure(metric=Metric.AUROC, value=value, n=3),),
    )
    text = card_to_json(card, TENSORS)
    read = card_from_json(text)
    assert card_to_json(read.card, read.tensors) == text
    assert read.tensors == TENSORS
    if l2 == l2 and not any("\ud800" <= c <= "\udfff" for c in f"{subject}{spec}"):
        assert read.card == card


def test_a_changed_card_is_refused_though_every_field_is_fine() -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    with pytest.raises(DataError, match="doesn't fit its own checksum"):
        card_from_json(text.replace('"model": "tiny/judge"', '"model": "another"'))


def test_a_newer_format_is_refused_by_name_whatever_else_it_has() -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    with pytest.raises(DataError, match="probe format 7 is newer than the 1"):
        card_from_json(changed(text, {"format_version": 7, "new": [1]}, resealed=False))


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None, [1]])
def test_no_other_version_is_taken(version: object) -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    with pytest.raises(DataError, match="expected 1"):
        card_from_json(changed(text, {"format_version": version}))
    assert FORMAT_VERSION == 1


@pytest.mark.parametrize(
    "file",
    [
        "../probe.safetensors",
        "/etc/probe.safetensors",
        "a/b.safetensors",
        "a\\b.safetensors",
        "C:probe.safetensors",
        "probe.json",
        ".safetensors",
        "...safetensors",
        "a\0.safetensors",
        "",
        "x" * 300 + ".safetensors",
    ],
)
def test_the_tensors_file_is_a_bare_name(file: str) -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    with pytest.raises(DataError, match="expected a bare name"):
        card_from_json(changed(text, {"tensors": {"file": file, "sha256": "0" * 64}}))


@pytest.mark.parametrize("digest", ["", "0" * 63, "g" * 64, "A" * 64])
def test_the_checksum_has_its_form(digest: str) -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    with pytest.raises(DataError, match="SHA-256 is"):
        card_from_json(changed(text, {"tensors": {"file": "p.safetensors", "sha256": digest}}))


def card_with(**fields: object) -> str:
    text = card_to_json(saved_probe().card, TENSORS)
    return changed(text, {"card": {**json.loads(text)["card"], **fields}})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("1" * 10_000, "not JSON"),
        ("[]", "not the card of a saved probe"),
        ('{"format_version": 1}', "not the card of a saved probe"),
        ('{"format": "evenhand probe", "format_version": 1}', "field 'card' is missing"),
        (card_with(l2="x"), "card.l2: expected a number"),
        (card_with(unknown=1), "unknown field 'unknown'"),
        (card_with(kind="magic"), "card.kind: expected one of"),
        (card_with(features="before-verdict@3"), "card.features: expected an array"),
        (card_with(features=["before-verdict@99"]), "the model has 4 blocks"),
        (card_with(features=["before-verdict@" + "9" * 5000]), "longer than 100"),
        (card_with(l2=0.123).replace("0.123", "NaN"), "card.l2: expected a number, got nan"),
        (card_with(l2=0.123).replace("0.123", "1e999"), "card.l2: expected a number, got inf"),
    ],
)
def test_a_damaged_card_is_one_clear_error(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        card_from_json(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_every_field_is_needed() -> None:
    text = card_to_json(saved_probe().card, TENSORS)
    card = json.loads(text)["card"]
    required = [name for name in card if name not in ("figures", "evenhand", "created")]
    assert set(required) <= set(ProbeCard.__slots__)
    for name in required:
        without = {key: value for key, value in card.items() if key != name}
        with pytest.raises(DataError, match=f"field '{name}' is missing"):
            card_from_json(changed(text, {"card": without}))
