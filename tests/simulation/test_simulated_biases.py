"""Planted biases through the public API: found where they are, told apart where they are confounded, absent elsewhere.

The live judge is asked about generated pairs, as any judge is; the vectorised one gives the many audits that false
positives need. docs/results/planted-biases.md has the whole table.
"""

from functools import cache

import numpy as np
import pytest

import evenhand
from evenhand.analysis import Finding
from evenhand.audits.bias.audit import audit_biases, plan_changes
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_calibrated import net_shift
from evenhand.judges.simulated_study import StudyParameters
from evenhand.judges.simulated_study_table import simulate_study
from evenhand.records import Order, Pair, Preference, Readout
from evenhand.stats import Estimate
from evenhand.workflow.simulate_audits import bias_data

pytestmark = pytest.mark.simulation

RUNS = 400
LIMIT = 0.05 + 2 * (0.05 * 0.95 / RUNS) ** 0.5
"""Two standard errors above the level."""
WORDS = ["glass", "flows", "slowly", "when", "heat", "bends", "panes", "toward", "rest", "and", "light", "stays"]


def prose(rng: np.random.Generator, words: int) -> str:
    """Sentences of eight words, the second of which can be contracted."""
    said = rng.choice(WORDS, words).tolist()
    sentences = [" ".join(said[i : i + 8]).capitalize() for i in range(0, words, 8)]
    sentences[1:1] = ["It is not so"]
    return ". ".join(sentences) + "."


@cache
def pairs(n: int = 60, *, confounded: bool = False, own_longer: float = 0.0) -> tuple[Pair, ...]:
    """With quality and author marked in the texts; confounded: A is longer, and A is by the family ``me``.

    ``own_longer`` is by how many log units the responses of ``me`` are longer, in whatever place.
    """
    rng = np.random.default_rng(5)
    made = []
    for i in range(n):
        quality = rng.normal(0, 1, 2)
        authors = ("me-1", "other-1") if confounded or i % 2 else ("other-1", "me-1")
        longer = own_longer * np.array([author == "me-1" for author in authors])
        words = np.exp(rng.normal(4.2, 0.3, 2) + longer + (np.array([0.5, 0.0]) if confounded else 0.0)).astype(int)
        texts = [
            f"<quality:{q:.3f}><author:{author}>{prose(rng, max(24, int(count)))}"
            for q, author, count in zip(quality, authors, words, strict=True)
        ]
        made.append(
            Pair(
                id=f"p{i:03}",
                instruction=f"Tell me of glass, number {i}.",
                response_a=texts[0],
                response_b=texts[1],
                gold=Preference.A if quality[0] > quality[1] else Preference.B,
                author_a=authors[0],
                author_b=authors[1],
            )
        )
    return tuple(made)


def audited(spec: str, folder, *, biases: tuple[str, ...], confounded: bool = False) -> dict[str, Finding]:
    """Findings of the generated readout by subset."""
    run = evenhand.audit(
        f"simulated:noise=0.5,repeat_noise=0.3,{spec}",
        pairs(confounded=confounded),
        settings=evenhand.AuditSettings(biases=biases, resamples=200),
        out=folder,
    )
    assert run.biases is not None
    return {f.subset: f for f in run.biases.findings if f.readout is Readout.GENERATED and f.subset is not None}


def found(findings: dict[str, Finding]) -> set[str]:
    """Subsets that the Holm-adjusted test accuses."""
    return {name for name, f in findings.items() for test in f.tests if "Holm" in test.name and test.p_value < 0.05}


def shift(finding: Finding) -> float:
    estimate = finding.measure("net_shift")
    assert isinstance(estimate, Estimate), estimate
    return estimate.value


def test_planted_biases_are_found_live_and_the_others_are_not(tmp_path) -> None:
    """Sycophancy and tone are planted; authority, injection and register are asked about, and are not there."""
    findings = audited("position=0.5,sycophancy=1,tone=0.8", tmp_path, biases=("sycophancy", "tone", "register"))
    accused = found(findings)
    planted = {"endorsement=user", "endorsement=expert", "endorsement=majority", "tone=assertive against tone=hedged"}
    assert planted <= accused
    assert not {name for name in accused if name.startswith(("register", "authority", "injection"))}
    assert shift(findings["endorsement=user"]) > 0.12
    assert shift(findings["tone=assertive"]) > 0.08 > -0.08 > shift(findings["tone=hedged"])


@pytest.mark.parametrize("judge", ["simulated:fair", "simulated:position=0.5,noise=0.5"])
def test_a_judge_without_a_taste_is_not_accused_of_any_on_the_starter_pairs(judge, tmp_path) -> None:
    """What comes with the package, as its docs run it: no markers, and qualities from how the responses begin."""
    settings = evenhand.AuditSettings(biases=("formatting", "tone", "register"), resamples=200)
    run = evenhand.audit(judge, "starter", out=tmp_path, settings=settings)
    assert run.biases is not None
    findings = {f.subset or "": f for f in run.biases.findings if f.readout is Readout.GENERATED}
    assert abs(shift(findings["format=code"])) < 0.06
    assert found(findings) == set()


def test_a_judge_that_likes_one_slot_alone_is_not_accused_where_length_goes_with_slot_and_author(tmp_path) -> None:
    findings = audited("position=1", tmp_path, biases=("verbosity", "tone", "formatting"), confounded=True)
    assert len(findings) >= 7
    assert found(findings) == set()


def test_a_judge_that_likes_its_own_family_is_not_taken_for_a_verbose_one(tmp_path) -> None:
    """Its family's responses are the longer ones; padding a response changes length and not its author."""
    findings = audited("self_preference=1.5,family=me", tmp_path, biases=("verbosity",), confounded=True)
    assert "padding=redundant" not in found(findings)
    assert abs(shift(findings["padding=redundant"])) < 0.05


def test_a_verbose_judge_is_found_by_padding_where_length_goes_with_slot_and_author(tmp_path) -> None:
    findings = audited("verbosity=1.2,position=0.5", tmp_path, biases=("verbosity", "tone"), confounded=True)
    accused = found(findings)
    assert "padding=redundant" in accused
    assert shift(findings["padding=redundant"]) > 0.05
    # Any insertion makes a response longer, so a tone against nothing is length too; both tones are of one length.
    assert "tone=assertive against tone=hedged" not in accused


@pytest.mark.parametrize("planted", [True, False])
def test_self_preference_is_told_from_a_taste_for_length_that_all_judges_share(planted, tmp_path) -> None:
    """Responses of ``me`` are longer, and every judge is verbose; one of them may prefer its own family beside."""
    own = ",self_preference=1.5,family=me" if planted else ""
    specs = {"me": own, "other": ",seed=1", "third": ",seed=2,position=1"}
    for name, spec in specs.items():
        evenhand.audit(
            f"simulated:noise=0.5,verbosity=0.8{spec}",
            pairs(own_longer=0.5),
            settings=evenhand.AuditSettings(resamples=200),
            out=tmp_path / name,
        )
    families = {"me-1": "me", "other-1": "other"} | {f"simulated ({name})": name for name in specs}
    made = evenhand.biases(
        [tmp_path / name for name in specs], ["self-preference"], families=families, resamples=200, readout="generated"
    )
    assert made.across is not None
    own_families = {f.subset for f in made.across.findings if f.tests}
    assert own_families == {"simulated (me)", "simulated (other)"}
    guilty = {f.subset for f in made.across.findings for t in f.tests if "Holm" in t.name and t.p_value < 0.05}
    assert guilty == ({"simulated (me)"} if planted else set())


NAMES = ("verbosity", "tone")


def studies(p: StudyParameters, *, seed: int, runs: int, pairs: int = 80, **settings):
    changes = plan_changes(NAMES)
    for rng in np.random.default_rng(seed).spawn(runs):
        study = simulate_study(p, n_pairs=pairs, changes=changes, rng=rng, **settings)
        yield audit_biases(bias_data(study), NAMES, resamples=100)


def accused(findings) -> set[str | None]:
    return {f.subset for f in findings for test in f.tests if "Holm" in test.name and test.p_value < 0.05}


def test_no_more_than_five_percent_of_families_accuse_a_judge_without_a_bias() -> None:
    """Position, ties and refusals, questions of two pairs, length confounded with slot and authorship."""
    judge = StudyParameters(
        position=1.0,
        tie=0.08,
        refusal=0.04,
        own_share=0.6,
        length_slot=0.4,
        length_author=0.5,
        biases=BiasStrengths(self_preference=0.0, family="me"),
    )
    made = studies(judge, seed=11, runs=RUNS, pairs=60, n_groups=30, icc=0.3)
    assert np.mean([bool(accused(audit.findings)) for audit in made]) <= LIMIT


def test_the_recovered_shift_is_the_planted_one_and_intervals_cover_it() -> None:
    judge = StudyParameters(position=0.5, length_slot=0.4, biases=BiasStrengths(verbosity=0.5, tone=0.4))
    wanted = {"padding=redundant": net_shift(judge, "verbosity"), "tone=assertive": net_shift(judge, "tone")}
    estimates = {name: [] for name in wanted}
    for audit in studies(judge, seed=12, runs=120):
        for f in audit.findings:
            if f.subset in wanted:
                estimates[f.subset].append(f.measure("net_shift"))
    for name, made in estimates.items():
        values = np.array([e.value for e in made])
        assert values.mean() == pytest.approx(wanted[name], abs=4 * values.std() / len(values) ** 0.5)
        assert wanted[name] > 0.05
        covered = np.mean([e.interval.low <= wanted[name] <= e.interval.high for e in made])
        assert covered >= 0.95 - 3 * (0.05 * 0.95 / len(made)) ** 0.5


def test_a_single_order_log_shows_length_and_slot_apart() -> None:
    """Of order AB alone, A longer each time: what the slot does is not ascribed to length."""
    judge = StudyParameters(position=1.0, length_slot=0.5)
    hits = []
    for rng in np.random.default_rng(13).spawn(100):
        data = bias_data(simulate_study(judge, n_pairs=100, rng=rng, orders=[Order.AB]))
        audit = audit_biases(data, ("verbosity",), resamples=100)
        hits.append("length" in accused(audit.findings))
    assert np.mean(hits) <= 0.05 + 2 * (0.05 * 0.95 / 100) ** 0.5
