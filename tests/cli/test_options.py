"""Options that commands share: what completion offers, and what is refused before any work."""

from unittest import mock

import pytest

from evenhand.cli.options import (
    complete_bias,
    complete_judge,
    complete_kind,
    complete_log_format,
    complete_pairs,
    complete_prompt,
    complete_readout,
)
from evenhand.prompts import available_prompts


def test_judges() -> None:
    assert complete_judge("llamacpp") == ["llamacpp:smollm2-135m", "llamacpp:"]
    assert "simulated:" in complete_judge("")
    assert complete_judge("nobody") == []
    assert complete_kind("llama") == ["llamacpp"]
    assert not any(":" in kind for kind in complete_kind(""))


def test_parameters_of_a_simulated_judge_one_by_one_or_after_a_comma() -> None:
    assert complete_judge("simulated:f")[:2] == ["simulated:fair", "simulated:formatting="]
    assert complete_judge("simulated:pos") == ["simulated:position="]
    assert complete_judge("simulated:position=1,no") == ["simulated:position=1,noise="]
    assert "simulated:position=1,position=" not in complete_judge("simulated:position=1,")
    assert "simulated:position=1,fair" not in complete_judge("simulated:position=1,")


def test_pairs_that_need_a_path_end_in_a_colon() -> None:
    assert complete_pairs("st") == ["starter"]
    assert complete_pairs("ad") == ["adversarial"]
    assert complete_pairs("ll") == ["llmbar:", "llmbar:hub"]
    assert complete_pairs("mt") == ["mt_bench:", "mt_bench:hub"]
    assert not any(choice.startswith("table") for choice in complete_pairs(""))  # a file is named by its path


def test_log_formats() -> None:
    assert {"alpaca_eval", "inspect", "mt_bench_judgments", "table"} < set(complete_log_format(""))
    assert complete_log_format("j") == ["judgebench"]


def test_prompts() -> None:
    assert complete_prompt("") == list(available_prompts())
    assert complete_prompt("single-char") == ["single-character"]


def test_bias_audits_one_by_one_or_after_a_comma() -> None:
    assert complete_bias("ver") == ["verbosity"]
    assert {"all", "tone"} <= set(complete_bias(""))
    assert complete_bias("tone,form") == ["tone,formatting"]
    assert "tone,tone" not in complete_bias("tone,")
    assert "tone,all" not in complete_bias("tone,")
    assert complete_bias("nobody") == []


def test_readouts() -> None:
    assert complete_readout("") == ["first-token", "generated", "hybrid", "prefilled", "constrained", "logged"]
    assert complete_readout("fi") == ["first-token"]


@pytest.mark.parametrize(
    "name", ["biases", "compare", "gate", "history", "humans", "mitigate", "rank", "report", "triage"]
)
def test_every_command_with_figures_takes_their_formats(name, capsys):
    """A format that there isn't is refused before any work: the run need not even exist."""
    from evenhand.cli.main import run

    words = {"compare": ["a", "b"], "history": ["show", "h.jsonl"]}.get(name, ["a"])
    with mock.patch("sys.argv", ["evenhand", name, *words, "--figures", "svg,gif"]), pytest.raises(SystemExit) as end:
        run()
    assert end.value.code == 2
    assert "figure format 'gif': expected svg, pdf or png" in capsys.readouterr().err
