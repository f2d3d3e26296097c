from pathlib import Path

import pytest

from evenhand.cli.probe_output import print_written
from evenhand.report.probes.write import write_probe_report
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.probe_transfer import transfer_probes
from probes.saved_examples import probe_data


def test_paths_come_last_and_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    without = ("boosted-trees", "probe-with-features", "all-layers")
    done = transfer_probes(
        probe_data(60), probe_data(20, prefix="other"), settings=FitSettings(resamples=100, without=without)
    )
    folder = tmp_path / ("long" * 30)
    written = write_probe_report(folder, done.report, done.predictions)
    print_written(done.report, written, cards=(folder / "a.json", folder / "b.json"), brief=True)
    lines = capsys.readouterr().out.rstrip("\n").splitlines()
    assert lines[-3:] == [
        f"Report:      {folder / 'report.html'}",
        f"Predictions: {folder / 'predictions.parquet'}",
        f"Probe:       {folder / 'a.json'}",
    ]
