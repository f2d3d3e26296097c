import json
import re
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from evenhand.records import (
    Completion,
    Condition,
    DataIdentity,
    FinishReason,
    FirstToken,
    GrammarHint,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Message,
    Pair,
    Presentation,
    RunManifest,
    Sampling,
    SwapRecord,
    TokenLogProb,
    Usage,
)
from evenhand.store import Journal
from store.examples import ANSWER, FAILURE, RICH_ANSWER, manifest, pairs, presentations


def test_a_stranger_reads_the_run_with_sqlite_alone(tmp_path):
    planned = presentations(2)
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, FAILURE)
        journal.record(planned[0].key, RICH_ANSWER)
        journal.record(planned[1].key, Completion(text="lone \ud800 and \x00", finish_reason=FinishReason.LENGTH))
    plain = sqlite3.connect(tmp_path / "journal.sqlite")
    query = "SELECT pair_id, shown_order, attempt, finish_reason, text, first_token, messages FROM answers"
    rows = plain.execute(query + " WHERE ordinal <> 1 ORDER BY ordinal").fetchall()
    assert rows[0][:6] == ("p0", "AB", 2, "settled", "The answer is A", "The")
    assert json.loads(rows[0][6]) == [{"role": "user", "content": "p0 AB"}]
    assert rows[1][:6] == ("p1", "AB", None, None, None, None)
    texts = plain.execute("SELECT id, instruction, response_b FROM pair_texts ORDER BY ordinal").fetchall()
    assert texts == [("p0", "question 0", "no"), ("p1", "question 1", "no")]
    assert json.loads(plain.execute("SELECT record FROM manifest").fetchone()[0])["kind"] == "live"
    (hostile,) = plain.execute("SELECT record FROM completions WHERE key = ?", (planned[1].key,)).fetchone()
    assert json.loads(hostile)["text"] == "lone \ud800 and \x00"
    plain.close()


@pytest.mark.parametrize("reason", ["stop", "error"])
def test_the_database_itself_refuses_an_attempt_after_the_answer(tmp_path, reason):
    planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, ANSWER)
    plain = sqlite3.connect(tmp_path / "journal.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="already answered"):
        plain.execute(
            "INSERT INTO completions (key, attempt, finish_reason, record) VALUES (?, 9, ?, '{}')",
            (planned[0].key, reason),
        )
    plain.close()


def test_the_reference_names_every_column_and_field(tmp_path):
    reference = (Path(__file__).parents[2] / "docs" / "reference" / "run-format.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[A-Za-z_0-9]+", " ".join(re.findall(r"`([^`]*)`", reference))))
    Journal.create(tmp_path, manifest(), []).close()
    plain = sqlite3.connect(tmp_path / "journal.sqlite")
    tables = [name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    columns = {row[1] for name in tables for row in plain.execute(f"PRAGMA table_info({name})")}
    plain.close()
    records = (Pair, Presentation, Message, Completion, FirstToken, TokenLogProb, Usage, RunManifest, JudgeIdentity)
    records += (DataIdentity, Condition, GrammarHint, LabelSet, Sampling, LabelTokens, SwapRecord)
    named = {field.name for record in records for field in fields(record)}
    assert {*tables, *columns, *named} <= words
