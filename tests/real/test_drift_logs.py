"""Two real judges on the same LLMBar pairs: the comparison's figures are those that the logs publish for each."""

import json
import re

import pytest

import evenhand
from evenhand.stats import Estimate
from real.log_data import needs, real

RESULTS = [path for path in real("llmbar/verdicts/Natural/*/Vanilla/result.json") if "Falcon" not in str(path)]
pytestmark = [pytest.mark.real, needs(RESULTS[1:], "two LLMBar results without missing verdicts")]


def share(published, key):
    """A published ``71 / 100 = 71.0%`` as a share."""
    found = re.match(r"(\d+) / (\d+)", published[key])
    return int(found[1]) / int(found[2])


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    runs = [evenhand.import_log("llmbar", path, out=root / str(i)) for i, path in enumerate(RESULTS[:2])]
    published = [json.loads((path.parent / "statistics.json").read_text()) for path in RESULTS[:2]]
    return evenhand.compare_runs(*runs, readout="logged"), published


def test_flips_and_accuracy_are_the_published_ones(compared):
    made, published = compared
    (scope,) = made.comparison.scopes
    flips, accuracy = scope.measure("flip_rate"), scope.measure("accuracy")
    assert [flips.old.value, flips.new.value] == pytest.approx([1 - share(each, "equal") for each in published])
    expected = [(share(each, "correct_False") + share(each, "correct_True")) / 2 for each in published]
    assert [accuracy.old.value, accuracy.new.value] == pytest.approx(expected)
    assert flips.difference.value == pytest.approx(flips.new.value - flips.old.value)
    assert isinstance(accuracy.difference, Estimate)


def test_all_pairs_are_shared_and_only_the_judge_differs(compared):
    made, _ = compared
    assert (len(made.match.shared), made.match.left_out) == (100, 0)
    assert {difference.part for difference in made.differences} <= {"judge", "prompt"}
    assert "judge" in {difference.part for difference in made.differences}
    # Every changed verdict is one that doesn't agree.
    (scope,) = made.comparison.scopes
    agreement = scope.agreement.agreement
    assert scope.changes == agreement.n - agreement.count
