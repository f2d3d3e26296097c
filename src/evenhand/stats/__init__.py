"""Statistics: plain arrays in, frozen named results out. Knows no judge."""

from evenhand.stats.agreement import cohen_kappa
from evenhand.stats.auroc import auroc, auroc_difference, bootstrap_auroc, choice_matched_auroc
from evenhand.stats.differences import cluster_difference
from evenhand.stats.exact_tests import binomial_test, mcnemar
from evenhand.stats.finite_population import hypergeometric_interval
from evenhand.stats.means import MeanEstimate, cluster_mean, mean_se
from evenhand.stats.multiplicity import AdjustedPValues, benjamini_hochberg, holm
from evenhand.stats.prediction_powered import PredictionPowered, StratumUse, ppi_mean, ppi_ratio
from evenhand.stats.proportions import clopper_pearson, wilson
from evenhand.stats.rates import cluster_rate
from evenhand.stats.resampling import IntervalMethod
from evenhand.stats.results import Estimate, Interval, Refusal, TestResult
from evenhand.stats.risk_control import RiskControl, RiskRule, control_risk
from evenhand.stats.score_bootstrap import (
    SCORES,
    RankedDifference,
    ScoreBootstrap,
    ScoredPredictor,
    ScoreName,
    bootstrap_scores,
)
from evenhand.stats.scores import ReliabilityBin, ReliabilityCurve, auprc, brier, log_loss, reliability_curve
from evenhand.stats.sign_flip import sign_flip_test
from evenhand.stats.sum_bootstrap import bootstrap_of_sums

__all__ = [
    "SCORES",
    "AdjustedPValues",
    "Estimate",
    "Interval",
    "IntervalMethod",
    "MeanEstimate",
    "PredictionPowered",
    "RankedDifference",
    "Refusal",
    "ReliabilityBin",
    "ReliabilityCurve",
    "RiskControl",
    "RiskRule",
    "ScoreBootstrap",
    "ScoreName",
    "ScoredPredictor",
    "StratumUse",
    "TestResult",
    "auprc",
    "auroc",
    "auroc_difference",
    "benjamini_hochberg",
    "binomial_test",
    "bootstrap_auroc",
    "bootstrap_of_sums",
    "bootstrap_scores",
    "brier",
    "choice_matched_auroc",
    "clopper_pearson",
    "cluster_difference",
    "cluster_mean",
    "cluster_rate",
    "cohen_kappa",
    "control_risk",
    "holm",
    "hypergeometric_interval",
    "log_loss",
    "mcnemar",
    "mean_se",
    "ppi_mean",
    "ppi_ratio",
    "reliability_curve",
    "sign_flip_test",
    "wilson",
]
