from evenhand.logs.base import Inspection, Problem, VerdictLog
from evenhand.records import GrammarHint, JudgeIdentity, LabelSet

AB = GrammarHint(labels=LabelSet.parse("A/B"))
XY = GrammarHint(labels=LabelSet.parse("X/Y"))


def test_a_log_knows_the_grammar_of_each_condition():
    log = VerdictLog(
        format="table",
        pairs=(),
        entries=(),
        conditions=(),
        judge=JudgeIdentity(spec="x", model="x"),
        orders="both",
        log_rules="None.",
        grammars=(("one", AB), ("two", XY)),
        file_sha256="00",
    )
    assert log.grammar == log.grammar_of("one") == AB
    assert log.grammar_of("two") == XY


def test_a_file_is_importable_when_its_format_is_known_and_nothing_is_wrong():
    problem = Problem(row=3, field="text", problem="is missing")
    assert Inspection(format="table", rows=2).importable
    assert not Inspection(format="table", rows=2, problems=(problem,)).importable
    assert not Inspection(format=None, rows=2).importable
