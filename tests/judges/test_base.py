from evenhand.judges.base import Captures, Generate, Judge, JudgeRequest
from evenhand.judges.simulated import SimulatedJudge
from evenhand.records import LabelSet, Message


def test_a_request_is_greedy_and_asks_for_everything_unless_told() -> None:
    request = JudgeRequest(messages=(Message(role="user", content="?"),), labels=LabelSet.parse("A/B"))
    assert (request.temperature, request.first_token, request.generate) == (0.0, True, Generate.ALWAYS)
    assert request.watcher is None
    assert list(request.budgets) == sorted(set(request.budgets))


def test_the_interface_can_be_checked_at_run_time() -> None:
    with SimulatedJudge.from_spec("position=0", spec="simulated:position=0") as judge:
        assert isinstance(judge, Judge)
        assert not isinstance(judge, Captures)
    assert not isinstance(object(), Judge)
