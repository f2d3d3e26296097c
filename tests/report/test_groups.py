from evenhand.report.groups import row_groups


def test_every_row_is_in_one_group_in_order(view):
    for table in view.tables:
        rows = [row for group in row_groups(table) for row in group.rows]
        assert [row.cells for row in rows] == [row[table.headers :] for row in table.rows]


def test_a_condition_is_said_once(view):
    groups = row_groups(view.table("summary"))
    assert [group.head.text for group in groups] == ["A/B", "X/Y"]
    assert [[name.cell.text for name in row.names] for row in groups[0].rows] == [
        ["first-token"], ["generated"], ["hybrid"]
    ]  # fmt: skip


def test_a_second_name_reaches_over_its_rows(view):
    rows = row_groups(view.table("outcomes"))[0].rows
    assert [[(n.cell.text, n.span) for n in row.names] for row in rows[:2]] == [
        [("first-token", 2), ("AB", 1)], [("first-token", 0), ("BA", 1)]
    ]  # fmt: skip
    for table in view.tables:
        for group in row_groups(table):
            for level in range(len(group.rows[0].names)):
                assert sum(row.names[level].span for row in group.rows) == len(group.rows)


def test_rows_with_one_name_have_no_group(view):
    (group,) = row_groups(view.table("measures-1"))
    assert group.head is None
