import json

import pytest

from evenhand.errors import StoreError
from evenhand.report.card import validate_card
from evenhand.report.write import write_report


def test_files_are_whole_and_the_same_each_time(manifest, audit, counts, tmp_path):
    written = write_report(tmp_path / "report", manifest, audit, counts=counts)
    files = sorted(
        p.relative_to(tmp_path / "report").as_posix() for p in (tmp_path / "report").rglob("*") if p.is_file()
    )
    assert files == [
        "audit.json", "card.json", "card.md", "figures/differences.svg", "figures/locks.svg", "figures/outcomes.svg",
        "figures/rates.svg", "main.csv", "main.md", "main.tex", "report.html",
    ]  # fmt: skip
    validate_card(json.loads(written.card_json.read_text(encoding="utf-8")))
    before = {name: (tmp_path / "report" / name).read_bytes() for name in files}
    write_report(tmp_path / "report", manifest, audit, counts=counts)
    assert before == {name: (tmp_path / "report" / name).read_bytes() for name in files}


def test_hostile_run_is_written(hostile_run, counts, tmp_path):
    manifest, audit = hostile_run
    written = write_report(tmp_path, manifest, audit, counts=counts)
    for path in (written.html, written.json, written.card_json, written.card_markdown, written.csv, written.latex):
        assert "\ud800" not in path.read_text(encoding="utf-8")


def test_a_place_that_is_a_file_is_one_clear_error(manifest, audit, counts, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="can't write the report to"):
        write_report(tmp_path / "file", manifest, audit, counts=counts)
