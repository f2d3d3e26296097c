"""Everything that the page of a pair says: both orders side by side, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.audits.bias.label_swap import by_response
from evenhand.errors import EvenhandError
from evenhand.records import Condition, Order, Pair, Preference, Readout
from evenhand.web.answers import Answer, read_answers
from evenhand.web.index import IndexRow
from evenhand.web.marked_text import Segment, marked_text
from evenhand.web.served import ServedRun, StaleError
from evenhand.web.state import NotFoundError
from evenhand.web.word_diff import Difference, word_difference

__all__ = ["OrderView", "OtherRun", "PairView", "SlotView", "build_pair_view", "other_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotView:
    """A response where it was shown."""

    slot: str
    identity: Preference
    text: str
    author: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderView:
    """A pair in one order.

    Attributes
    ----------
    slots
        The responses as shown; empty where a change was made that can't be made again here: the prompt has it.
    instruction
        Where a change added to it; None where it is the pair's own.
    main
        The answer of the audit itself whose text (or first token) is read; None where nothing was asked.
    others
        Put to the judge in other ways (prefilled, constrained, …).
    repeats
        Asked again in the same order.
    text
        The main answer's, with the decisive words marked.
    """

    order: Order
    slots: tuple[SlotView, ...]
    instruction: str | None
    main: Answer | None
    others: tuple[Answer, ...]
    repeats: tuple[Answer, ...]
    text: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """The page of a pair under one condition.

    Attributes
    ----------
    rows
        Of this condition, one for each readout.
    row
        The one that the list came from, or the first.
    elsewhere
        Rows of the pair's other conditions, those of the same readout.
    difference
        Between the two orders' texts, labels replaced by the responses that they name (``as_written``: not); None
        where one of them is missing, which ``no_difference`` explains.
    kept
        Whether the run keeps the answers at all.
    """

    pair: Pair
    ordinal: int
    condition: Condition
    rows: tuple[IndexRow, ...]
    row: IndexRow
    elsewhere: tuple[IndexRow, ...]
    orders: tuple[OrderView, ...]
    difference: Difference | None
    no_difference: str
    as_written: bool
    kept: bool


def build_pair_view(
    run: ServedRun, ordinal: int, *, condition: int | None, readout: int | None, as_written: bool = False
) -> PairView:
    """Read a pair, its rows and its answers.

    Parameters
    ----------
    condition, readout
        Codes of the row that is looked at; None: the pair's first.

    Raises
    ------
    NotFoundError
        There is no such pair or row.
    StaleError
        The run was planned anew since its index was made.
    """
    pair = run.pair(ordinal)
    every = run.index.rows_of(ordinal)
    row = next(
        (
            each
            for each in every
            if condition in (None, each.codes["condition"]) and readout in (None, each.codes["readout"])
        ),
        None,
    )
    if row is None:
        raise NotFoundError("Nothing was read of this pair under this condition and readout.")
    chosen = run.manifest.conditions[row.codes["condition"]]
    entries = run.presentations(ordinal)
    answers = read_answers(
        entries, chosen, [Readout(name) for name in run.manifest.readouts], live=run.manifest.kind == "live"
    )
    orders = tuple(_order(run, pair, chosen, order, answers) for order in Order)
    difference, reason = _difference(orders, chosen, as_written=as_written)
    return PairView(
        pair=pair,
        ordinal=ordinal,
        condition=chosen,
        rows=tuple(each for each in every if each.codes["condition"] == row.codes["condition"]),
        row=row,
        elsewhere=tuple(
            each
            for each in every
            if each.codes["condition"] != row.codes["condition"] and each.codes["readout"] == row.codes["readout"]
        ),
        orders=orders,
        difference=difference,
        no_difference=reason,
        as_written=as_written,
        kept=bool(entries),
    )


def _order(run: ServedRun, pair: Pair, condition: Condition, order: Order, answers: Sequence[Answer]) -> OrderView:
    here = [answer for answer in answers if answer.order is order]
    first = [answer for answer in here if answer.presentation.repeat == 0]
    # The text is what a reader looks for; where there is none, the first presentation stands for the order.
    main = next((answer for answer in first if answer.asked_openly and answer.text is not None), None)
    main = main if main is not None else next(iter(first), None)
    shown = _shown(run, pair, condition, order, main)
    return OrderView(
        order=order,
        slots=() if shown is None else _slots(shown, order),
        instruction=None if shown is None or shown.instruction == pair.instruction else shown.instruction,
        main=main,
        others=tuple(answer for answer in first if answer is not main),
        repeats=tuple(answer for answer in here if answer.presentation.repeat > 0),
        text=() if main is None or main.text is None else marked_text(main.text, main.span),
    )


def _shown(run: ServedRun, pair: Pair, condition: Condition, order: Order, main: Answer | None) -> Pair | None:
    """The pair as the judge saw it; None where the change can't be made again from the pair alone."""
    if not condition.changes:
        return pair
    from evenhand.perturbations.apply import apply_changes
    from evenhand.perturbations.base import Place
    from evenhand.workflow.variants_file import kept_variants

    try:
        variants = kept_variants(run.directory, run.manifest, [pair]) if run.manifest.variants is not None else None
        place = Place(order=order, labels=condition.labels)
        changed = apply_changes(pair, condition.changes, place, variants=variants)
    except EvenhandError:
        return None
    if not isinstance(changed, Pair) or main is None:
        return None
    sent = "\n".join(message.content for message in main.presentation.messages)
    # The prompt is the truth: what doesn't stand in it was not shown.
    return changed if changed.response_a in sent and changed.response_b in sent else None


def _slots(pair: Pair, order: Order) -> tuple[SlotView, ...]:
    a = SlotView(slot="First", identity=Preference.A, text=pair.response_a, author=pair.author_a, name="response-a")
    b = SlotView(slot="First", identity=Preference.B, text=pair.response_b, author=pair.author_b, name="response-b")
    return (a, replace(b, slot="Second")) if order is Order.AB else (b, replace(a, slot="Second"))


def _difference(
    orders: Sequence[OrderView], condition: Condition, *, as_written: bool
) -> tuple[Difference | None, str]:
    texts = [None if view.main is None else view.main.text for view in orders]
    if texts[0] is None or texts[1] is None:
        if texts[0] is None and texts[1] is None:
            return None, "The judge wrote no text in either order, or the run doesn't keep it."
        missing = Order.AB if texts[0] is None else Order.BA
        return None, f"There is no text of the judge in order {missing}."
    if as_written:
        return word_difference(texts[0], texts[1]), ""
    bound = 60_000  # beyond what word_difference reads: replacing labels in more would be work for nothing
    ab = by_response(texts[0][:bound], condition.labels, Order.AB)
    ba = by_response(texts[1][:bound], condition.labels, Order.BA)
    found = word_difference(ab, ba)
    return (
        replace(
            found,
            left_out_ab=found.left_out_ab + max(len(texts[0]) - bound, 0),
            left_out_ba=found.left_out_ba + max(len(texts[1]) - bound, 0),
        ),
        "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRun:
    """The same pair in another run that is served.

    Attributes
    ----------
    rows
        Under the condition of the same name, or else of the run's first, one for each readout; empty where the run
        has no such pair.
    same_texts
        Whether instruction and responses are the same there.
    texts
        What the judge wrote in each order, decisive words marked; empty where there is none.
    """

    run: ServedRun
    ordinal: int | None
    condition: str = ""
    same_condition: bool = True
    rows: tuple[IndexRow, ...] = ()
    same_texts: bool = True
    texts: tuple[tuple[Order, tuple[Segment, ...]], ...] = ()
    problem: str = ""


def other_runs(runs: Sequence[ServedRun], here: ServedRun, view: PairView) -> tuple[OtherRun, ...]:
    """The same pair (by its id) in every other run."""
    return tuple(_other(run, view) for run in runs if run is not here)


def _other(run: ServedRun, view: PairView) -> OtherRun:
    ordinal = run.find(view.pair.id)
    if ordinal is None:
        return OtherRun(run=run, ordinal=None)
    every = run.index.rows_of(ordinal)
    if not every:
        return OtherRun(run=run, ordinal=ordinal)
    names = [condition.id for condition in run.manifest.conditions]
    same = view.condition.id in names
    code = names.index(view.condition.id) if same else every[0].codes["condition"]
    pair = run.pair(ordinal)
    texts: list[tuple[Order, tuple[Segment, ...]]] = []
    problem = ""
    try:
        answers = read_answers(
            run.presentations(ordinal),
            run.manifest.conditions[code],
            [Readout(name) for name in run.manifest.readouts],
            live=run.manifest.kind == "live",
        )
    except StaleError as error:
        answers, problem = (), str(error)
    for order in Order:
        found = next(
            (a for a in answers if a.order is order and a.presentation.repeat == 0 and a.asked_openly and a.text), None
        )
        if found is not None and found.text is not None:
            texts.append((order, marked_text(found.text, found.span, limit=4_000)))
    return OtherRun(
        run=run,
        ordinal=ordinal,
        condition=names[code],
        same_condition=same,
        rows=tuple(each for each in every if each.codes["condition"] == code),
        same_texts=(pair.instruction, pair.response_a, pair.response_b)
        == (view.pair.instruction, view.pair.response_a, view.pair.response_b),
        texts=tuple(texts),
        problem=problem,
    )
