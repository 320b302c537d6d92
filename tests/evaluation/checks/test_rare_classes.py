"""Rare classes: an accuracy that says nothing, and a table that was balanced before it was split, are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.evaluation.checks.interpolated_rows import interpolated_class, share_between
from crake.evaluation.checks.rare_classes import copied_class, rare_class_to_measure, rarest_class
from crake.table.table import Table


def rare(rows: int = 400, share: float = 0.1, apart: float = 1.0) -> Table:
    rng = np.random.default_rng(0)
    is_rare = rng.random(rows) < share
    columns = {name: rng.normal(is_rare * apart) for name in "ab"}
    return crake.read(pa.table({**columns, "class": np.where(is_rare, "yes", "no")}), target="class")


def codes(evaluation: Any) -> dict[str, str]:
    return {check.code: check.sentence for check in evaluation.checks()}


def test_a_table_balanced_beforehand_is_caught_and_one_balanced_inside_is_not() -> None:
    table = rare()
    leaky = crake.Oversample().fit_resample(table)
    caught = codes(crake.evaluate("naive-bayes", leaky, plan="cv3"))["balanced-beforehand"]
    yes = int(np.sum(table.target == 1))
    no = len(table) - yes
    assert f"{no - yes:,} of {no:,} rows of class 'yes' are copies of other rows of it" in caught
    assert "balanced before it was split" in crake.compare(leaky, learners=["1r"], plan="cv3").leaderboard().lead[0]
    inside = crake.evaluate(crake.Balanced(crake.NaiveBayesClassifier(), crake.Oversample()), table, plan="cv3")
    assert "balanced-beforehand" not in codes(inside)


def test_a_table_filled_by_smote_beforehand_is_caught_and_others_are_not() -> None:
    """Three tables as they were, one of whole numbers that are often in line, and tables filled by SMOTE."""
    table, whole = rare(), crake.read("breast-cancer")
    for real in (table, whole, crake.read("iris")):
        assert interpolated_class(real) is None
    rows = (table.column("a") * 3).round(), (table.column("b") * 3).round()
    grid = crake.read(
        pa.table({"a": rows[0], "b": rows[1], "class": np.array(["no", "yes"])[table.target]}), target="class"
    )
    assert interpolated_class(grid) is None
    for amount, share in (("equal", 0.85), (0.5, 0.75)):
        filled = crake.SMOTE(amount).fit_resample(table)
        found = interpolated_class(filled)
        assert found is not None
        assert (found[0], found[2]) == ("yes", int(np.sum(filled.target == 1)))
        assert share < found[1] <= 1
    caught = codes(crake.evaluate("naive-bayes", filled, plan="cv3"))["balanced-beforehand"]
    assert "of the 179 rows of class 'yes' lie exactly between two other rows of it, as SMOTE makes them" in caught
    assert "--balance smote" in crake.compare(filled, learners=["1r"], plan="cv3").leaderboard().lead[0]


def test_repeated_rows_of_a_numeric_target_are_no_classes() -> None:
    copied = crake.read(pa.table({"a": np.arange(80.0) % 20, "y": np.arange(80.0) % 20 + 0.5}), target="y")
    lead = crake.compare(copied, learners=["mean"], plan="cv3").leaderboard().lead
    assert "of the rows are repeats" in lead[0]


def test_copies_in_all_classes_are_no_balancing() -> None:
    table = rare()
    assert copied_class(table) is None
    assert copied_class(table.take(np.repeat(np.arange(len(table)), 3))) is None
    assert copied_class(crake.read("weather").take(np.tile(np.arange(14), 9))) is None


def test_copies_in_the_largest_class_are_no_balancing() -> None:
    table = rare()
    largest = np.flatnonzero(table.target == np.argmax(np.bincount(table.target)))
    others = np.setdiff1d(np.arange(len(table)), largest)
    copies = np.repeat(largest[:20], len(largest) // 20)
    assert len(copies) > 2 * len(others)
    assert copied_class(table.take(np.concatenate([others, copies]))) is None


def test_an_accuracy_near_the_majority_gets_the_sentence() -> None:
    table = rare(share=0.04)
    found = codes(crake.evaluate("c4.5", table, plan="cv3"))["accuracy-of-majority"]
    share = 100 * float(np.mean(table.target == 0))
    assert found.startswith(
        f"Always answering 'no' is {share:.1f}\N{NO-BREAK SPACE}% accurate and useless: C4.5 is right in"
    )
    assert "accuracy-of-majority" not in codes(crake.evaluate("c4.5", rare(share=0.04, apart=12.0), plan="cv3"))
    assert "accuracy-of-majority" not in codes(crake.evaluate("c4.5", rare(share=0.4, apart=0.0), plan="cv3"))


def test_balanced_answers_are_not_held_to_their_accuracy() -> None:
    learner = crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights())
    table = rare(share=0.06)
    probable = crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights(), decision="probable")
    about = {"accuracy-of-majority", "not-above-majority", "not-above-1r"}
    assert not about & set(codes(crake.evaluate(learner, table, plan="cv3")))
    assert about & set(codes(crake.evaluate(probable, table, plan="cv3")))


@pytest.mark.parametrize(("totals", "code"), [([97, 3], 1), ([60, 40], None), ([50, 45, 5], 2), ([9, 0], None)])
def test_the_rarest_class(totals: list[float], code: int | None) -> None:
    assert rarest_class(np.array(totals, float)) == code


def test_the_report_begins_with_the_rare_class_and_shows_what_was_made() -> None:
    learner = crake.Balanced(crake.NaiveBayesClassifier(), crake.Undersample())
    report = crake.compare(rare(share=0.1), learners=["majority", learner], plan="cv3").report()
    first, *others = report.sections
    assert first.name == "rare_class"
    assert first.data["learners"][0]["learner"] == "naive Bayes, balanced by undersampling"
    text = " ".join(str(report).split())
    assert "cost by rarity" in text
    assert "lift of the top tenth" in text
    yes = int(np.sum(rare(share=0.1).target == 1))
    assert f"a missed row of yes costs {200 / yes:.3g}, one of no {200 / (400 - yes):.3g}." in text
    assert "mean cost by the costs typed in there, 1 to begin with" in text
    assert "[1.000, 1.000]" not in text  # the lift of one answer is 1, and has no width
    balance = next(section for section in others if section.name == "balance")
    assert [each["share_after"] for each in balance.data["classes"]] == [0.5, 0.5]
    assert not [
        s for s in crake.compare("iris", learners=["1r"]).report().sections if s.name in ("rare_class", "balance")
    ]


def test_a_class_with_two_rows_is_not_the_one_to_measure() -> None:
    assert rare_class_to_measure(np.array([95.0, 3481.0, 194.0, 2.0])) == 0
    assert rare_class_to_measure(np.array([100.0, 60.0, 5.0])) == 2  # no other class is rare


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e300])
def test_rows_between_others_are_found_in_any_unit(unit: float) -> None:
    generator = np.random.default_rng(1)
    real = generator.normal(size=(40, 3))
    made = real[:30] + 0.25 * (real[10:] - real[:30])
    assert share_between(real * unit) == 0.0
    assert share_between(np.concatenate([real, made]) * unit) > 0.3
