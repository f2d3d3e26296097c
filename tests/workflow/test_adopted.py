import math
from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes.policy import CalibratedOn, PolicyRule, SwapPolicy
from evenhand.probes.policy_file import save_policy
from evenhand.probes.saved import save_probe
from evenhand.prompts import load_prompt
from evenhand.records import LabelSet, Readout, SwapRecord, file_sha256
from evenhand.workflow.adopted import ExpectedSwaps, adopt_probe, expected_swaps
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.selective_settings import SelectiveSettings
from evenhand.workflow.settings import AuditSettings
from probes.saved_examples import SUBJECT, probe_data, saved_probe

PROMPT = "brief-reasoning"


def probe_of(folder, **changes):
    subject = replace(SUBJECT, prompt=PROMPT, prompt_hash=load_prompt(PROMPT).hash, **changes)
    return save_probe(folder / "probe.json", saved_probe(data=probe_data(subject=subject)))


def adopted(probe, *, budget=0.3, policy=None, floor=None, **more):
    chosen = SelectiveSettings(probe=probe, budget=None if policy else budget, policy=policy, floor=floor)
    return adopt_probe(AuditSettings(selective=chosen, **more))


def test_what_is_left_open_is_the_probes(tmp_path):
    found = adopted(probe_of(tmp_path))
    assert found.settings.prompt == PROMPT
    assert found.settings.labels == (LabelSet.parse("A/B"),)
    assert found.settings.choices == (ReadoutChoice.BOTH,)
    assert found.said == ("as the probe probe was fitted under: prompt brief-reasoning, labels A/B",)
    assert found.record.probe_sha256 == file_sha256(tmp_path / "probe.json")
    assert (found.record.share, found.record.threshold, found.record.floor) == (0.3, None, 0.1)
    assert found.record.rule == "the 30 % of the pairs with the highest probe risk"
    again = adopt_probe(found.settings)
    assert again.settings == found.settings
    assert again.said == ()


def test_a_folder_or_the_tensors_name_the_same_probe(tmp_path):
    card = probe_of(tmp_path)
    assert adopted(tmp_path).record == adopted(card).record == adopted(tmp_path / "probe.safetensors").record
    with pytest.raises(DataError):
        adopted(tmp_path / "another.json")


@pytest.mark.parametrize(
    ("readout", "choice"),
    [(Readout.FIRST_TOKEN, ReadoutChoice.FIRST_TOKEN), (Readout.PREFILLED, ReadoutChoice.PREFILLED)],
)
def test_the_readout_too(tmp_path, readout, choice):
    found = adopted(probe_of(tmp_path, readout=readout))
    assert found.settings.choices == (choice,)
    assert f"readout {choice}" in found.said[0]


def test_a_readout_that_doesn_t_ask_for_the_probes_verdicts_is_refused(tmp_path):
    probe = probe_of(tmp_path)
    for chosen in (ReadoutChoice.FIRST_TOKEN, (ReadoutChoice.BOTH, ReadoutChoice.PREFILLED), ReadoutChoice.HYBRID):
        with pytest.raises(ConfigError, match="predicts flips of the generated readout"):
            adopted(probe, readout=chosen)


def test_a_prompt_that_is_not_shipped_has_to_be_named(tmp_path):
    subject = replace(SUBJECT, prompt="my own")
    probe = save_probe(tmp_path / "probe.json", saved_probe(data=probe_data(subject=subject)))
    with pytest.raises(ConfigError, match="name its TOML file"):
        adopted(probe)
    assert adopted(probe, prompt="my.toml").settings.prompt == "my.toml"


def policy(card, **changes):
    values = {
        "rule": PolicyRule.MAX_MISSED,
        "score": "probe",
        "subject": SUBJECT,
        "probe_sha256": file_sha256(card),
        "threshold": 0.4,
        "alpha": 0.1,
        "floor": 0.05,
        "guarantee": "at most 10 % of the flips are missed",
        "calibrated_on": CalibratedOn(spec="x", sha256="0", pairs=100, groups=50, flips=20, missed=1, largest_group=2),
        **changes,
    }
    return SwapPolicy(**values)


def test_a_policy_gives_threshold_floor_and_guarantee(tmp_path):
    card = probe_of(tmp_path)
    path = save_policy(tmp_path / "policy.json", policy(card))
    record = adopted(card, policy=path).record
    assert (record.threshold, record.share, record.floor) == (0.4, None, 0.05)
    assert record.guarantee == "at most 10 % of the flips are missed"
    assert record.policy_sha256 == file_sha256(path)
    assert adopted(card, policy=path, floor=0.2).record.floor == 0.2
    everything = save_policy(tmp_path / "all.json", policy(card, threshold=-math.inf))
    assert (adopted(card, policy=everything).record.share, adopted(card, policy=everything).record.threshold) == (
        1,
        None,
    )
    budget = policy(
        card, rule=PolicyRule.BUDGET, budget=0.25, threshold=None, alpha=None, guarantee=None, calibrated_on=None
    )
    record = adopted(card, policy=save_policy(tmp_path / "budget.json", budget)).record
    assert (record.share, record.threshold, record.guarantee) == (0.25, None, None)


def test_a_policy_of_another_probe_or_of_a_raw_score_is_refused(tmp_path):
    card = probe_of(tmp_path)
    other = save_policy(tmp_path / "other.json", policy(card, probe_sha256="1" * 64))
    with pytest.raises(ConfigError, match="made for another probe"):
        adopted(card, policy=other)
    raw = save_policy(tmp_path / "raw.json", policy(card, probe_sha256=None, score="confidence"))
    with pytest.raises(ConfigError, match="raw score confidence"):
        adopted(card, policy=raw)


def test_how_many_are_expected():
    record = SwapRecord(
        probe="p", probe_sha256="", predictor="p", rule="", share=0.3, threshold=None, floor=0.1, floor_pairs=20
    )
    sure = expected_swaps(record, 100)
    assert (sure.fewest, sure.most) == (50, 50)
    assert sure.note.startswith("the floor of 20 pairs is 29 % of the rest (10 % were asked for")
    either = expected_swaps(replace(record, share=None, threshold=0.5), 100)
    assert (either.fewest, either.most) == (20, 100)
    assert either.note.startswith("the floor of 20 pairs is at least 20 % of the rest")
    assert expected_swaps(record, 1000) == ExpectedSwaps(fewest=370, most=370)
    assert expected_swaps(replace(record, floor_pairs=1), 100).note is None


def test_settings_without_a_probe_have_nothing_to_adopt():
    with pytest.raises(ConfigError, match="name no probe"):
        adopt_probe(AuditSettings())
