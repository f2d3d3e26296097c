"""What is saved is read again, and a file that is no policy, or was changed, says so."""

import json
import math
from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.probes.policy_file import load_policy, policy_path, save_policy
from probes.policies import budget, threshold


@pytest.mark.parametrize(
    "policy",
    [
        budget(0.3, floor=0.1),
        budget(1, floor=0),
        threshold(-math.inf, floor=0.2),
        threshold(0.25, delta=0.1, created="2026", evenhand="0"),
    ],
)
def test_what_is_saved_is_read_again(policy, tmp_path):
    assert load_policy(save_policy(tmp_path / "deep" / "policy.json", policy)) == policy


def test_files_that_are_no_policy(tmp_path):
    path = save_policy(tmp_path / "policy.json", threshold(0.25))
    tree = json.loads(path.read_text())

    def broken(change):
        copy = json.loads(json.dumps(tree))
        change(copy)
        path.write_text(json.dumps(copy))
        with pytest.raises(DataError) as caught:
            load_policy(path)
        assert str(path) in str(caught.value)
        return str(caught.value)

    assert "not a policy" in broken(lambda t: t.update(format="other"))
    assert "update Evenhand" in broken(lambda t: t.update(version=2))
    assert "reads 1" in broken(lambda t: t.update(version="x"))
    assert "unknown field 'code'" in broken(lambda t: t["policy"].update(code="import os"))
    assert "alpha is 7.0" in broken(lambda t: t["policy"].update(alpha=7))
    assert ".policy.floor" in broken(lambda t: t["policy"].update(floor="x"))
    assert "missing" in broken(lambda t: t["policy"].pop("subject"))
    assert "checksum" in broken(lambda t: t["policy"].update(threshold=0.9))
    assert "checksum" in broken(lambda t: t["policy"].update(guarantee="no flip is missed"))
    assert "checksum" in broken(lambda t: t["policy"]["calibrated_on"].update(pairs=10**6))
    for text in ("[]", "{", "\x00", '{"format": 1}', "[" * 100_000):
        path.write_text(text)
        with pytest.raises(DataError, match="not a policy"):
            load_policy(path)
    path.write_bytes(b" " * (1 << 21))
    with pytest.raises(DataError, match="is larger than"):
        load_policy(path)
    with pytest.raises(DataError, match="can't be read"):
        load_policy(tmp_path / "nothing.json")


def test_a_policy_named_without_its_ending_lies_in_a_json_file():
    assert policy_path(Path("runs/policy")) == Path("runs/policy.json")
    assert policy_path(Path("runs/policy.json")) == Path("runs/policy.json")
