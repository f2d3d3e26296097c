"""Studies of judges made of strings, without a run behind them."""

from collections.abc import Mapping, Sequence
from functools import cache

from audits.judges.judge_tables import judge
from evenhand.analysis.study import Study
from evenhand.audits.judges.comparison import ComparedRun, compare_judge_tables
from evenhand.audits.judges.figures import figures_of
from evenhand.records import Condition, DataIdentity, JudgeIdentity, LabelSet, Readout, RunManifest
from evenhand.report.studies.judges import judges_study
from evenhand.store import PlanCounts

__all__ = ["flipping", "many_judges", "study_of"]

PAIRS = 60


def flipping(count: int, *, pairs: int = PAIRS) -> dict[str, str]:
    """A judge that takes the first slot twice in so many pairs, and decides the others alike in both orders."""
    return {f"p{i}": "FF" if i < count else "FS" if i % 2 else "SF" for i in range(pairs)}


def study_of(
    judges: Mapping[str, Mapping[str, str]],
    *,
    repeats: Mapping[str, Mapping[str, str]] | None = None,
    gold: Mapping[str, str] | None = None,
    prompts: Sequence[str] = (),
    errors: int = 0,
    notes: Sequence[str] = (),
) -> Study:
    """The study of some judges, all under one condition and readout."""
    tables = [judge(name, codes, repeats=(repeats or {}).get(name), gold=gold) for name, codes in judges.items()]
    comparison = compare_judge_tables(tables, resamples=200)
    runs = []
    for place, table in enumerate(tables):
        prompt = prompts[place] if prompts else "single-character"
        condition = Condition(
            id="c", prompt=prompt, prompt_hash=f"{prompt:0<64}", labels=LabelSet(first="A", second="B")
        )
        manifest = RunManifest(
            kind="live",
            judge=JudgeIdentity(spec=f"simulated:{place}", model=table.name),
            data=DataIdentity(spec="starter", pairs=len(table.pairs), sha256="a" * 64),
            conditions=(condition,),
            readouts=("generated",),
        )
        planned = 2 * len(table.pairs)
        runs.append(
            ComparedRun(
                name=table.name,
                place=f"runs/{place}",
                manifest=manifest,
                counts=PlanCounts(planned=planned, finished=planned - errors, errors=errors, pending=0),
                condition=condition,
                readout=Readout.GENERATED,
                figures=figures_of(table.table, conditions=["c"], readouts=[Readout.GENERATED], resamples=200),
            )
        )
    return judges_study(runs, comparison, notes=notes)


@cache
def many_judges(count: int) -> Study:
    """So many judges, each flipping a little more than the one before."""
    return study_of({f"judge-{i:02}": flipping(min(PAIRS, 2 * i)) for i in range(count)})
