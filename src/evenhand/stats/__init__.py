"""Statistics: plain arrays in, frozen named results out. Knows no judge."""

from evenhand.stats.agreement import bootstrap_kappa, cohen_kappa
from evenhand.stats.alpha import AlphaLevel, alpha_of_counts, krippendorff_alpha
from evenhand.stats.auroc import auroc, auroc_difference, bootstrap_auroc, choice_matched_auroc
from evenhand.stats.differences import cluster_difference
from evenhand.stats.equivalence import Side, ToleranceCall, ToleranceDecision, decide_tolerance, two_sided_level
from evenhand.stats.exact_tests import binomial_test, mcnemar
from evenhand.stats.finite_population import hypergeometric_interval
from evenhand.stats.means import MeanEstimate, cluster_mean, mean_se
from evenhand.stats.multiplicity import AdjustedPValues, benjamini_hochberg, holm
from evenhand.stats.net_rate import cluster_net_rate
from evenhand.stats.one_sided import p_above
from evenhand.stats.power import (
    HalfWidth,
    MeanShift,
    PairedRates,
    PowerAnswer,
    PowerQuestion,
    RateAgainst,
    achieved_power,
    design_effect,
    minimum_detectable_effect,
    pairs_needed,
)
from evenhand.stats.prediction_powered import PredictionPowered, StratumUse, ppi_mean, ppi_ratio
from evenhand.stats.proportions import clopper_pearson, wilson
from evenhand.stats.rates import cluster_rate
from evenhand.stats.ratio import RatioMethod, bootstrap_coefficient_ratio, coefficient_ratio
from evenhand.stats.refit import FitKind, resampled_coefficients
from evenhand.stats.regression import INTERCEPT, Regression, Term, logit, ols
from evenhand.stats.resampling import IntervalMethod
from evenhand.stats.results import Estimate, Interval, Refusal, TestResult
from evenhand.stats.risk_control import RiskControl, RiskRule, control_risk
from evenhand.stats.robust_covariance import ErrorKind
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
    "INTERCEPT",
    "SCORES",
    "AdjustedPValues",
    "AlphaLevel",
    "ErrorKind",
    "Estimate",
    "FitKind",
    "HalfWidth",
    "Interval",
    "IntervalMethod",
    "MeanEstimate",
    "MeanShift",
    "PairedRates",
    "PowerAnswer",
    "PowerQuestion",
    "PredictionPowered",
    "RankedDifference",
    "RateAgainst",
    "RatioMethod",
    "Refusal",
    "Regression",
    "ReliabilityBin",
    "ReliabilityCurve",
    "RiskControl",
    "RiskRule",
    "ScoreBootstrap",
    "ScoreName",
    "ScoredPredictor",
    "Side",
    "StratumUse",
    "Term",
    "TestResult",
    "ToleranceCall",
    "ToleranceDecision",
    "achieved_power",
    "alpha_of_counts",
    "auprc",
    "auroc",
    "auroc_difference",
    "benjamini_hochberg",
    "binomial_test",
    "bootstrap_auroc",
    "bootstrap_coefficient_ratio",
    "bootstrap_kappa",
    "bootstrap_of_sums",
    "bootstrap_scores",
    "brier",
    "choice_matched_auroc",
    "clopper_pearson",
    "cluster_difference",
    "cluster_mean",
    "cluster_net_rate",
    "cluster_rate",
    "coefficient_ratio",
    "cohen_kappa",
    "control_risk",
    "decide_tolerance",
    "design_effect",
    "holm",
    "hypergeometric_interval",
    "krippendorff_alpha",
    "log_loss",
    "logit",
    "mcnemar",
    "mean_se",
    "minimum_detectable_effect",
    "ols",
    "p_above",
    "pairs_needed",
    "ppi_mean",
    "ppi_ratio",
    "reliability_curve",
    "resampled_coefficients",
    "sign_flip_test",
    "two_sided_level",
    "wilson",
]
