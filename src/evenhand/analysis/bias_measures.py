"""The measures of controlled changes: padding, endorsement, tone, formatting, register, recency, interaction."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["BIAS_MEASURES"]

_CONTRAST: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="net_shift",
        label="net shift",
        definition=(
            "Turned toward the target minus turned away from it, over presentations compared: with a verdict without "
            "and with the change for both targets, the same pair in the same order. Without ties it is the change of "
            "the target's share of the verdicts."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="toward_rate",
        label="turned toward",
        definition=(
            "Among presentations compared, share whose verdict turned toward the target: from the other response to a "
            "tie or the target, or from a tie to the target. It holds those that turn by chance."
        ),
    ),
    MeasureInfo(
        name="away_rate",
        label="turned away",
        definition=(
            "Among presentations compared, share whose verdict turned away from the target: from it to a tie or the "
            "other response, or from a tie to the other."
        ),
    ),
    MeasureInfo(
        name="toward_of_turnable",
        label="turned toward, of those that could",
        definition=(
            "Among presentations compared whose verdict without the change did not prefer the target, share that "
            "turned toward it. It holds those that turn by chance: above 0 even where the change does nothing."
        ),
    ),
    MeasureInfo(
        name="net_shift_any_target",
        label="net shift, any target",
        definition=(
            "Net shift over every presentation with a verdict without and with the change, even where the same pair "
            "has none for the other target. Where many have one target, it holds whatever the change does for another "
            "reason, such as more ties, and shows nothing."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="net_shift_first_slot",
        label="net shift, target first",
        definition=(
            "Net shift over presentations that show the target first; a change that also moves the lean to a slot "
            "moves this figure and the one for the second slot in opposite directions."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="net_shift_second_slot",
        label="net shift, target second",
        definition="Net shift over presentations that show the target second.",
        unit="difference",
    ),
    MeasureInfo(
        name="net_shift_wrong",
        label="net shift, wrong target",
        definition=(
            "Net shift over pairs with a gold side whose target is the other response; a change that moves verdicts in "
            "no direction moves this figure and the one for the right target in opposite directions: up here, where "
            "the judge is right more often than not."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="toward_wrong_rate",
        label="turned toward the wrong response",
        definition=(
            "Among presentations compared whose target is not the gold response, share whose verdict turned toward the "
            "target. It holds those that turn by chance."
        ),
    ),
    MeasureInfo(
        name="net_shift_right",
        label="net shift, right target",
        definition=(
            "Net shift over pairs with a gold side whose target is the gold response; a change that moves verdicts in "
            "no direction moves it down, as far as the one for the wrong target up."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="toward_right_rate",
        label="turned toward the right response",
        definition=(
            "Among presentations compared whose target is the gold response, share whose verdict turned toward the "
            "target. It holds those that turn by chance."
        ),
    ),
    MeasureInfo(
        name="net_shift_gold",
        label="net shift, pairs with gold",
        definition=(
            "Net shift over pairs with a gold side: half the sum of the two for the wrong and the right target. It is "
            "the part of them that has the direction of the change."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="repeat_toward_rate",
        label="turned toward, repeats",
        definition=(
            "Share of the control's repeats with a verdict both times that turned toward the target though nothing was "
            "changed, counted once for each target; repeats of one presentation share its weight."
        ),
    ),
    MeasureInfo(
        name="toward_beyond_noise",
        label="turned toward, beyond repeats",
        definition=(
            "Turned toward the target minus the same of the control's repeats, on presentations that were repeated; it "
            "includes verdicts that the change moves in no particular direction, which net shift does not."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="verdict_rate_shift",
        label="verdicts, with minus without",
        definition="Share of presentations that end in a verdict with the change minus that without it.",
        unit="difference",
    ),
    MeasureInfo(
        name="log_odds_shift",
        label="log-odds shift",
        definition=(
            "Mean over pairs of the log-odds of the target over the other response with the change minus those "
            "without it, in natural logarithms."
        ),
        unit="number",
    ),
)

_RECENCY: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="late_rate",
        label="verdicts for the late side",
        definition=(
            "Among verdicts decided under both orders of the turns, share for the side whose better answer comes in "
            "the later turn; .5 is even."
        ),
    ),
    MeasureInfo(
        name="control_accuracy",
        label="accuracy, control",
        definition=(
            "Among verdicts without any change on the compared pairs with a gold side, both orders together, share "
            "that is right."
        ),
    ),
)

_INTERACTION: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="joint_shift",
        label="shift, all together",
        definition=(
            "Share of verdicts for a response that is shown first, padded and endorsed, minus one half, A and B in "
            "turn; a tie is half of one each."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="slot_shift",
        label="shift, shown first alone",
        definition="The same for a response that is shown first and nothing else.",
        unit="difference",
    ),
    MeasureInfo(
        name="length_shift",
        label="shift, padded alone",
        definition="The same for a response that is padded, both orders together.",
        unit="difference",
    ),
    MeasureInfo(
        name="endorsement_shift",
        label="shift, endorsed alone",
        definition="The same for a response that the user endorses, both orders together.",
        unit="difference",
    ),
    MeasureInfo(
        name="excess_shift",
        label="shift, excess over the sum",
        definition=(
            "Shift of all together minus the sum of the three separate shifts: above 0 the biases compound, below 0 "
            "they do less than their sum."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="excess_log_odds",
        label="log-odds, excess over the sum",
        definition=(
            "The same excess of the log-odds for the favoured response, on a scale where a shift meets no end: 0 where "
            "the biases simply add up in the log-odds."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="logit_slot",
        label="logit: shown first",
        definition=(
            "What being shown first adds to the log-odds of a response (half of first rather than second), nothing "
            "padded or endorsed."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="logit_length",
        label="logit: padded",
        definition="What padding adds to the log-odds of a response, nothing endorsed.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_endorsement",
        label="logit: endorsed",
        definition="What the user's endorsement adds to the log-odds of a response, nothing padded.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_slot_given_length",
        label="logit: shown first, where one is padded",
        definition="How much larger the log-odds of being shown first are where one of the two responses is padded.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_slot_given_endorsement",
        label="logit: shown first, where one is endorsed",
        definition="How much larger the log-odds of being shown first are where one of the two responses is endorsed.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_length_given_endorsement",
        label="logit: padded, where one is endorsed",
        definition="How much more padding adds where one of the two responses is endorsed.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_endorsement_given_length",
        label="logit: endorsed, where one is padded",
        definition="How much more an endorsement adds where one of the two responses is padded.",
        unit="number",
    ),
    MeasureInfo(
        name="logit_three_way",
        label="logit: all three, or one against two",
        definition=(
            "What is added to the log-odds for the response that has all three in its favour, or one while the other "
            "response has two, beyond all of the above."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="logit_slot_given_both",
        label="logit: shown first, where one is padded and one endorsed",
        definition=(
            "How much larger the log-odds of being shown first are where both changes are made, beyond what each of "
            "them makes them larger."
        ),
        unit="number",
    ),
)

BIAS_MEASURES: tuple[MeasureInfo, ...] = (*_CONTRAST, *_RECENCY, *_INTERACTION)
