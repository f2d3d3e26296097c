from evenhand.judges import load_judge
from evenhand.records import Order
from evenhand.store import Journal
from evenhand.workflow.asking import answered_before, ask_every_order
from evenhand.workflow.chosen import choose_pairs
from evenhand.workflow.live import audit
from evenhand.workflow.plan import make_plan
from evenhand.workflow.run_manifest import live_manifest
from evenhand.workflow.settings import AuditSettings


def test_every_pair_is_planned_in_both_orders_and_nothing_follows(tmp_path):
    judge, chosen = load_judge("simulated:position=1"), choose_pairs("starter", limit=3)
    plan = make_plan(judge, chosen.pairs, AuditSettings())
    manifest = live_manifest(judge, plan, chosen.data, limit=3, command=None)
    with Journal.create(tmp_path, manifest, chosen.pairs) as journal:
        asking = ask_every_order(judge, plan, journal, print)
        planned = list(journal.plan())
        assert asking.judge is judge
        assert not asking.extend()
        assert asking.request_for(planned[0]) == plan.request_for(planned[0])
    assert {(p.pair_id, p.order) for p in planned} == {(pair.id, order) for pair in chosen.pairs for order in Order}


def test_what_was_answered_before_is_known_by_its_key(tmp_path):
    assert answered_before(tmp_path) == set()
    run = audit("simulated:position=1", "starter", limit=3, out=tmp_path)
    assert len(answered_before(tmp_path)) == run.counts.finished == 6
