from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.self_preference import ONE_JUDGE
from evenhand.errors import ConfigError, DataError
from evenhand.records import Condition, LabelSet, Order, Outcome, Pair, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.bias_across import JudgedRun, across_judges, read_families, why_not_across

AUTHORS = (("gpt-4o", "claude-3"), ("qwen2", "gpt-4o"), ("claude-3", "qwen2"))
CONTROL = Condition(id="c", prompt="p", prompt_hash="0", labels=LabelSet.parse("A/B"))


def pairs(count: int = 90, *, authors: bool = True) -> tuple[Pair, ...]:
    made = []
    for i in range(count):
        a, b = AUTHORS[i % 3] if authors else (None, None)
        made.append(
            Pair(id=f"p{i}", instruction=f"{i}?", response_a=f"a{i}", response_b=f"b{i}", author_a=a, author_b=b)
        )
    return tuple(made)


def run(name: str, *, likes: str = "", conditions: tuple[str, ...] = ("c",), authors: bool = True) -> JudgedRun:
    """A judge that takes the response of an author whom it likes; else the one in its own pair's favour."""
    own = pairs(authors=authors)
    rows = []
    for i, pair in enumerate(own):
        a_wins = i % 2 == 0
        if likes and likes in (pair.author_a, pair.author_b):
            a_wins = pair.author_a == likes
        for condition in conditions:
            for order in Order:
                first = a_wins == (order is Order.AB)
                outcome = Outcome.FIRST if first else Outcome.SECOND
                known = {"group": pair.group, "source": "s", "gold": None, "condition": condition, "repeat": 0}
                rows.append(Verdict(pair_id=pair.id, order=order, outcome=outcome, readout=Readout.GENERATED, **known))
    table = verdict_table(rows)
    data = BiasData(
        table=table,
        wide=widen(table),
        conditions=tuple(replace(CONTROL, id=condition) for condition in conditions),
        pairs={pair.id: pair for pair in own},
        judge=name,
    )
    return JudgedRun(name=name, data=data)


def test_one_judge_or_pairs_without_authors_are_not_tried() -> None:
    assert why_not_across([run("gpt-4o")]) == ONE_JUDGE
    without = why_not_across([run("gpt-4o", authors=False), run("claude-3", authors=False)])
    assert without == "needs pairs whose two responses have known authors, none of the 90 pairs has"
    assert why_not_across([run("gpt-4o"), run("claude-3")]) is None


def test_a_judge_that_takes_its_own_is_told_from_those_that_do_not() -> None:
    result = across_judges([run("gpt-4o", likes="gpt-4o"), run("claude-3"), run("qwen2")], resamples=200)
    assert result.audit == "self-preference"
    found = {finding.subset: finding for finding in result.findings}
    own, other = found["gpt-4o"].measure("self_preference"), found["qwen2"].measure("self_preference")
    assert isinstance(own, Estimate)
    assert isinstance(other, Estimate)
    assert own.value > 0.3 > abs(other.value)
    assert own.interval is not None
    assert own.interval.low > 0


def test_runs_of_several_conditions_are_compared_under_one_that_all_have() -> None:
    several = run("gpt-4o", conditions=("x", "c"))
    result = across_judges([several, run("claude-3"), run("qwen2")], resamples=200)
    assert {finding.condition for finding in result.findings} == {"c"}
    with pytest.raises(ConfigError, match="name the one to compare judges by"):
        across_judges([run("gpt-4o", conditions=("x", "y")), run("claude-3")], resamples=200)


def test_families_count_under_the_names_of_runs_too(tmp_path: Path) -> None:
    path = tmp_path / "families.json"
    path.write_text('{"mine": "OpenAI"}', encoding="utf-8")
    runs = [run("mine", likes="gpt-4o"), run("claude-3"), run("qwen2")]
    runs[0] = replace(runs[0], name="mine (today)")
    result = across_judges(runs, families=path, resamples=200)
    assert isinstance(result.findings[0].measure("self_preference"), Estimate)
    unknown = across_judges(runs, resamples=200)
    assert isinstance(unknown.findings[0].measure("self_preference"), Refusal)


def test_a_folders_name_is_no_family() -> None:
    """Of two runs of one judge the names have folders in them; its own texts are its own all the same."""
    for judge, folder in (("ours", "today"), ("gpt-4o", "/runs/llama"), ("gpt-4o", "judge:claude-3")):
        likes = "gpt-4o"
        runs = [run(judge, likes=likes), run(judge), run("claude-3"), run("qwen2")]
        runs[:2] = [replace(each, name=f"{judge} ({folder}-{i})") for i, each in enumerate(runs[:2])]
        found = across_judges(runs, families={"gpt-4o": "ours"}, resamples=200).findings
        assert [finding.subset for finding in found[:2]] == [each.name for each in runs[:2]]
        assert "is of family ours" in " ".join(found[0].notes)
        plain = across_judges(runs, resamples=200).findings[0]
        assert f"is of family {'OpenAI' if judge == 'gpt-4o' else 'ours'}" in " ".join(plain.notes)
        assert isinstance(plain.measure("self_preference"), Estimate) == (judge == "gpt-4o")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.json", '{"m 1": "us", "m,2": "them"}'),
        ("f.csv", 'model,family\nm 1,us\n"m,2",them\nm 1,us\n'),
        ("f.CSV", '\ufefffamily,model,more\nus,m 1,x\nthem,"m,2",y\n'),
    ],
)
def test_families_are_read(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_families(path) == {"m 1": "us", "m,2": "them"}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("f.txt", b"", "expected FILE.json or FILE.csv"),
        ("absent.json", None, "can't be read"),
        ("f.json", b"{", "is not valid JSON"),
        ("f.json", b"[" * 100_000, "is not valid JSON"),
        ("f.json", b"[1]", "is no JSON object"),
        ("f.json", b'{"m": 3}', "is 3, expected the name of a family"),
        ("f.json", b"{}", "names no model"),
        ("f.json", b'{"m": "x", "m": "y"}', "names a model twice"),
        ("f.csv", b"model,family\nm,x,y\n", "more cells than the header"),
        ("f.csv", b"\xff", "is not UTF-8 text"),
        ("f.csv", b"a,b\n1,2\n", "lacks the columns model and family"),
        ("f.csv", b"model,family\nm,\n", "names no model or no family"),
        ("f.csv", b"model,family\nm\n", "names no model or no family"),
        ("f.csv", b"model,family\nm,x\nm,y\n", "a second family"),
        ("f.csv", b'model,family\n"m,x\n', "is not valid CSV"),
        ("f.csv", b"", "lacks the columns"),
    ],
)
def test_a_file_of_families_that_cannot_be_used_is_refused(
    name: str, data: bytes | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises((ConfigError, DataError), match=said):
        read_families(path)
