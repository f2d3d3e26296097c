from dataclasses import replace

from evenhand.mitigation.ranking import Model
from evenhand.mitigation.rankings import RankedScope, Rankings
from evenhand.records import Readout
from evenhand.stats import Refusal

REFUSED = RankedScope(
    run="r", judge="j", condition="c", readout=Readout.GENERATED, found=Refusal(reason="has no author", n=3)
)
RANKINGS = Rankings(
    scopes=(REFUSED,), model=Model.DAVIDSON, resamples=100, level=0.95, seed=0, resampled_by="question group"
)


def test_refusals_alone_are_no_ranking() -> None:
    assert not RANKINGS.ranked
    assert not replace(RANKINGS, scopes=()).ranked
