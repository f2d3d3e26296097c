from evenhand.report.model import Basis, Claim, Headline, Table
from evenhand.report.numbering import claims, first_screen, named, number_report, with_bases


def table(name):
    return Table(id=name, title=name, caption="", columns=(), rows=())


def test_figures_and_tables_are_numbered_in_the_order_of_reading_and_a_studys_apart():
    numbers = number_report(
        ["rates", "locks"],
        [table("summary"), table("tests"), table("pairs")],
        section_tables=[table("biases-comparisons")],
        human_tables=[table("judge-and-humans-agreement"), table("judge-and-humans-people")],
        sections=("judge-and-humans", "notes", "pairs"),
    )
    assert {anchor: basis.name for anchor, basis in numbers.items()} == {
        "figure-rates": "Figure 1",
        "figure-locks": "Figure 2",
        "table-summary": "Table 1",
        "table-tests": "Table 2",
        "table-biases-comparisons": "Table B1",
        "table-judge-and-humans-agreement": "Table H1",
        "table-judge-and-humans-people": "Table H2",
        "judge-and-humans": "Judge and humans",
        "notes": "Notes",
        "pairs": "Pairs worth reading",
    }
    assert all(basis.anchor == anchor for anchor, basis in numbers.items())


def test_a_sentence_rests_on_the_best_that_the_report_has_else_on_the_runs_facts():
    numbers = number_report((), [table("summary")], sections=("reproduce",))
    said = Headline(
        status="steady",
        verdict="",
        lead="",
        rests_on=("figure-rates", "table-summary"),
        trust=claims(["a"], "figure-rates", "table-summary"),
        doubt=claims(["b"], "figure-rates"),
        steps=claims(["c"]),
        more=claims(["d", ""], "table-summary"),
    )
    tied = with_bases(said, numbers)
    assert [claim.basis.name for claim in (*tied.trust, *tied.doubt, *tied.steps, *tied.more)] == [
        "Table 1",
        "Reproduce and cite",
        "Reproduce and cite",
        "Table 1",
    ]
    assert tied.basis.name == "Table 1"
    assert with_bases(said, {}).trust[0].basis is None


def test_the_first_screen_holds_four_of_each_and_loses_none():
    texts = [f"{index}" for index in range(6)]
    head = Headline(
        status="steady",
        verdict="",
        lead="",
        trust=claims(f"t{text}" for text in texts),
        doubt=claims(f"d{text}" for text in texts),
        steps=claims(f"s{text}" for text in texts),
        more=claims(["m"]),
    )
    short = first_screen(head)
    assert [len(part) for part in (short.trust, short.doubt, short.steps)] == [4, 4, 4]
    assert [claim.text for claim in short.more] == ["t4", "t5", "d4", "d5", "m", "s4", "s5"]
    assert first_screen(short) == short


def test_a_name_stands_behind_its_sentence():
    assert named(Claim(text="Few.", basis=Basis(anchor="table-tests", name="Table 2"))) == "Few. (Table 2)"
    assert named(Claim(text="Few.")) == "Few."


def test_a_table_that_is_no_section_is_numbered_whatever_its_id():
    numbers = number_report((), [table("pairs"), table("notes")], sections=("notes",))
    assert (numbers["table-pairs"].name, numbers["table-notes"].name) == ("Table 1", "Table 2")
    assert "table-pairs" not in number_report((), [table("pairs")], sections=("pairs",))
