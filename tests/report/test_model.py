from evenhand.report.model import Headline, ReportView, Table
from evenhand.store import PlanCounts


def view(*tables: Table) -> ReportView:
    return ReportView(
        title="",
        subtitle="",
        headline=Headline(status="steady", verdict="", lead=""),
        counts=PlanCounts(planned=0, finished=0),
        single_order=False,
        tables=tables,
        rates=(),
        differences=(),
        locks=(),
        outcomes=(),
        notes=(),
        setup=(),
        reproduce=(),
        glossary=(),
    )


def test_a_table_is_found_by_its_id() -> None:
    first, second = (Table(id=name, title=name, caption="", columns=(), rows=()) for name in ("rates", "locks"))
    assert view(first, second).table("locks") is second
    assert view(first).table("locks") is None
