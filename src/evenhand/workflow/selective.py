"""A selective swap, live: order AB of every pair, then order BA where the probe sees a risk, and of a random floor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evenhand.audits.sample import in_a_table
from evenhand.audits.swap_design import SwapDesign, SwapStratum, draw_swaps, floor_note
from evenhand.judges import Captures, CostEstimate, Judge, JudgeRequest
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.places import Place
from evenhand.probes.saved_card import check_subject
from evenhand.records import Order, Presentation, RunManifest, SwapRecord
from evenhand.store import Journal
from evenhand.workflow.adopted import Adopted, ExpectedSwaps, check_activations, expected_swaps
from evenhand.workflow.asking import Asking, answered_before
from evenhand.workflow.capturing import CapturingJudge
from evenhand.workflow.dry_run import DryRun
from evenhand.workflow.judged import ProbedCondition
from evenhand.workflow.plan import Plan
from evenhand.workflow.probe_data import check_all_kept, probe_subject
from evenhand.workflow.swap_file import read_design, write_design
from evenhand.workflow.swap_risks import pair_risks
from evenhand.workflow.verdict_token import verdict_locator

__all__ = ["SelectiveSwap"]

_NONE_HERE = "none on these pairs: "


class SelectiveSwap:
    """A selective swap of one run: which presentations come first, who answers, and which ones follow.

    Parameters
    ----------
    judge
        Who answers; it must show its activations.
    adopted
        From :func:`adopt_probe`; the plan is made with its settings.
    announce
        Told what is worth knowing before order BA is asked.

    Raises
    ------
    ConfigError
        The judge doesn't show its activations; or another judge, prompt, label set or dtype than the probe's.
    """

    def __init__(
        self,
        judge: Judge,
        adopted: Adopted,
        plan: Plan,
        manifest: RunManifest,
        *,
        directory: Path,
        announce: Callable[[str], None],
    ) -> None:
        check_activations(judge)
        assert isinstance(judge, Captures)  # noqa: S101 - checked; tells the type checker
        self._judge: Captures = judge
        self._probe = adopted.probe
        self._plan = plan
        self._announce = announce
        self._readout = adopted.probe.card.subject.readout
        places = [Place.parse(name) for name in adopted.probe.card.features if "@" in name]
        # A probe that reads no activation still needs the labels' logits at the verdict, which come with some layer.
        layers = tuple(sorted({place.layer for place in places})) or (max(1, judge.layers - 1),)
        self._meta = ActivationMeta(blocks=judge.layers, size=judge.size, layers=layers, readout=self._readout)
        self.manifest = replace(manifest, swap=_of_these(adopted, plan))
        self._asked = ProbedCondition.of(self.manifest, self._readout)
        self._subject = probe_subject(self.manifest, self._meta, self._asked)
        self._probe.check(self._subject)
        if adopted.policy is not None:
            check_subject(adopted.policy.subject, self._subject, name=f"policy of {adopted.policy.score}")
        self._store = ActivationStore(directory)
        self._directory = directory
        for said in (*adopted.said, *self._probe.notes(self._subject), *_void(self.manifest.swap)):
            announce(f"selective swap: {said}")

    @property
    def record(self) -> SwapRecord:
        """How pairs are chosen."""
        record = self.manifest.swap
        assert record is not None  # noqa: S101 - set above; tells the type checker
        return record

    def begin(self, journal: Journal) -> Asking:
        """Set the journal's plan: order AB, and of order BA what was drawn before. Says whom to ask, and how.

        Raises
        ------
        StoreError
            Something was answered here without its activations.
        ConfigError
            The directory keeps activations of other layers.
        """
        import polars  # noqa: F401 - now, while no Ctrl-C is caught that could leave it half imported

        answered = journal.answered_keys()
        check_all_kept(self._store, [p for p in self._first() if p.key in answered])
        self._store.begin(self._meta)
        journal.set_plan((*self._first(), *self._swapped(self._design())))
        [asked] = self._plan.asked.values()
        locate = verdict_locator(self._readout, asked.condition.labels, asked.label_tokens)
        capturing = CapturingJudge(self._judge, self._store, layers=self._meta.layers, locate=locate)

        def request_for(presentation: Presentation) -> JudgeRequest:
            # Unwatched, as when the probe's data was collected: the format is judged by the whole text.
            return capturing.request_for(presentation, replace(self._plan.request_for(presentation), watcher=None))

        return Asking(judge=capturing, request_for=request_for, extend=partial(self._extend, journal))

    def _extend(self, journal: Journal) -> bool:
        """Draw the pairs to swap, once order AB was asked of all; False where that was done before.

        The design is on the disk before any of its pairs is asked, and is never drawn anew for the same plan: whatever
        interrupts the run, and whichever failed calls succeed later, the same pairs are asked.
        """
        self._store.pack()
        if self._design().pairs:
            return False
        record = self.record
        found = pair_risks(
            self._judge,
            self._probe,
            journal,
            self._store,
            manifest=self.manifest,
            asked=self._asked,
            subject=self._subject,
        )
        if found.overlap:
            self._announce(
                f"selective swap: the probe was trained on {found.overlap.groups:,} questions and "
                f"{found.overlap.pairs:,} pairs of these: it may look better here than elsewhere; the estimates "
                "hold all the same"
            )
        design = draw_swaps(
            found.risks,
            threshold=record.threshold,
            share=record.share,
            floor=record.floor,
            minimum=record.floor_pairs,
            seed=self._plan.settings.seed,
            rule=record.rule,
            guarantee=record.guarantee,
        )
        write_design(self._directory, design, self.manifest)
        self._announce(_drawn_text(design))
        journal.set_plan((*self._first(), *self._swapped(design)))
        return bool(design.drawn())

    def dry_run(self) -> DryRun:
        """Order AB of all, and order BA of the pairs that were drawn, else of as many as are expected at most."""
        design, total = self._design(), len(self._plan.pairs)
        if design.pairs:
            swapped = self._swapped(design)
            expected = ExpectedSwaps(fewest=len(swapped), most=len(swapped), note=_floor_note(design))
        else:
            expected = expected_swaps(self.record, total)
            swapped = self._second(list(self._plan.pairs)[: expected.most])
        answered, planned = answered_before(self._directory), (*self._first(), *swapped)

        def cost(presentations: Sequence[Presentation]) -> CostEstimate:
            left = [p for p in presentations if p.key not in answered]
            return self._judge.estimate([replace(self._plan.request_for(p), watcher=None) for p in left])

        return DryRun(
            directory=self._directory,
            pairs=total,
            conditions=1,
            presentations=len(planned),
            answered=sum(p.key in answered for p in planned),
            cost=cost(planned),
            swaps=(expected.fewest, expected.most),
            unsampled=len(self._plan.presentations),
            unsampled_cost=cost(self._plan.presentations),
            notes=() if expected.note is None else (expected.note,),
        )

    def finish(self) -> None:
        """Pack what was captured last."""
        self._store.pack()

    def _design(self) -> SwapDesign:
        return read_design(self._directory, self.manifest)

    def _first(self) -> tuple[Presentation, ...]:
        return tuple(p for p in self._plan.presentations if p.order is Order.AB)

    def _second(self, pair_ids: Sequence[str]) -> tuple[Presentation, ...]:
        """Order BA of some pairs, in their order."""
        by_pair = {p.pair_id: p for p in self._plan.presentations if p.order is Order.BA and p.repeat == 0}
        return tuple(by_pair[pair_id] for pair_id in pair_ids)

    def _swapped(self, design: SwapDesign) -> tuple[Presentation, ...]:
        own = {in_a_table(pair_id): pair_id for pair_id in self._plan.pairs}
        return self._second([own[in_a_table(pair_id)] for pair_id in design.drawn()])


def _of_these(adopted: Adopted, plan: Plan) -> SwapRecord:
    """The record, with a guarantee that doesn't hold for these pairs called so."""
    reason = None if adopted.policy is None else adopted.policy.too_large_groups([p.group for p in plan.pairs.values()])
    if reason is None or adopted.record.guarantee is None:
        return adopted.record
    return replace(adopted.record, guarantee=f"{_NONE_HERE}{reason}")


def _void(record: SwapRecord | None) -> tuple[str, ...]:
    text = None if record is None else record.guarantee
    return (f"the policy's guarantee doesn't hold: {text.removeprefix(_NONE_HERE)}",) if _is_void(text) and text else ()


def _is_void(guarantee: str | None) -> bool:
    return guarantee is not None and guarantee.startswith(_NONE_HERE)


def _drawn_text(design: SwapDesign) -> str:
    drawn = design.drawn()
    parts = [
        f"{sum(p.drawn for p in design.pairs if p.stratum is stratum):,} of {design.size(stratum):,} {stratum.value}"
        for stratum in SwapStratum
        if design.size(stratum)
    ]
    total = len(design.pairs)
    note = _floor_note(design)
    return (
        f"selective swap: order BA is asked of {len(drawn):,} of {total:,} pairs ({', '.join(parts)}); "
        f"{(total - len(drawn)) / (2 * total):.0%} of all judgments saved"
        f"{f'; {note}' if note else ''}"
    )


def _floor_note(design: SwapDesign) -> str | None:
    return floor_note(design.size(SwapStratum.FLOOR), floor=design.floor, minimum=design.minimum)
