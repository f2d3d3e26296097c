"""The measures of the labels' probabilities: their mass, what position shifts, what averaging the orders gains."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["PROBABILITY_MEASURES"]

PROBABILITY_MEASURES: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="label_mass",
        label="label mass",
        definition="Mean probability of all variants of the labels together at the position read.",
    ),
    MeasureInfo(
        name="low_mass_rate",
        label="label mass below half",
        definition="Share of presentations whose labels have less than half of the probability together.",
    ),
    MeasureInfo(
        name="probability_shift",
        label="probability shift",
        definition=(
            "Mean of p(A) in order AB minus p(A) in order BA, p renormalised over the two labels: what standing first "
            "adds to a response's probability; 0 for no lean to a slot."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="probability_shift_absolute",
        label="probability shift, absolute",
        definition="Mean distance between p(A) in order AB and p(A) in order BA, whichever is larger.",
    ),
    MeasureInfo(
        name="averaged_accuracy",
        label="accuracy, averaged orders",
        definition=(
            "Share of pairs whose p(A), averaged over the two orders, lies on the gold side of .5; on pairs with a "
            "gold side and log-odds other than even in each order and on average."
        ),
    ),
    MeasureInfo(
        name="single_accuracy_ab",
        label="accuracy, order AB, same pairs",
        definition="The same with p(A) of order AB alone, on the same pairs.",
    ),
    MeasureInfo(
        name="single_accuracy_ba",
        label="accuracy, order BA, same pairs",
        definition="The same with p(A) of order BA alone, on the same pairs.",
    ),
    MeasureInfo(
        name="agreeing_accuracy",
        label="accuracy, agreeing orders",
        definition="The same, on those of the pairs whose two orders prefer the same response: the easier ones.",
    ),
    MeasureInfo(
        name="averaged_accuracy_gain",
        label="accuracy, averaged minus single",
        definition="Accuracy of the averaged p(A) minus the mean of the two orders' accuracies, on the same pairs.",
        unit="difference",
    ),
    MeasureInfo(
        name="averaged_brier",
        label="Brier score, averaged orders",
        definition="Mean squared distance of the averaged p(A) from 1 (gold is A) or 0 (gold is B).",
        unit="number",
    ),
    MeasureInfo(
        name="single_brier_ab",
        label="Brier score, order AB",
        definition="The same with p(A) of order AB alone.",
        unit="number",
    ),
    MeasureInfo(
        name="single_brier_ba",
        label="Brier score, order BA",
        definition="The same with p(A) of order BA alone.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_brier_gain",
        label="Brier score, averaged minus single",
        definition="Brier score of the averaged p(A) minus the mean of the two orders' scores; never above 0.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_log_loss",
        label="log loss, averaged orders",
        definition="Mean negative natural logarithm of the averaged probability of the gold response.",
        unit="number",
    ),
    MeasureInfo(
        name="single_log_loss_ab",
        label="log loss, order AB",
        definition="The same with the probability of order AB alone.",
        unit="number",
    ),
    MeasureInfo(
        name="single_log_loss_ba",
        label="log loss, order BA",
        definition="The same with the probability of order BA alone.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_log_loss_gain",
        label="log loss, averaged minus single",
        definition="Log loss of the averaged p(A) minus the mean of the two orders' losses; never above 0.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_auroc",
        label="AUROC, averaged orders",
        definition="Chance that the averaged p(A) of a pair with gold A exceeds that of a pair with gold B, ties half.",
        unit="number",
    ),
    MeasureInfo(
        name="decisive_flip_rate",
        label="decisive flips",
        definition=(
            "Among flips with log-odds in both orders, share whose averaged p(A) is .1 or more from even; a flip's is "
            "never .25 from it."
        ),
    ),
    MeasureInfo(
        name="decisive_flip_accuracy",
        label="accuracy, decisive flips",
        definition="Among decisive flips of pairs with a gold side, share whose averaged p(A) lies on it.",
    ),
)
