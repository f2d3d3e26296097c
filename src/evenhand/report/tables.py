"""A report's tables as files: CSV for machines, LaTeX for papers, Markdown for both."""

from __future__ import annotations

import csv
import io

from evenhand.report.model import Cell, Table
from evenhand.report.text import csv_cell, latex_text, markdown_text

__all__ = ["table_csv", "table_latex", "table_markdown"]


def table_csv(table: Table) -> str:
    """CSV (RFC 4180, one heading row). A measured column becomes four: value, low, high and the printed text.

    Numbers are plain shares and differences (not percent). Texts that a spreadsheet would take for a formula get an
    apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    split = [any(row[index].interval for row in table.rows) for index in range(len(table.columns))]
    head: list[str] = []
    for column, wide in zip(table.columns, split, strict=True):
        head += [csv_cell(column.label + part) for part in (("", " low", " high", " text") if wide else ("",))]
    writer.writerow(head)
    for row in table.rows:
        line: list[str] = []
        for cell, wide in zip(row, split, strict=True):
            line += _wide(cell) if wide else [_plain(cell)]
        writer.writerow(line)
    return out.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None else repr(int(value)) if value.is_integer() else repr(value)


def _wide(cell: Cell) -> list[str]:
    text = " ".join(part for part in (cell.text, cell.interval or (cell.detail if cell.value is None else "")) if part)
    return [_number(cell.value), _number(cell.low), _number(cell.high), csv_cell(text)]


def _plain(cell: Cell) -> str:
    return csv_cell(cell.text) if cell.value is None else _number(cell.value)


# Only where the document has none of its own: how a table is fitted to the page, and how other scripts are set.
_COMMANDS = (
    r"\providecommand{\evenhandtable}[1]{#1}",
    r"\providecommand{\evenhandother}[2]{{[}U+#1{]}}",
)


def table_latex(table: Table) -> str:
    r"""A ``booktabs`` table, its caption and notes escaped like its cells.

    It needs ``\usepackage{booktabs}`` and ``\usepackage[T1]{fontenc}``. A document may define ``\evenhandtable`` (one
    argument: the table proper) and ``\evenhandother`` (two: codes and characters of other scripts) before.
    """
    columns = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        *_COMMANDS,
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{latex_text(f'{table.title}. {table.caption}', limit=800)}}}",
        f"  \\label{{tab:evenhand-{table.id}}}",
        f"  \\evenhandtable{{\\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(latex_text(column.label) for column in table.columns)} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(map(_latex_cell, row))} \\\\" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}}",
        *(
            f"  \\par\\footnotesize\\textsuperscript{{{letter}}}~{latex_text(text, limit=800)}"
            for letter, text in table.notes
        ),
        *([f"  \\par\\footnotesize {latex_text(table.intervals, limit=800)}"] if table.intervals else []),
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _latex_cell(cell: Cell) -> str:
    marks = f"\\textsuperscript{{{','.join(cell.marks)}}}" if cell.marks else ""
    interval = f" {latex_text(cell.interval)}" if cell.interval else ""
    return f"{latex_text(cell.text)}{marks}{interval}"


def table_markdown(table: Table) -> str:
    """A pipe table with its caption above and its notes below."""
    rules = ("---:" if column.numeric else "---" for column in table.columns)
    notes = [f"{letter}: {markdown_text(text, limit=800)}  " for letter, text in table.notes]
    lines = [
        f"**{markdown_text(table.title)}.** {markdown_text(table.caption, limit=800)}",
        "",
        f"| {' | '.join(markdown_text(column.label) for column in table.columns)} |",
        f"| {' | '.join(rules)} |",
        *(f"| {' | '.join(map(_markdown_cell, row))} |" for row in table.rows),
        "",
        *([*notes, ""] if notes else []),
        *([markdown_text(table.intervals, limit=800), ""] if table.intervals else []),
    ]
    return "\n".join(lines)


def _markdown_cell(cell: Cell) -> str:
    marks = f"<sup>{','.join(cell.marks)}</sup>" if cell.marks else ""
    interval = f" {markdown_text(cell.interval)}" if cell.interval else ""
    return f"{markdown_text(cell.text)}{marks}{interval}"
