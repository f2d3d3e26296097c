from dataclasses import replace
from importlib.metadata import PackageNotFoundError

import pytest

from evenhand.records import Readout
from evenhand.report.probes import view as module
from evenhand.report.probes.html import render_html
from evenhand.report.probes.view import build_probe_view, evenhand_version
from report.probes.examples import TOO_RARE, changed, compared, figure, make_report, make_transfer, pooled, refused
from report.studies.tied import has_figures
from report.test_html import Page


def test_facts_tell_judge_prompt_data_retention_and_procedure(view):
    facts = dict(view.facts)
    assert facts["judge"] == "Qwen/Qwen3-1.7B"
    assert facts["prompt"] == f"three-line, sha256:{'d4' * 32}"
    assert facts["retention"] == "579 of 620 pairs usable (93.4 %)"
    assert facts["folds"] == "5 outer, 3 inner, seed 0"
    assert facts["setting thinking"] == "off"
    assert facts["created"] == "2026-11-30 07:10 UTC"
    assert facts["time"] == "12.3 s", "one row, however many steps"
    assert "led with a label in both orders" not in facts
    assert "trained on" not in facts


def test_transfer_tells_both_sets(transfer):
    facts = dict(build_probe_view(transfer).facts)
    assert facts["trained on"] == "judgebench:gpt, 534 pairs"
    assert facts["applied to"] == "mt_bench, nothing fitted there"
    assert "folds" not in facts


def test_refusals_are_gathered_by_reason(report):
    notes = build_probe_view(refused(report, TOO_RARE)).notes
    (note,) = [note for note in notes if note.startswith("Not computed for")]
    assert note.startswith("Not computed for probe, confidence, margin, AB choice,")
    assert note.endswith(f" (AUROC, AUPRC, choice-matched AUROC): {TOO_RARE.reason}.")
    assert "no-signal" not in note


def test_first_tokens_have_compliance_and_another_meaning_of_usable(report):
    asked = replace(report.subject, readout=Readout.FIRST_TOKEN)
    view = build_probe_view(replace(report, subject=asked, compliance=figure(0.076, 0.055, 0.106)))
    assert dict(view.facts)["led with a label in both orders"] == "7.6 % [5.5, 10.6] of the pairs evaluated"
    assert "no format was checked" in dict(view.glossary)["usable pair"]
    assert "no format was checked" in view.table("retention").caption
    assert "kept the format" in dict(build_probe_view(report).glossary)["usable pair"]


def test_pooling_is_explained_where_it_moves_a_figure(report):
    noted = replace(report, predictors=(pooled(report.predictors[0], 0.69), *report.predictors[1:]))
    assert any("ranked together" in text for text in build_probe_view(noted).notes)
    assert not any("ranked together" in text for text in build_probe_view(report).notes)


def test_unpinned_weights_are_said(report):
    facts = dict(build_probe_view(replace(report, subject=replace(report.subject, revision=None))).facts)
    assert facts["revision"] == "nothing pins the weights"


def test_the_version_is_that_of_the_package(monkeypatch):
    assert evenhand_version()[0].isdigit()

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "version", missing)
    assert evenhand_version() == "not installed as a package"


@pytest.mark.parametrize("created", [None, "yesterday", "2026-11-30T07:10:11+02:00"])
def test_time_is_what_was_given(created):
    view = build_probe_view(make_report(), created=created)
    assert {None: "judgebench:gpt", "yesterday": "yesterday"}.get(created, "05:10 UTC") in view.subtitle


def test_strings_are_clean(hostile_view):
    texts = [hostile_view.title, hostile_view.subtitle, hostile_view.command, *hostile_view.notes]
    texts += [text for pair in hostile_view.facts for text in pair]
    for text in texts:
        assert not set(text) & set("\x1b\x07\u202e\ud800\n\r\t")
        assert len(text) < 5000


@pytest.mark.parametrize(
    "report",
    [
        make_report(),
        make_transfer(),
        refused(make_report(), TOO_RARE),
        compared(make_report(), "probe", "combined", figure(-0.11, -0.15, -0.07)),
        changed(make_report(), "probe", figure(0.4, 0.35, 0.45)),
        replace(make_report(), predictors=()),
    ],
    ids=["fit", "transfer", "refused", "worse than the features", "below chance", "nothing fitted"],
)
def test_every_sentence_rests_on_the_table_that_has_its_figures(report):
    view = build_probe_view(report)
    page = Page(render_html(view))
    head = view.headline
    said = [(head.lead, head.basis), *((claim.text, claim.basis) for claim in (*head.more, *head.steps))]
    assert page.values("class").count("basis") == len(said)
    for text, basis in said:
        assert basis is not None, text
        assert basis.anchor in page.values("id"), basis
        table = view.table(basis.anchor.removeprefix("table-"))
        assert table is None or text == head.lead or has_figures(table, text), (text, basis)


def test_sentences_rest_on_what_they_speak_of(report):
    head = build_probe_view(report).headline
    found = {claim.text: claim.basis.anchor for claim in (*head.more, *head.steps)}
    beginnings = {
        "Against “confidence”": "table-differences",
        "Intervals hold the fitted models fixed": "methods",
        "Among pairs with the same choice": "table-summary",
        "As probabilities": "table-no-signal",
        "Fitted on": "table-learning",
        "Not usable": "table-retention",
        "To see what swapping": "table-summary",
    }
    for beginning, anchor in beginnings.items():
        assert [found[text] for text in found if text.startswith(beginning)] == [anchor], beginning
    transferred = build_probe_view(make_transfer()).headline
    assert [c.basis.anchor for c in transferred.more if "without fitting anything" in c.text] == ["reproduce"]
