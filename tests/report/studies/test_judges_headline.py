from evenhand.analysis.study import StudyHeadline
from report.studies.judge_examples import flipping, study_of
from report.studies.tied import anchors_of


def headline(**counts: int) -> StudyHeadline:
    return study_of({name: flipping(count) for name, count in counts.items()}).headline


def test_of_two_judges_the_steadier_is_named_where_the_difference_is_shown() -> None:
    made = headline(x=40, y=10)
    assert made.status == "described"
    assert made.verdict == "y is more order-consistent than x, beyond chance"
    assert made.meaning[0].startswith("Flip rate, x minus y: +50.0 pp [")
    assert "(Holm), on 60 pairs." in made.meaning[0]


def test_no_difference_is_no_proof_that_they_are_alike() -> None:
    made = headline(x=10, y=12)
    assert made.status == "undecided"
    assert made.verdict == "No difference in order consistency is shown between x and y"
    assert "no proof that they are alike" in made.meaning[0]
    assert any("Judge more pairs" in step for step in made.next_steps)


def test_a_judge_is_called_best_only_against_each_other_judge() -> None:
    clear = headline(x=2, y=30, z=35)
    assert clear.verdict == "x is more order-consistent than each of the 2 others, beyond chance"
    tied = headline(x=2, y=3, z=35)
    assert tied.verdict == "z is less order-consistent than each of the 2 others, beyond chance"
    split = headline(w=2, x=3, y=35, z=36)
    assert split.verdict == "4 of 6 pairs of judges differ in order consistency beyond chance"
    assert any(
        "Not shown to flip more than any other (2 of 3): x, y. Among these, no order is supported." in sentence
        for sentence in tied.meaning
    )


def test_no_two_of_several() -> None:
    made = headline(x=10, y=11, z=12)
    assert made.verdict == "No two of the 3 judges are shown to differ in order consistency"
    assert made.status == "undecided"
    assert made.meaning[0].startswith("Flip rate: none of 3 differences")


def test_without_repeats_noise_is_not_known() -> None:
    made = headline(x=2, y=30)
    assert any("noise isn't known" in sentence for sentence in made.meaning)
    assert any("--repeat" in step for step in made.next_steps)


def test_with_repeats_what_order_adds_to_noise_is_compared() -> None:
    codes = {"x": flipping(2), "y": flipping(30)}
    again = {name: {pair: f"{outcome[0]}." for pair, outcome in own.items()} for name, own in codes.items()}
    made = study_of(codes, repeats=again).headline
    assert any(
        each.startswith("What order adds to the judges' own noise: swap minus repeat, ") for each in made.meaning
    )
    assert not any("--repeat" in step for step in made.next_steps)


def test_repeats_that_are_too_few_are_not_said_to_be_missing() -> None:
    codes = {"x": flipping(2), "y": flipping(30)}
    again = {name: {pair: f"{own[pair][0]}." for pair in list(own)[:6]} for name, own in codes.items()}
    made = study_of(codes, repeats=again).headline
    [told] = [each for each in made.meaning if "noise isn't known" in each]
    assert "too few repeats (needs at least 10 pairs" in told
    assert any("more of them" in step for step in made.next_steps)


def test_no_verdict_on_shared_pairs_says_nothing_about_a_judge() -> None:
    made = study_of({"x": {f"a{i}": "FS" for i in range(20)}, "y": {f"b{i}": "FF" for i in range(20)}}).headline
    assert made.status == "failed"
    assert "can't be said" in made.verdict
    assert made.meaning[0] == "Needs at least 10 pairs that both judges have a figure for, has 0."


def test_other_measures_are_named_where_they_differ() -> None:
    lost = {name: "RR" if i < 30 else code for i, (name, code) in enumerate(flipping(0).items())}
    made = study_of({"x": flipping(0), "y": lost}).headline
    assert any(each.startswith("Verdicts, x minus y: +50.0 pp") for each in made.meaning)


def test_another_measure_is_named_only_where_it_holds_over_all_of_them() -> None:
    lost = {name: "RS" if i < 6 else code for i, (name, code) in enumerate(flipping(0).items())}
    study = study_of({"x": flipping(0), "y": lost})
    told = [each for each in study.headline.meaning if each.startswith("Verdicts")]
    assert told == [], "6 against 0 is p = .031 alone, and not among the measures"
    assert (
        "Looked at alone, a difference is shown in verdicts; "
        "over all 4 measures beside the flip rate that may be chance." in study.headline.meaning
    )


def test_an_incomplete_run_is_to_be_finished() -> None:
    made = study_of({"x": flipping(0), "y": flipping(30)}, errors=4).headline
    assert any("Finish the incomplete runs" in step for step in made.next_steps)


def test_every_sentence_rests_on_the_table_that_has_its_figures() -> None:
    study = study_of({"x": flipping(2), "y": flipping(9), "z": flipping(30)})
    found = anchors_of(study)
    beginnings = {
        "The widest difference": "table-flip-differences",
        "How much of the flips": "table-noise",
        "The lowest agreement": "table-agreement",
        "Read consistency": "table-judges",
    }
    for beginning, anchor in beginnings.items():
        assert [found[text] for text in found if text.startswith(beginning)] == [anchor], beginning
    assert found[study.headline.lead] == "table-flip-differences"
