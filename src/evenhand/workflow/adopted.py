"""What a selective swap takes from its probe and its policy: prompt, labels, readout, and how pairs are chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand.audits.swap_design import floor_note, floor_size
from evenhand.errors import ConfigError
from evenhand.judges import Captures, Judge
from evenhand.probes.policy import PolicyRule, SwapPolicy, budget_size
from evenhand.probes.policy_file import load_policy
from evenhand.probes.saved import SavedProbe, card_path, load_probe
from evenhand.prompts import DEFAULT_PROMPT, available_prompts
from evenhand.records import LabelSet, Readout, SwapRecord, file_sha256
from evenhand.registry import BUILT_IN, resolve
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.settings import AuditSettings

__all__ = ["Adopted", "ExpectedSwaps", "adopt_probe", "check_activations", "expected_swaps"]

_CHOICES = {
    Readout.GENERATED: (ReadoutChoice.BOTH, ReadoutChoice.GENERATED),
    Readout.FIRST_TOKEN: (ReadoutChoice.FIRST_TOKEN, ReadoutChoice.BOTH),
    Readout.PREFILLED: (ReadoutChoice.PREFILLED,),
}
"""Readout choices under which each kind of verdict is asked for; the first is taken where the user chose nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Adopted:
    """The settings with the probe's own prompt, labels and readout where the user named none.

    Attributes
    ----------
    said
        What was taken over from the probe, in a sentence each.
    """

    settings: AuditSettings
    probe: SavedProbe
    policy: SwapPolicy | None
    record: SwapRecord
    said: tuple[str, ...]


def check_activations(judge: object) -> None:
    """Refuse a judge that doesn't show its activations, before its probe and prompt are looked at, or a model fetched.

    Parameters
    ----------
    judge
        An open judge; or a spec, which is refused where its kind is one of ours and never shows them.

    Raises
    ------
    ConfigError
        The judge doesn't show its activations.
    """
    if isinstance(judge, str):
        kind = judge.partition(":")[0]
        shown, spec = kind not in BUILT_IN["judges"] or hasattr(resolve("judges", kind), "capture"), judge
    elif isinstance(judge, Judge):
        shown, spec = isinstance(judge, Captures), judge.identity.spec
    else:
        return  # no judge at all: said where it is opened
    if not shown:
        raise ConfigError(
            f"judge {spec!r} doesn't show its activations: a selective swap needs an open-weight judge on torch, such "
            "as transformers:HuggingFaceTB/SmolLM2-135M-Instruct"
        )


def adopt_probe(settings: AuditSettings) -> Adopted:
    """Read the probe and the policy, and take from the probe what the user left open.

    Raises
    ------
    ConfigError
        The policy is of another probe or of a raw score, a prompt that isn't shipped wasn't named, or a readout was
        chosen under which the probe's verdicts aren't asked for.
    DataError
        The probe or the policy can't be read.
    """
    chosen = settings.selective
    if chosen is None:
        raise ConfigError("the settings name no probe: every pair is asked in both orders")
    path = Path(chosen.probe)
    probe = load_probe(path)
    card = card_path(path / "probe.json" if path.is_dir() else path)
    policy = None if chosen.policy is None else load_policy(Path(chosen.policy))
    record = SwapRecord(
        probe=card.name,
        probe_sha256=file_sha256(card),
        predictor=probe.name,
        rule=_rule(policy, chosen.budget, probe.name),
        share=_share(policy, chosen.budget),
        threshold=_threshold(policy),
        policy_sha256=None if chosen.policy is None else file_sha256(Path(chosen.policy)),
        guarantee=None if policy is None else policy.guarantee,
        floor=chosen.share_of_floor(0.0 if policy is None else policy.floor),
        floor_pairs=chosen.floor_pairs,
    )
    if policy is not None:
        _check_policy(policy, record, Path(chosen.policy or ""))
    taken = _taken(settings, probe)
    return Adopted(settings=taken.settings, probe=probe, policy=policy, record=record, said=taken.said)


def _rule(policy: SwapPolicy | None, budget: float | None, name: str) -> str:
    if policy is not None:
        return policy.describe()
    return f"the {100 * (budget or 0):g} % of the pairs with the highest {name} risk"


def _share(policy: SwapPolicy | None, budget: float | None) -> float | None:
    if policy is None:
        return budget
    # No threshold promises enough: all of them, which is a share.
    return 1.0 if policy.threshold == -math.inf else policy.budget


def _threshold(policy: SwapPolicy | None) -> float | None:
    return None if policy is None or policy.threshold == -math.inf else policy.threshold


def _check_policy(policy: SwapPolicy, record: SwapRecord, path: Path) -> None:
    if policy.probe_sha256 is None:
        raise ConfigError(f"{path}: the policy ranks pairs by the raw score {policy.score}, not by a saved probe")
    if policy.probe_sha256 != record.probe_sha256:
        raise ConfigError(
            f"{path}: the policy was made for another probe (sha256 {policy.probe_sha256[:12]}…) than {record.probe} "
            f"({record.probe_sha256[:12]}…)"
        )
    if policy.rule is PolicyRule.MAX_MISSED and policy.threshold is not None and policy.threshold > 1:
        raise ConfigError(f"{path}: no predicted risk reaches the policy's threshold {policy.threshold:g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    settings: AuditSettings
    said: tuple[str, ...]


def _taken(settings: AuditSettings, probe: SavedProbe) -> _Taken:
    subject, said = probe.card.subject, []
    if settings.prompt == DEFAULT_PROMPT and subject.prompt != DEFAULT_PROMPT:
        if subject.prompt not in available_prompts():
            raise ConfigError(
                f"probe {probe.name} was fitted under the prompt {subject.prompt!r}, which isn't a shipped one: name "
                "its TOML file with --prompt"
            )
        settings = replace(settings, prompt=subject.prompt)
        said.append(f"prompt {subject.prompt}")
    if not settings.labels:
        settings = replace(settings, labels=(LabelSet.parse(subject.labels),))
        said.append(f"labels {subject.labels}")
    fitting = _CHOICES[subject.readout]
    if settings.choices == (ReadoutChoice.BOTH,) and fitting[0] is not ReadoutChoice.BOTH:
        settings = replace(settings, readout=fitting[0])
        said.append(f"readout {fitting[0].value}")
    if len(settings.choices) != 1 or settings.choices[0] not in fitting:
        names = ", ".join(choice.value for choice in settings.choices)
        raise ConfigError(
            f"readouts {names}: probe {probe.name} predicts flips of the {subject.readout} readout, so a selective "
            f"swap with it asks for {' or '.join(choice.value for choice in fitting)}, and nothing beside it"
        )
    text = (f"as the probe {probe.name} was fitted under: {', '.join(said)}",) if said else ()
    return _Taken(settings=settings, said=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedSwaps:
    """How many pairs will be asked in order BA, before order AB was.

    Attributes
    ----------
    fewest, most
        They differ where a threshold decides: how many risks reach it isn't known yet.
    note
        What to say of a floor that takes more than its share.
    """

    fewest: int
    most: int
    note: str | None = None


def expected_swaps(record: SwapRecord, pairs: int) -> ExpectedSwaps:
    """From the rule alone, if the risk of every pair can be predicted.

    Examples
    --------
    >>> record = SwapRecord(probe="p", probe_sha256="", predictor="p", rule="", share=0.3, threshold=None, floor=0.1,
    ...                     floor_pairs=20)
    >>> expected_swaps(record, 1000)
    ExpectedSwaps(fewest=370, most=370, note=None)
    """
    if record.share is not None:
        certain = budget_size(pairs, record.share)
        drawn = certain + floor_size(pairs - certain, floor=record.floor, minimum=record.floor_pairs)
        note = floor_note(pairs - certain, floor=record.floor, minimum=record.floor_pairs)
        return ExpectedSwaps(fewest=drawn, most=drawn, note=note)
    fewest = floor_size(pairs, floor=record.floor, minimum=record.floor_pairs)
    note = floor_note(pairs, floor=record.floor, minimum=record.floor_pairs, exact=False)
    return ExpectedSwaps(fewest=fewest, most=pairs, note=note)
