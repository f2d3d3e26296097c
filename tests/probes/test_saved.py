import ast
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import evenhand.probes
from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes import Place, PredictorKind
from evenhand.probes.features import Feature
from evenhand.probes.saved import SavedProbe, card_path, load_probe, load_probes, save_probe
from evenhand.probes.saved_json import TensorsFile, card_to_json
from evenhand.records import Readout
from probes.saved_examples import SUBJECT, probe_data, renamed, saved_probe

COMBINED = (*Feature, "before-verdict@1", "prompt-end@3")
FINITE = st.floats(-1e6, 1e6)


@settings(deadline=None)  # it writes files
@given(
    mean=arrays(np.float64, 12, elements=FINITE),
    scale=arrays(np.float64, 12, elements=st.floats(1e-6, 1e6)),
    weights=arrays(np.float64, 12, elements=FINITE),
    intercept=FINITE,
)
def test_a_saved_probe_is_the_same_probe(
    tmp_path_factory: pytest.TempPathFactory,
    mean: np.ndarray,
    scale: np.ndarray,
    weights: np.ndarray,
    intercept: float,
) -> None:
    probe = replace(saved_probe(COMBINED), mean=mean, scale=scale, weights=weights, intercept=intercept)
    again = load_probe(save_probe(tmp_path_factory.mktemp("probe") / "probe", probe))
    assert again.card == probe.card
    for name in ("mean", "scale", "weights"):
        assert getattr(again, name).tobytes() == getattr(probe, name).tobytes()
    assert again.intercept == probe.intercept
    data = probe_data(8, seed=3)
    np.testing.assert_array_equal(again.probabilities(data), probe.probabilities(data))


def test_probabilities_are_those_computed_by_hand() -> None:
    probe = replace(
        saved_probe(("before-verdict@3", "absolute-margin")),
        mean=np.array([1.0, 0.0, -1.0, 2.0]),
        scale=np.array([2.0, 1.0, 0.5, 4.0]),
        weights=np.array([0.5, -1.0, 0.25, 2.0]),
        intercept=-0.5,
    )
    data = probe_data(1)
    place = Place.parse("before-verdict@3")
    data = replace(
        data,
        activations={**data.activations, place: np.array([[2.0, 0.5, -2.0]], dtype=np.float32)},
        margin=np.array([-3.0]),
    )
    logit = 0.5 * (2 - 1) / 2 - 0.5 + 0.25 * (-2 + 1) / 0.5 + 2 * (3 - 2) / 4 - 0.5
    assert probe.probabilities(data) == pytest.approx([1 / (1 + math.exp(-logit))], abs=1e-15)


def test_applying_changes_neither_the_data_nor_the_probe() -> None:
    probe, data = saved_probe(COMBINED), probe_data(10)
    before = {place: values.copy() for place, values in data.activations.items()}
    margin = data.margin.copy()
    first = probe.probabilities(data)
    np.testing.assert_array_equal(first, probe.probabilities(data))
    np.testing.assert_array_equal(data.margin, margin)
    assert all(np.array_equal(values, data.activations[place]) for place, values in before.items())


def test_each_pair_is_judged_alone() -> None:
    """No mean or spread of the set that it is applied to enters."""
    probe, data = saved_probe(COMBINED), probe_data(12)
    whole = probe.probabilities(data)
    alone = [float(probe.probabilities(data.rows([i]))[0]) for i in range(12)]
    assert alone == pytest.approx(whole, abs=1e-14)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("revision", "other"),
        ("dtype", "bfloat16"),
        ("prompt_hash", "0" * 64),
        ("labels", "1/2"),
        ("readout", Readout.PREFILLED),
        ("blocks", 12),
        ("size", 4),
        ("settings", ()),
    ],
)
def test_probabilities_of_another_judge_are_refused(field: str, value: object) -> None:
    with pytest.raises(ConfigError, match="probe probe doesn't fit this judge"):
        saved_probe().probabilities(probe_data(4, subject=replace(SUBJECT, **{field: value})))


def test_a_place_that_was_not_collected_is_named_with_the_layer() -> None:
    data = probe_data(4, places=[Place.parse("before-verdict@1")])
    with pytest.raises(ConfigError, match=r"reads before-verdict@3, .*collected: before-verdict@1.*--layers 3"):
        saved_probe().probabilities(data)


def test_a_missing_confidence_is_never_filled_in() -> None:
    data = probe_data(4)
    data.confidence[2] = np.nan
    with pytest.raises(DataError, match="1 of 4 pairs have no confidence"):
        saved_probe(("confidence",)).probabilities(data)


def test_an_activation_that_is_not_finite_is_an_error() -> None:
    data = probe_data(4)
    data.activations[Place.parse("before-verdict@3")][1, 2] = np.inf
    with pytest.raises(DataError, match="not finite for pair 'q1'"):
        saved_probe().probabilities(data)


def test_a_baseline_of_the_flip_rate_alone_needs_no_column() -> None:
    probe = saved_probe((), name="no-signal", kind=PredictorKind.CONTROL)
    assert probe.probabilities(probe_data(3)) == pytest.approx([1 / (1 + math.exp(-probe.intercept))] * 3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mean": np.zeros(2)}, "expected float64 of"),
        ({"weights": np.zeros(3, dtype=np.float32)}, "is float32"),
        ({"weights": np.array([0, np.nan, 1])}, "isn't finite"),
        ({"scale": np.array([0.0, 1, 1])}, "isn't positive"),
        ({"intercept": math.inf}, "expected a finite number"),
    ],
)
def test_numbers_that_can_not_be_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        replace(saved_probe(), **changes)


@pytest.mark.parametrize("given_as", ["b.json", "b.safetensors", "b"])
def test_a_probe_is_found_by_either_file_or_its_bare_name(tmp_path: Path, given_as: str) -> None:
    assert save_probe(tmp_path / "deep" / "b", saved_probe()) == tmp_path / "deep" / "b.json"
    assert load_probe(tmp_path / "deep" / given_as).name == "probe"


def test_a_folder_has_its_probe(tmp_path: Path) -> None:
    save_probe(tmp_path / "probe.json", saved_probe())
    assert load_probe(tmp_path).name == "probe"


def test_a_folder_of_a_fit_has_several(tmp_path: Path) -> None:
    save_probe(tmp_path / "baselines" / "margin", saved_probe(("margin",), name="margin"))
    assert [each.name for each in load_probes(tmp_path)] == ["margin"]
    save_probe(tmp_path / "probe", saved_probe())
    save_probe(tmp_path / "beyond" / "all", saved_probe(name="all"))
    assert [each.name for each in load_probes(tmp_path)] == ["probe", "margin", "all"]
    assert [each.name for each in load_probes(tmp_path / "baselines" / "margin.json")] == ["margin"]


def test_a_folder_without_a_probe_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"probe\.json: can't be read"):
        load_probes(tmp_path)


def test_a_dot_in_a_name_is_no_ending(tmp_path: Path) -> None:
    card = save_probe(tmp_path / "qwen3-1.7b", saved_probe())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qwen3-1.7b.json", "qwen3-1.7b.safetensors"]
    assert load_probe(card).name == "probe"


@pytest.mark.parametrize("name", [".json", "..", ".safetensors"])
def test_a_probe_needs_a_name(name: str) -> None:
    with pytest.raises(ConfigError, match="expected a file's name"):
        card_path(Path(name))


def flip_a_byte(card: Path) -> None:
    tensors = card.with_suffix(".safetensors")
    data = bytearray(tensors.read_bytes())
    data[-1] ^= 1
    tensors.write_bytes(data)


def truncate_tensors(card: Path) -> None:
    tensors = card.with_suffix(".safetensors")
    tensors.write_bytes(tensors.read_bytes()[:-8])


def truncate_card(card: Path) -> None:
    card.write_bytes(card.read_bytes()[:-40])


def remove_tensors(card: Path) -> None:
    card.with_suffix(".safetensors").unlink()


def other_tensors(card: Path) -> None:
    other = save_probe(card.with_name("other"), saved_probe(seed=9))
    other.with_suffix(".safetensors").replace(card.with_suffix(".safetensors"))


def huge_tensors(card: Path) -> None:
    with card.with_suffix(".safetensors").open("ab") as file:
        file.truncate(1 << 30)


def edited_card(card: Path) -> None:
    card.write_text(card.read_text().replace('"labels": "A/B"', '"labels": "X/Y"'))


def not_utf8(card: Path) -> None:
    card.write_bytes(b"\xff\xfe" + card.read_bytes())


def outside(card: Path) -> None:
    """A card that fits its checksum, and names a file in another folder."""
    value = json.loads(card.read_text())
    value["tensors"]["file"] = "../probe.safetensors"
    from evenhand.records import content_hash

    value["sha256"] = content_hash({key: item for key, item in value.items() if key != "sha256"})
    card.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (flip_a_byte, "doesn't fit the checksum in p.json"),
        (truncate_tensors, "doesn't fit the checksum in p.json"),
        (other_tensors, "doesn't fit the checksum in p.json"),
        (truncate_card, "p.json: not JSON"),
        (remove_tensors, "p.safetensors: can't be read"),
        (huge_tensors, "is larger than"),
        (edited_card, "doesn't fit its own checksum"),
        (not_utf8, "not UTF-8"),
        (outside, "expected a bare name"),
    ],
)
def test_a_damaged_probe_is_one_clear_error_that_names_the_file(
    tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    card = save_probe(tmp_path / "p", saved_probe())
    harm(card)
    with pytest.raises(DataError, match=said) as caught:
        load_probe(card)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_are_checked_though_every_checksum_fits(tmp_path: Path) -> None:
    """Whoever writes both files anew can make checksums fit; the numbers must still be some."""
    import hashlib

    from safetensors.numpy import load, save

    card = save_probe(tmp_path / "p", saved_probe())
    tensors = card.with_suffix(".safetensors")
    values = load(tensors.read_bytes())
    values["weights"] = values["weights"] * np.nan
    tensors.write_bytes(save(values))
    digest = hashlib.sha256(tensors.read_bytes()).hexdigest()
    card.write_text(card_to_json(saved_probe().card, TensorsFile(file="p.safetensors", sha256=digest)))
    with pytest.raises(DataError, match=r"p\.safetensors, field 'weights': holds a number that isn't finite"):
        load_probe(card)


@pytest.mark.parametrize("name", ["missing", "missing.json", "folder"])
def test_what_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="can't be read"):
        load_probe(tmp_path / name)


def test_a_save_that_fails_half_way_leaves_no_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import evenhand.probes.saved as module

    def full(path: Path, text: str) -> None:
        raise StoreError(f"{path}: can't be written (disk full)")

    monkeypatch.setattr(module, "write_text_atomically", full)
    with pytest.raises(StoreError, match="disk full"):
        save_probe(tmp_path / "p", saved_probe())
    with pytest.raises(DataError, match="can't be read"):
        load_probe(tmp_path / "p")


def test_a_file_where_the_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be made"):
        save_probe(tmp_path / "file" / "p", saved_probe())


def test_the_same_probe_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (save_probe(tmp_path / name / "p", saved_probe()) for name in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".safetensors").read_bytes() == second.with_suffix(".safetensors").read_bytes()


def test_a_probe_knows_what_it_was_trained_on() -> None:
    probe = saved_probe()
    assert probe.overlap(probe_data()).pairs == 60
    assert not probe.overlap(probe_data(prefix="other"))


def test_notes_name_what_matters_little() -> None:
    others = tuple((name, "torch 3" if name == "engine" else value) for name, value in SUBJECT.settings)
    assert len(saved_probe().notes(replace(SUBJECT, settings=others))) == 1


def test_the_name_of_a_predictor_is_free() -> None:
    assert renamed(saved_probe(), name="combined <b>").name == "combined <b>"
    assert isinstance(saved_probe(), SavedProbe)


FORBIDDEN = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def test_nothing_of_the_probes_can_run_a_file() -> None:
    """No module that unpickles is imported, and NumPy is never allowed to."""
    folder = Path(evenhand.probes.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    assert not {name.name.partition(".")[0] for name in names} & FORBIDDEN, path
                case ast.ImportFrom(module=str(module)):
                    assert module.partition(".")[0] not in FORBIDDEN, path
                case ast.keyword(arg="allow_pickle" | "trust_remote_code" | "weights_only"):
                    pytest.fail(f"{path}: {ast.unparse(node)}")
                case ast.Call(func=ast.Name(id="eval" | "exec")):
                    pytest.fail(f"{path}: {ast.unparse(node)}")
