from evenhand.cli.probe_collect_output import kept_text, replay_text, size_text
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.records import Readout
from evenhand.workflow.replaying import ReplayCheck

META = ActivationMeta(blocks=30, size=576, layers=(8, 15), readout=Readout.GENERATED)


def check(**changes: object) -> ReplayCheck:
    found = {
        "replayed": 10,
        "of": 10,
        "wrong_verdicts": 0,
        "wrong_vectors": 0,
        "largest": 2e-6,
        "tolerance": 1e-3,
        "first": None,
        "seconds": 3.2,
    }
    return ReplayCheck(**{**found, **changes})  # type: ignore[arg-type]


def test_what_is_kept_names_positions_layers_and_room() -> None:
    assert kept_text(META, 5_200_000) == (
        "before-verdict and prompt-end at layers 8, 15 of 30, width 576, float32: 5.2 MB"
    )
    one = ActivationMeta(blocks=30, size=576, layers=(8,), readout=Readout.PREFILLED)
    assert kept_text(one, 10).startswith("before-verdict (the prompt's last token")
    assert "at layer 8 of 30" in kept_text(one, 10)


def test_a_replay_says_how_much_agrees() -> None:
    assert replay_text(check(), Readout.GENERATED) == (
        "10 presentations in 3 s: every verdict is the greedy next token; largest distance of an activation 2.0e-06 of "
        "its length"
    )
    assert "every recorded first token is the greedy next token" in replay_text(check(), Readout.FIRST_TOKEN)
    assert replay_text(check(largest=0.0), Readout.GENERATED).endswith("activation 0 of its length")
    assert "10 of 40 presentations" in replay_text(check(of=40), Readout.GENERATED)
    assert "3 other verdicts, 1 activations beyond 0.001" in replay_text(
        check(wrong_verdicts=3, wrong_vectors=1), Readout.GENERATED
    )
    assert replay_text(check(replayed=0, of=0), Readout.GENERATED).startswith("nothing to replay")


def test_sizes_change_their_unit() -> None:
    assert [size_text(n) for n in (0, 99_999, 100_000, 999_999_999, 1e9)] == [
        "0 bytes",
        "99,999 bytes",
        "0.1 MB",
        "1,000.0 MB",
        "1.0 GB",
    ]
