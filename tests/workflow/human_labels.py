"""A file of human labels for the runs of workflow.ranked_runs."""

import json
import random
from pathlib import Path

from workflow.ranked_runs import authored_pairs


def human_labels(path: Path, *, share: float = 0.6, right: float = 0.9, annotators: int = 2) -> Path:
    """Each annotator is right in ``right`` of the pairs; dates over three months; one empty row, one unknown pair."""
    draw = random.Random(2)  # noqa: S311 - no secret
    rows: list[dict[str, object]] = []
    for number, pair in enumerate(authored_pairs()):
        if draw.random() > share:
            continue
        gold = str(pair.gold)
        for who in range(annotators):
            said = gold if draw.random() < right else ("B" if gold == "A" else "A")
            date = f"2026-{8 + number % 3:02d}-{1 + number % 28:02d}"
            rows.append({"pair_id": pair.id, "preference": said, "annotator": f"h{who}", "date": date})
    rows.append({"pair_id": "p0", "preference": "", "annotator": "late", "date": None})
    rows.append({"pair_id": "unknown", "preference": "A", "annotator": "h0", "date": None})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
