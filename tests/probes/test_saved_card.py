from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes import Metric
from evenhand.probes.saved_card import CardFigure, Overlap, TrainedOn, check_subject, known_by, subject_notes
from evenhand.records import Readout
from evenhand.stats import Estimate, Interval, Refusal
from probes.saved_examples import SUBJECT, probe_data, saved_probe

MISMATCHES = {
    "revision": ("badbad", "model is tiny/judge at badbad, the probe's tiny/judge at c0ffee"),
    "dtype": ("bfloat16", "dtype is bfloat16, the probe's float32"),
    "prompt_hash": ("ef" * 32, "prompt is three-line"),
    "labels": ("X/Y", "label pair is X/Y, the probe's A/B"),
    "readout": (Readout.FIRST_TOKEN, "readout is first-token, the probe's generated"),
    "blocks": (5, "number of blocks is 5, the probe's 4"),
    "size": (4, "residual stream's width is 4, the probe's 3"),
}


@pytest.mark.parametrize("field", MISMATCHES)
def test_every_mismatch_is_refused_and_named(field: str) -> None:
    value, said = MISMATCHES[field]
    with pytest.raises(ConfigError) as caught:
        check_subject(SUBJECT, replace(SUBJECT, **{field: value}), name="probe")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_subject_fits_itself() -> None:
    check_subject(SUBJECT, SUBJECT, name="probe")
    assert subject_notes(SUBJECT, SUBJECT) == ()


def test_all_mismatches_are_named_in_one_line() -> None:
    other = replace(SUBJECT, **{field: value for field, (value, _) in MISMATCHES.items()})
    with pytest.raises(ConfigError) as caught:
        check_subject(SUBJECT, other, name="probe")
    for _, said in MISMATCHES.values():
        assert said in str(caught.value)


def test_weights_are_known_by_their_revision_where_both_have_one() -> None:
    check_subject(SUBJECT, replace(SUBJECT, model="/home/me/copy"), name="probe")


@pytest.mark.parametrize("own", [None, "c0ffee"])
def test_else_by_the_models_name(own: str | None) -> None:
    mine = replace(SUBJECT, revision=own)
    check_subject(mine, replace(SUBJECT, revision=None), name="probe")
    with pytest.raises(ConfigError, match="model is another, the probe's tiny/judge"):
        check_subject(mine, replace(SUBJECT, revision=None, model="another"), name="probe")


def test_another_name_of_the_same_prompt_is_no_mismatch() -> None:
    check_subject(SUBJECT, replace(SUBJECT, prompt="my copy.toml"), name="probe")


@pytest.mark.parametrize("setting", ["chat_template", "thinking", "a setting of tomorrow"])
def test_a_setting_that_changes_the_prompt_is_a_mismatch(setting: str) -> None:
    others = (*(pair for pair in SUBJECT.settings if pair[0] != setting), (setting, "other"))
    with pytest.raises(ConfigError, match=f"setting {setting} is other"):
        check_subject(SUBJECT, replace(SUBJECT, settings=others), name="probe")
    with pytest.raises(ConfigError, match=f"setting {setting} is .*, the probe's other"):
        check_subject(replace(SUBJECT, settings=others), SUBJECT, name="probe")


def test_a_setting_that_matters_little_is_a_note() -> None:
    others = tuple((name, "torch 3" if name == "engine" else value) for name, value in SUBJECT.settings)
    other = replace(SUBJECT, settings=others[:-1])
    check_subject(SUBJECT, other, name="probe")
    assert subject_notes(SUBJECT, other) == (
        "engine: the probe was trained with torch 2.13, applied with torch 3",
        "n_ctx: the probe was trained with 2048, applied with not recorded",
    )


def test_the_training_set_is_known_again_by_hashes_without_its_text() -> None:
    data = probe_data(10)
    trained = TrainedOn.of(data)
    assert (trained.pairs, trained.groups) == (10, 5)
    assert trained.flip_rate == data.flips.mean()
    assert trained.overlap(data) == Overlap(groups=5, pairs=10)
    assert trained.overlap(data.rows([0, 1, 2])) == Overlap(groups=2, pairs=3)
    other = trained.overlap(probe_data(10, prefix="other"))
    assert other == Overlap(groups=0, pairs=0)
    assert not other
    assert bool(Overlap(groups=0, pairs=1))
    assert not any("q" in text for text in (*trained.group_hashes, *trained.pair_hashes))
    assert list(trained.pair_hashes) == sorted(known_by(pair) for pair in data.pair_ids)


def test_counts_must_fit_the_hashes() -> None:
    with pytest.raises(DataError, match="don't fit their hashes"):
        replace(TrainedOn.of(probe_data(10)), pairs=9)


@pytest.mark.parametrize(
    ("features", "said"),
    [
        (("before-verdict@3", "before-verdict@3"), "named twice"),
        (("before-verdict@9",), "the model has 4 blocks"),
        (("shoe-size",), "'shoe-size' is no feature"),
        (("sideways@1",), "expected POSITION@LAYER"),
        (("before-verdict@" + "1" * 5000,), "longer than 100 characters"),
    ],
)
def test_features_that_no_probe_has_are_refused(features: tuple[str, ...], said: str) -> None:
    card = saved_probe().card
    with pytest.raises((DataError, ConfigError), match=said):
        replace(card, features=features)


def test_a_card_can_not_ask_for_all_memory() -> None:
    card = saved_probe().card
    with pytest.raises(DataError, match="no more than"):
        replace(card, subject=replace(card.subject, size=10**12))


def test_columns_are_counted_in_the_features_order() -> None:
    card = saved_probe(("confidence", "before-verdict@1", "before-verdict@3")).card
    assert card.columns == 1 + 3 + 3
    assert [place.name for place in card.places] == ["before-verdict@1", "before-verdict@3"]


def test_figures_keep_the_interval_or_the_reason() -> None:
    interval = Interval(low=0.6, high=0.8, level=0.9, method="percentile")
    kept = CardFigure.of(Metric.AUROC, Estimate(value=0.7, interval=interval, n=50, clusters=25))
    assert (kept.value, kept.low, kept.high, kept.level, kept.n, kept.clusters) == (0.7, 0.6, 0.8, 0.9, 50, 25)
    assert kept.refused is None
    refused = CardFigure.of(Metric.BRIER, Refusal(reason="too few", n=2))
    assert (refused.value, refused.low, refused.refused, refused.n) == (None, None, "too few", 2)
