"""Plans of several rounds, and those that keep groups together or time in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.errors import CrakeError, DataError
from crake.plans import (
    Bootstrap,
    CrossValidation,
    GroupedCrossValidation,
    HashedFolds,
    Holdout,
    Plan,
    RandomSubsampling,
    Resubstitution,
    TimeOrdered,
    from_text,
)

CODES = np.array([0] * 12 + [1] * 9 + [-1] * 2)
CLASSES = ("no", "yes")
PLANS: list[Plan] = [
    CrossValidation(3, repeats=4),
    RandomSubsampling(4),
    Bootstrap(7),
    Resubstitution(),
    GroupedCrossValidation(np.arange(23) // 3, folds=3),
    TimeOrdered(np.arange(23)[::-1], steps=3),
    HashedFolds(3),
]


def drawn(plan: Plan, codes: Any = CODES, classes: Any = CLASSES) -> list[tuple[list[int], list[int]]]:
    return [(a.tolist(), b.tolist()) for each in plan.rounds(codes, classes) for a, b in each.splits()]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
def test_the_same_seed_deals_the_same_rows_and_none_of_unknown_class(plan: Plan) -> None:
    splits = drawn(plan)
    assert splits == drawn(plan)
    for training, test in splits:
        assert training
        assert test
        assert max(training + test) < 21
    counted = [rows for each in plan.rounds(CODES, CLASSES) for rows in each.training_rows.tolist()]
    assert counted == [len(training) for training, _ in splits]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
def test_a_target_of_numbers_is_dealt_out_too(plan: Plan) -> None:
    known = np.where(CODES >= 0, 0, -1)
    for training, test in drawn(plan, known, ()):
        assert training
        assert test


def test_a_repeat_is_the_plan_with_the_next_seed() -> None:
    repeated = drawn(CrossValidation(3, repeats=2, random_state=5))
    once = drawn(CrossValidation(3, random_state=5)) + drawn(CrossValidation(3, random_state=6))
    assert repeated == once
    sampled = drawn(RandomSubsampling(2, train=0.5, random_state=5))
    assert sampled == drawn(Holdout(0.5, random_state=5)) + drawn(Holdout(0.5, random_state=6))


def test_a_bootstrap_sample_has_as_many_rows_and_leaves_out_about_a_third() -> None:
    codes = np.arange(2000) % 2
    left_out = []
    for sample in Bootstrap(50).rounds(codes, CLASSES):
        assert sample.copies is not None
        assert sample.copies.sum() == 2000
        assert np.array_equal(sample.fold == 0, sample.copies == 0)
        left_out.append(np.mean(sample.copies == 0))
    # (1 − 1/n)^n; the mean of 50 has a standard error of about 0.001.
    assert np.mean(left_out) == pytest.approx((1 - 1 / 2000) ** 2000, abs=0.005)


def test_bootstrap_samples_of_two_rows_end() -> None:
    assert all(test for _, test in drawn(Bootstrap(30), [0, 0, 1], CLASSES))


@given(st.lists(st.integers(0, 6), min_size=4, max_size=40), st.integers(2, 5), st.integers(0, 9))
def test_a_group_is_never_on_both_sides(group: list[int], folds: int, seed: int) -> None:
    codes = np.arange(len(group)) % 2
    plan = GroupedCrossValidation(group, folds=folds, random_state=seed)
    if len(set(group)) < 2:
        with pytest.raises(DataError, match="one group"):
            list(plan.rounds(codes, CLASSES))
        return
    labels = np.array(group)
    tested: list[int] = []
    for training, test in drawn(plan, codes):
        assert not set(labels[training]) & set(labels[test])
        tested += test
    assert sorted(tested) == list(range(len(group)))


def test_groups_of_one_row_give_even_stratified_folds() -> None:
    codes = np.array([0] * 40 + [1] * 10)
    (assignment,) = GroupedCrossValidation(np.arange(50), folds=5).rounds(codes, CLASSES)
    assert np.bincount(assignment.fold).tolist() == [10] * 5
    assert np.bincount(assignment.fold[codes == 1]).tolist() == [2] * 5


def test_rows_without_a_group_are_groups_of_their_own() -> None:
    (assignment,) = GroupedCrossValidation([None, float("nan"), "a", "a"], folds=3).rounds([0, 1, 0, 1], CLASSES)
    assert len(set(assignment.fold.tolist())) == 3
    assert "3 groups" not in " ".join(assignment.notes)


@given(st.lists(st.integers(0, 8), min_size=4, max_size=40), st.integers(1, 6))
def test_only_the_past_is_learned_from(time: list[int], steps: int) -> None:
    codes = np.arange(len(time)) % 2
    plan = TimeOrdered(time, steps=steps)
    if len(set(time)) < 2:
        with pytest.raises(DataError, match="one time"):
            list(plan.rounds(codes, CLASSES))
        return
    stamps, tested = np.array(time), []
    for training, test in drawn(plan, codes):
        assert stamps[training].max() < stamps[test].min()
        tested += test
    assert len(tested) == len(set(tested))


def test_dates_are_times_and_rows_without_one_are_left_out() -> None:
    dates = np.array(["2026-01-03", "2026-01-01", "NaT", "2026-01-02"], dtype="datetime64[D]")
    (first, second) = TimeOrdered(dates, steps=2).rounds([0, 1, 0, 1], CLASSES)
    assert [a.tolist() for a in first.split(0)] == [[1], [3]]
    assert [a.tolist() for a in second.split(0)] == [[1, 3], [0]]
    assert "1 rows without a time" in first.notes[0]


@pytest.mark.parametrize(
    "text",
    ["cv10", "3xcv10", "holdout", "subsampling7", "loo", "resubstitution", "bootstrap632+", "bootstrap632",
     "bootstrap632-lecture", "bootstrap", "grouped:Customer Id", "time:when", "time", "TIME3:When"],
)  # fmt: skip
def test_every_short_name_is_a_plan(text: str) -> None:
    plan = from_text(text, 3)
    assert plan.describe()
    if ":" in text:
        assert getattr(plan, "by") == text.split(":")[1]  # noqa: B009


@pytest.mark.parametrize(
    "make",
    [
        lambda: CrossValidation(3, repeats=0),
        lambda: RandomSubsampling(0),
        lambda: RandomSubsampling(3, train=1.0),
        lambda: Bootstrap(0),
        lambda: Bootstrap(estimate="633"),  # type: ignore[arg-type]
        lambda: GroupedCrossValidation([1, 2], folds=1),
        lambda: TimeOrdered(steps=0),
        lambda: list(GroupedCrossValidation([1, 2]).rounds([0, 1, 1], CLASSES)),
        lambda: list(GroupedCrossValidation("name").rounds([0, 1, 1], CLASSES)),
        lambda: list(TimeOrdered("name").rounds([0, 1, 1], CLASSES)),
        lambda: list(TimeOrdered(["a", "b", "c"]).rounds([0, 1, 1], CLASSES)),
        lambda: list(TimeOrdered([1, 2]).rounds([0, 1, 1], CLASSES)),
        lambda: list(Bootstrap(3).rounds([0, -1, -1], ())),
    ],
)
def test_what_cannot_be_is_refused(make: Any) -> None:
    with pytest.raises(CrakeError):
        make()


def test_a_class_that_begins_late_cannot_have_been_learned_where_it_is_first_tested() -> None:
    codes = [0, 0, 1, 0, 1, 2, 0, 3, 3]
    first, *others = TimeOrdered(steps=2).rounds(codes, "abcd")
    (note,) = first.notes
    assert (
        note
        == "classes 'c', 'd' have no row before the step that first tests them: there they cannot have been learned"
    )
    assert all(each.notes == () for each in others)
    (first, *_) = TimeOrdered(steps=2).rounds([0, 1, 0, 1, 0, 2], "abc")
    assert first.notes == (
        "class 'c' has no row before the step that first tests it: there it cannot have been learned",
    )
    assert next(iter(TimeOrdered(steps=2).rounds([0, 1, 0, 1, 0, 1], "ab"))).notes == ()
