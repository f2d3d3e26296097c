import json
import math

from evenhand.report.encode import encode_estimate, encode_finding, encode_test, finite
from evenhand.stats import Estimate, Refusal, TestResult


def test_estimate_or_refusal_and_nothing_between():
    assert encode_estimate(Refusal(reason="r", n=2)) == {"refused": "r", "n": 2}
    assert encode_estimate(Estimate(value=math.inf, interval=None, n=2)) == {"refused": "not a finite number", "n": 2}
    encoded = encode_estimate(Estimate(value=0.5, interval=None, n=2, count=1, flags=("f",)))
    assert encoded == {"value": 0.5, "interval": None, "n": 2, "count": 1, "clusters": None, "flags": ["f"]}


def test_finite():
    assert [finite(x) for x in (None, math.nan, -math.inf, 0.0)] == [None, None, None, 0.0]


def test_underflow_keeps_its_logarithm():
    encoded = encode_test(TestResult(name="t", p_value=0.0, log10_p=-412.5, n=9))
    assert (encoded["p_value"], encoded["log10_p"]) == (0.0, -412.5)


def test_findings_are_json(audit):
    for finding in audit.findings:
        json.dumps(encode_finding(finding), allow_nan=False)
