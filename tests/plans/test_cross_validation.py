"""What every plan promises, on any target."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crake.errors import CrakeError, DataError
from crake.plans import CrossValidation, GivenFolds, Holdout, LeaveOneOut, Plan, from_text

CLASSES = ("a", "b", "c", "d")


@st.composite
def targets(draw: st.DrawFn) -> np.ndarray:
    """Class codes, -1 for unknown, that a plan accepts: two classes, one of them with two rows."""
    codes = np.array(draw(st.lists(st.integers(-1, 3), min_size=3, max_size=60)), dtype=np.int32)
    counts = np.bincount(codes[codes >= 0], minlength=4)
    assume((counts > 0).sum() >= 2 and counts.max() >= 2)
    return codes


seeds = st.integers(0, 2**64)
folds = st.integers(2, 12)
plans = st.one_of(
    st.builds(CrossValidation, folds, stratified=st.booleans(), random_state=seeds),
    st.builds(Holdout, st.floats(0.05, 0.95), stratified=st.booleans(), random_state=seeds),
    st.just(LeaveOneOut()),
)


@given(plans, targets())
def test_each_split_learns_from_all_known_rows_it_does_not_test(plan: Plan, codes: np.ndarray) -> None:
    assignment = plan.assign(codes, CLASSES)
    assert assignment.fold.dtype == np.int32
    assert assignment.fold.shape == codes.shape
    known = np.flatnonzero(codes >= 0)
    for number, (training, test) in enumerate(assignment.splits()):
        assert training.dtype == test.dtype == np.intp
        assert len(training) > 0
        assert len(test) > 0
        assert (assignment.fold[test] == number).all()
        assert np.array_equal(np.union1d(training, test), known)
        assert len(training) + len(test) == len(known)
        assert (np.diff(training) > 0).all()
        assert (np.diff(test) > 0).all()
    assert number == assignment.folds - 1


@given(plans, targets())
def test_a_plan_is_decided_by_its_seed_alone(plan: Plan, codes: np.ndarray) -> None:
    expected = plan.assign(codes, CLASSES)
    np.random.seed(0)  # noqa: NPY002  a plan must not read the global generator
    with ThreadPoolExecutor(2) as pool:
        for again in pool.map(lambda _: plan.assign(codes.copy(), CLASSES), range(3)):
            assert np.array_equal(again.fold, expected.fold)
            assert again.notes == expected.notes


@given(folds, st.booleans(), seeds, targets())
def test_cross_validation_tests_every_known_row_once_in_even_folds(
    k: int, stratified: bool, seed: int, codes: np.ndarray
) -> None:
    assignment = CrossValidation(k, stratified=stratified, random_state=seed).assign(codes, CLASSES)
    assert ((assignment.fold >= 0) == (codes >= 0)).all()
    assert assignment.folds == min(k, (codes >= 0).sum())
    assert np.ptp(np.bincount(assignment.fold[codes >= 0], minlength=assignment.folds)) <= 1
    if stratified:
        for code in range(4):
            assert np.ptp(np.bincount(assignment.fold[codes == code], minlength=assignment.folds)) <= 1


@given(st.floats(0.01, 0.99), st.booleans(), seeds, targets())
def test_holdout_learns_from_the_share_asked_for(share: float, stratified: bool, seed: int, codes: np.ndarray) -> None:
    ((training, _),) = Holdout(share, stratified=stratified, random_state=seed).assign(codes, CLASSES).splits()
    n = (codes >= 0).sum()
    assert len(training) == np.clip(np.floor(n * share + 0.5), 1, n - 1)
    if stratified:
        for code in range(4):
            expected = (codes == code).sum() * len(training) / n
            assert abs((codes[training] == code).sum() - expected) < 1


@given(targets())
def test_leave_one_out_tests_one_row_at_a_time(codes: np.ndarray) -> None:
    tests = [test.tolist() for _, test in LeaveOneOut().assign(codes, CLASSES).splits()]
    assert tests == [[row] for row in np.flatnonzero(codes >= 0)]


@given(plans, targets())
def test_given_folds_repeat_any_other_plan(plan: Plan, codes: np.ndarray) -> None:
    assignment = plan.assign(codes, CLASSES)
    again = GivenFolds(assignment.fold).assign(codes, CLASSES)
    assert np.array_equal(again.fold, assignment.fold)
    assert again.folds == assignment.folds


def test_leave_one_out_splits_are_made_one_at_a_time() -> None:
    rows = 200_000  # all at once they would take 320 GB
    splits = LeaveOneOut().assign(np.arange(rows) % 2, ("a", "b")).splits()
    training, test = next(splits)
    assert (len(training), test.tolist()) == (rows - 1, [0])
    assert next(splits)[1].tolist() == [1]


def test_another_seed_gives_other_folds() -> None:
    codes = np.arange(100) % 2
    one, two = (CrossValidation(random_state=seed).assign(codes, "ab").fold for seed in (1, 2))
    assert (one != two).any()


def test_the_folds_of_a_seed_stay_the_same_for_ever() -> None:
    codes = [0, 1, 0, 1, 0, 1, 1, 1, -1, 0]
    assert CrossValidation(3).assign(codes, "ab").fold.tolist() == [2, 2, 0, 1, 1, 2, 0, 1, -1, 0]
    assert CrossValidation(3, stratified=False).assign(codes, "ab").fold.tolist() == [1, 2, 0, 1, 1, 0, 0, 2, -1, 2]
    assert Holdout().assign(codes, "ab").fold.tolist() == [-1, -1, -1, 0, 0, -1, -1, 0, -1, -1]


def test_chance_spreads_rows_evenly_over_the_folds() -> None:
    codes = np.repeat([0, 1], [30, 20])
    tested_first = sum((CrossValidation(5, random_state=seed).assign(codes, "ab").fold == 0) for seed in range(500))
    assert tested_first.min() > 60  # 100 expected, standard deviation 9
    assert tested_first.max() < 140


@pytest.mark.parametrize("plan", [CrossValidation(), Holdout(), LeaveOneOut(), GivenFolds([0, 1, 0, 1, 0])])
@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([-1, -1, -1, -1, -1], "no row has a known class"),
        ([-1, 2, -1, -1, -1], "only 1 row has a known class; expected at least 2"),
        ([1, 1, -1, 1, 1], "all 4 rows with a known class are of class 'b'; expected at least two classes"),
        ([0, 1, 2, 3, -1], "each of the 4 classes has 1 row.*identifier"),
        ([0, 1, 1, 4, 0], "the code 4; expected 0 … 3"),
        ([0.5, 1, 1, 0, 0], "type float64; expected one class code"),
    ],
)
def test_targets_that_cannot_be_split_are_refused(plan: Plan, codes: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        plan.assign(codes, CLASSES)


def test_no_rows_are_refused() -> None:
    with pytest.raises(DataError, match="no row has a known class"):
        CrossValidation().assign([], CLASSES)


def test_too_few_rows_make_a_smaller_plan_that_is_stated() -> None:
    assignment = CrossValidation(10).assign([0, 1, 0, 1, -1], "ab")
    assert assignment.folds == 4
    assert assignment.notes == ("10 folds asked for, 4 rows with a known class: 4 folds, one row each",)


def test_a_class_of_one_row_is_named() -> None:
    codes = [0] * 20 + [1] * 20 + [2]
    (note,) = CrossValidation(10).assign(codes, ("a", "b", "x")).notes
    assert note == "class 'x' has 1 row: when it is tested it cannot have been learned"
    assert LeaveOneOut().assign(codes, ("a", "b", "x")).notes == (note,)
    (two,) = LeaveOneOut().assign([*codes, 3], ("a", "b", "x", "y")).notes
    assert two == "classes 'x', 'y' have 1 row: when they are tested they cannot have been learned"


def test_a_holdout_learns_from_a_class_of_one_row() -> None:
    for seed in range(5):
        assignment = Holdout(random_state=seed).assign([2] + [0] * 20 + [1] * 20, ("a", "b", "x"))
        assert assignment.fold[0] == -1
        assert assignment.notes == ("class 'x' has no row that is tested",)


def test_a_class_with_fewer_rows_than_folds_is_named() -> None:
    codes = np.repeat([0, 1, 2], [20, 9, 2])
    assert CrossValidation(10).assign(codes, "abc").notes == (
        "classes 'b', 'c' have fewer rows than the 10 folds: some test none",
    )


def test_a_class_inside_one_given_fold_is_named() -> None:
    assignment = GivenFolds([0, 0, 1, 1, 1]).assign([0, 1, 0, 2, 2], "abc")
    assert assignment.notes == (
        "class 'b' has 1 row: when it is tested it cannot have been learned",
        "class 'c' has all rows in one test fold: there it cannot have been learned",
    )


def test_given_folds_may_have_any_numbers() -> None:
    plan = GivenFolds([3, 3, 10, 10, -1, 5])
    assignment = plan.assign([0, 1, 0, 1, 0, -1], "ab")
    assert assignment.fold.tolist() == [0, 0, 1, 1, -1, -1]
    assert assignment.notes == ("given folds without a row of known class are left out: 5",)
    assert plan.describe() == "3 given folds"
    assert [training.tolist() for training, _ in assignment.splits()] == [[2, 3, 4], [0, 1, 4]]


@pytest.mark.parametrize(
    ("given_folds", "message"),
    [
        ([0, 1, 0], "given for 3 rows, the table has 4"),
        ([0, 0, 0, 0], "one fold tests all rows"),
        ([-1, -1, -1, -1], "no row with a known class is tested"),
    ],
)
def test_given_folds_that_do_not_fit_are_refused(given_folds: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        GivenFolds(given_folds).assign([0, 0, 1, 1], "ab")


@pytest.mark.parametrize("given_folds", [[0.5, 1], [[0, 1]], [-2, 0], ["a"]])
def test_given_folds_must_be_whole_numbers(given_folds: list[object]) -> None:
    with pytest.raises(DataError, match="expected one whole number for each row"):
        GivenFolds(given_folds)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [1, 0, -3, 2.5, "10", None, True])
def test_folds_must_be_two_or_more(wrong: object) -> None:
    with pytest.raises(CrakeError, match="expected a whole number, 2 or greater"):
        CrossValidation(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, None, 1.5])
def test_the_seed_must_be_a_whole_number(wrong: object) -> None:
    for plan in (CrossValidation, Holdout):
        with pytest.raises(CrakeError, match=r"random_state = .* expected a whole number, 0 or greater"):
            plan(random_state=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [0, 1, -0.5, 66, float("nan"), "2/3"])
def test_the_share_must_lie_between_0_and_1(wrong: object) -> None:
    with pytest.raises(CrakeError, match="expected the share to learn from, between 0 and 1"):
        Holdout(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("cv10", CrossValidation(10, random_state=3)),
        (" CV5 ", CrossValidation(5, random_state=3)),
        ("holdout", Holdout(random_state=3)),
        ("loo", LeaveOneOut()),
    ],
)
def test_plans_from_text(text: str, plan: Plan) -> None:
    assert from_text(text, random_state=3) == plan


@pytest.mark.parametrize("text", ["", "cv", "cv1", "cv0", "cv-5", "cv10x", "cv²", "cv" + "9" * 400, "bootstrap63"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(CrakeError, match=r"there is no plan .* expected"):
        from_text(text)


def test_descriptions() -> None:
    assert CrossValidation().describe() == "stratified 10-fold cross-validation, seed 1"
    assert CrossValidation(5, stratified=False, random_state=2).describe() == "5-fold cross-validation, seed 2"
    assert Holdout(0.75, stratified=False).describe() == "holdout, 75 % to learn from, seed 1"
    assert LeaveOneOut().describe() == "leave-one-out cross-validation"
