from evenhand.judges import load_judge
from evenhand.records import LabelSet
from evenhand.workflow import AuditSettings
from evenhand.workflow.chosen import choose_pairs
from evenhand.workflow.plan import make_plan
from evenhand.workflow.run_manifest import live_manifest


def test_a_manifest_says_what_was_asked_of_whom() -> None:
    chosen = choose_pairs("starter", limit=4)
    settings = AuditSettings(labels=(LabelSet.parse("X/Y"),), repeat=2, seed=5, budgets=(64,))
    with load_judge("simulated:fair") as judge:
        plan = make_plan(judge, chosen.pairs, settings)
        made = live_manifest(judge, plan, chosen.data, limit=4, command="evenhand audit")
    assert (made.kind, made.orders, made.repeat, made.seed, made.limit) == ("live", "both", 2, 5, 4)
    assert made.judge == judge.identity
    assert made.data == chosen.data
    assert [condition.labels.name for condition in made.conditions] == ["X/Y"]
    assert dict(made.label_tokens).keys() == {made.conditions[0].id}
    assert made.sampling is not None
    assert made.sampling.budgets == (64,)
    [(name, text)] = made.prompts
    assert name == "single-character"
    assert "{instruction}" in text
    assert made.created is not None
    assert made.command == "evenhand audit"
