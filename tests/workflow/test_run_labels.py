"""The labels that a run's own report brings in: which, from where, and the same figures as ``evenhand humans``."""

import shutil
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import DataError, StoreError
from evenhand.records import LabelSet, Readout
from evenhand.records.columnar import VerdictColumns
from evenhand.stats import Estimate, Refusal
from evenhand.store.label_store import LABELS
from evenhand.workflow.analyse import open_run
from evenhand.workflow.humans import compare_with_humans
from evenhand.workflow.labelling_export import export_labels
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_labels import people_of_run
from workflow.people_runs import label_run, people_run
from workflow.ranked_runs import ranked_run

FEW = 200


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people_run(tmp_path_factory.mktemp("people") / "run")


@pytest.fixture(scope="module")
def opened(run: Path) -> AuditRun:
    return open_run(run, resamples=FEW)


def beside(opened: AuditRun, **settings: object):
    return people_of_run(opened.directory, opened.manifest, opened.to_polars(), resamples=FEW, **settings)


def test_the_figures_are_those_of_evenhand_humans(run: Path, opened: AuditRun, tmp_path: Path) -> None:
    export_labels(run, tmp_path / "labels.csv")
    made = beside(opened)
    assert [scope.readout for scope in made.scopes] == [Readout.FIRST_TOKEN]
    for scope in made.scopes:
        humans = compare_with_humans(
            run, tmp_path / "labels.csv", condition=scope.condition, readout=scope.readout, resamples=FEW
        )
        assert scope.judge == humans.judges[0].agreement
        assert scope.people.agreement == humans.people
        assert scope.people.labelled == humans.labelled
    assert isinstance(scope.judge.gap, Estimate)
    assert isinstance(scope.people.agreement.alpha, Estimate)
    assert made.resampled_by == humans.resampled_by
    # A file gives the same as the store that it was exported from.
    again = beside(opened, labels=tmp_path / "labels.csv")
    assert again.scopes == made.scopes
    assert not again.source.blind
    assert again.source.empty == made.source.skipped > 0


def test_a_readout_or_condition_of_its_own_has_its_own_figures(tmp_path: Path) -> None:
    settings = evenhand.AuditSettings(labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y")), resamples=FEW)
    pairs = evenhand.load_pairs("starter")[:30]
    evenhand.audit("simulated:position=1.0,compliance=0.7,noise=1", pairs, settings=settings, out=tmp_path / "run")
    path = tmp_path / "labels.csv"
    rows = [f"{pair.id},{pair.gold},{who}" for pair in pairs if pair.gold for who in ("ann", "bob")]
    path.write_text("\n".join(["pair_id,preference,annotator", *rows]), encoding="utf-8")
    opened = open_run(tmp_path / "run", resamples=FEW)
    made = beside(opened, labels=path)
    assert len({(scope.condition, scope.readout) for scope in made.scopes}) == 6
    for scope in made.scopes:
        humans = compare_with_humans(
            tmp_path / "run", path, condition=scope.condition, readout=scope.readout, resamples=FEW
        )
        assert scope.judge == humans.judges[0].agreement


def test_a_run_without_labels_has_none(tmp_path: Path) -> None:
    ranked_run(tmp_path / "run")
    opened = open_run(tmp_path / "run", resamples=FEW)
    assert beside(opened) is None
    # A store of other pairs alone is none of this run's, and one in which nobody labelled is empty.
    label_run(tmp_path / "run", most=0)
    assert beside(opened) is None
    with pytest.raises(DataError, match="holds no label of a pair that was judged"):
        beside(opened, labels=tmp_path / "run")


def test_states_are_counted_and_are_no_labels(run: Path, opened: AuditRun) -> None:
    source = beside(opened).source
    stated = evenhand.export_labels(run, history=False).counts
    assert source.labels == stated["label"]
    assert source.skipped == stated["skipped"] > 0
    assert (source.annotators, source.blind, source.informative, source.after_results) == (3, True, 0, 0)


def test_labels_that_are_not_blind_or_no_sample_are_counted(tmp_path: Path) -> None:
    ranked_run(tmp_path / "run")
    label_run(tmp_path / "run", names=("ann",), overlap=0.1, order="informative", most=40, seen=True)
    source = beside(open_run(tmp_path / "run", resamples=FEW)).source
    assert source.after_results == source.labels > 10
    assert 10 < source.informative < source.labels


def test_few_labels_are_refused_with_the_reason(tmp_path: Path) -> None:
    ranked_run(tmp_path / "run")
    label_run(tmp_path / "run", names=("ann",), most=9)
    (scope,) = beside(open_run(tmp_path / "run", resamples=FEW)).scopes
    assert isinstance(scope.verdict.rate, Refusal)
    assert scope.verdict.rate.reason.startswith("needs at least 10 pairs rated by both, has ")
    assert isinstance(scope.judge.gap, Refusal)
    assert isinstance(scope.people.raw, Refusal)


def test_labels_in_the_folder_that_cannot_be_read_fail_no_report(run: Path, opened: AuditRun, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / LABELS).write_bytes(b"no database at all, but long enough to be looked at" * 40)
    for name in ("-wal", "-shm"):
        (tmp_path / "run" / f"{LABELS}{name}").unlink(missing_ok=True)
    made = people_of_run(tmp_path / "run", opened.manifest, opened.to_polars())
    assert made.scopes == ()
    assert made.source is None
    assert "labels.sqlite: the labels are damaged or no label store" in made.unread
    with pytest.raises((StoreError, DataError)):
        people_of_run(tmp_path / "run", opened.manifest, opened.to_polars(), labels=tmp_path / "run" / LABELS)


def test_a_named_store_or_run_is_read_too(run: Path, opened: AuditRun, tmp_path: Path) -> None:
    shutil.copy(run / LABELS, tmp_path / "kept.db")
    assert beside(opened, labels=tmp_path / "kept.db").scopes == beside(opened).scopes
    assert beside(opened, labels=run).scopes == beside(opened).scopes
    with pytest.raises(DataError, match=r"none\.csv"):
        beside(opened, labels=tmp_path / "none.csv")


def test_a_log_imported_as_columns_stands_beside_people(tmp_path: Path) -> None:
    rows = ["pair_id,group,order,outcome"]
    said = ["pair_id,preference,annotator"]
    for number in range(40):
        flips = number % 4 == 0
        rows += [f"p{number},g{number},AB,first", f"p{number},g{number},BA,{'first' if flips else 'second'}"]
        said += [f"p{number},A,ann", f"p{number},{'B' if flips else 'A'},bob"]
    (tmp_path / "log.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "labels.csv").write_text("\n".join(said), encoding="utf-8")
    imported = evenhand.import_log("table", tmp_path / "log.csv", out=tmp_path / "run")
    made = people_of_run(imported.directory, imported.manifest, imported._table, labels=tmp_path / "labels.csv")
    assert isinstance(imported._table, VerdictColumns)
    assert made is not None
    (scope,) = made.scopes
    assert scope.readout is Readout.LOGGED
    humans = compare_with_humans(tmp_path / "run", tmp_path / "labels.csv")
    assert scope.judge == humans.judges[0].agreement
    assert scope.by_flip is not None
    assert (scope.by_flip.flips, scope.by_flip.steady) == (10, 30)
    assert isinstance(scope.by_flip.difference, Estimate)
    assert scope.by_flip.difference.value == -1.0
