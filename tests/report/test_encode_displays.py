import json

import pytest

from evenhand.analysis.displays import CurvePoint
from evenhand.report.encode_displays import encode_display
from evenhand.report.json_report import audit_json
from report.panel_examples import curve, flow, refused_reliability, reliability, share, table


@pytest.mark.parametrize("display", [flow(), table(), reliability(), refused_reliability(), curve()])
def test_every_display_is_plain_json(display):
    tree = encode_display(display)
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert {"kind", "condition", "readout"} <= set(tree)


def test_counts_and_refusals_survive():
    assert encode_display(flow())["cells"][0] == {
        "order": "AB", "lead": "first", "conclusion": "first", "count": 40,
    }  # fmt: skip
    assert encode_display(flow())["diverged"] == 10
    assert encode_display(table())["first_twice"] == 60
    assert encode_display(refused_reliability())["calibration_error"]["refused"].startswith("needs at least 40")
    assert encode_display(reliability())["bins"][1]["right"]["value"] == 0.6


def test_a_margin_below_all_is_none():
    from dataclasses import replace

    first = CurvePoint(share=0.0, margin=float("-inf"), figure=share(1, 2, 0, 1))
    assert encode_display(replace(curve(), points=(first,)))["points"][0]["margin"] is None


def test_an_audit_s_file_has_them(remedied):
    tree = audit_json(remedied.manifest, remedied.audit, counts=remedied.counts)
    kinds = [display["kind"] for display in tree["displays"]]
    assert kinds.count("flow") == 1
    assert {"swap-table", "reliability", "savings-curve"} <= set(kinds)
