"""The measures of controlled changes: padding, endorsement, tone, formatting, register, recency, interaction."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["BIAS_MEASURES"]

_CONTRAST: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="net_shift",
        label="net shift",
        definition=(
            "Turned toward the target minus turned away from it, over presentations with a verdict without and with "
            "the change; without ties it is the change of the target's share of the verdicts."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="toward_rate",
        label="turned toward",
        definition=(
            "Among presentations with a verdict without and with the change, share whose verdict turned toward the "
            "target: from the other response to a tie or the target, or from a tie to the target."
        ),
    ),
    MeasureInfo(
        name="away_rate",
        label="turned away",
        definition=(
            "Among presentations with a verdict without and with the change, share whose verdict turned away from the "
            "target: from it to a tie or the other response, or from a tie to the other."
        ),
    ),
    MeasureInfo(
        name="toward_of_turnable",
        label="turned toward, of those that could",
        definition=(
            "Among presentations with a verdict without and with the change that did not prefer the target without it, "
            "share that turned toward it."
        ),
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
        definition="Net shift over pairs with a gold side whose target is the other response: the harm done.",
        unit="difference",
    ),
    MeasureInfo(
        name="toward_wrong_rate",
        label="turned toward the wrong response",
        definition=(
            "Among presentations with a verdict without and with the change whose target is not the gold response, "
            "share whose verdict turned toward the target."
        ),
    ),
    MeasureInfo(
        name="net_shift_right",
        label="net shift, right target",
        definition="Net shift over pairs with a gold side whose target is the gold response.",
        unit="difference",
    ),
    MeasureInfo(
        name="toward_right_rate",
        label="turned toward the right response",
        definition=(
            "Among presentations with a verdict without and with the change whose target is the gold response, share "
            "whose verdict turned toward the target."
        ),
    ),
    MeasureInfo(
        name="repeat_toward_rate",
        label="turned toward, repeats",
        definition=(
            "Among repeats of the control with a verdict both times, counted once for each target, share whose verdict "
            "turned toward the target though nothing was changed."
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
