from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score
from tests.plain import metrics_twin

from crake.errors import DataError
from crake.metrics.ranking.auc import auc, auc_of_scores, auc_weighted

Row = tuple[bool, float, int]
# Few distinct scores make ties; the others are any floats.
score = st.one_of(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), st.floats(-1e300, 1e300))
rows = st.lists(st.tuples(st.booleans(), score, st.integers(0, 3)), min_size=1, max_size=30)


@given(rows)
def test_it_equals_all_pairs_counted_one_by_one(rows: list[Row]) -> None:
    positive, scores, weights = (list(column) for column in zip(*rows, strict=True))
    expected = metrics_twin.auc(positive, scores, weights)
    found = auc_of_scores(positive, scores, weights)
    assert found.value == (None if expected is None else float(expected))


@given(rows)
def test_it_equals_scikit_learn(rows: list[Row]) -> None:
    positive, scores, _ = zip(*rows, strict=True)
    found = auc_of_scores(positive, scores)
    if found.is_defined:
        assert found.value == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)


@given(rows, st.integers(-500, 500))
def test_the_scale_of_the_weights_does_not_matter(rows: list[Row], power: int) -> None:
    positive, scores, weights = zip(*rows, strict=True)
    assert auc_of_scores(positive, scores, np.ldexp(weights, power)) == auc_of_scores(positive, scores, weights)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 4), min_size=4, max_size=4)), min_size=1, max_size=30)
)
def test_the_weighted_auc_is_scikit_learns_one_vs_rest(rows: list[tuple[int, list[int]]]) -> None:
    actual = np.array([code for code, _ in rows])
    P = np.array([votes for _, votes in rows], dtype=float) + 0.5
    P /= P.sum(axis=1, keepdims=True)
    found = auc_weighted(actual, P)
    present = np.unique(actual)
    if len(present) == 1:
        assert found.reason == "all rows are of one class"
        return
    shares = [np.mean(actual == c) for c in present]
    expected = np.dot(shares, [roc_auc_score(actual == c, P[:, c]) for c in present])
    assert found.value == pytest.approx(expected, abs=1e-12)
    if len(present) == 4:
        ovr = roc_auc_score(actual, P, multi_class="ovr", average="weighted")
        assert found.value == pytest.approx(ovr, abs=1e-12)


def test_a_million_ties_are_half_exactly() -> None:
    n = 1_000_000
    positive = np.arange(n) % 3 == 0
    assert auc_of_scores(positive, np.full(n, 0.3)).value == 0.5


def test_a_weight_of_0_is_absence() -> None:
    P = [[0.9, 0.1], [0.2, 0.8]]
    assert auc([0, 1], P, positive=1, weights=[0, 1]).reason == "no row is negative"
    assert auc_weighted([0, 1], P, weights=[0, 1]).reason == "all rows are of one class"


def test_one_class_has_no_auc() -> None:
    P = [[0.5, 0.5], [0.4, 0.6]]
    assert auc([0, 0], P, positive=1).reason == "no row is positive"
    assert auc([1, 1], P, positive=1).reason == "no row is negative"
    assert auc_weighted(np.zeros(0, dtype=int), np.zeros((0, 2))).reason == "no rows"


@pytest.mark.parametrize(
    ("actual", "probabilities", "message"),
    [
        ([0, 1], [[0.5, 0.5]], "2 actual classes and 1 probabilities"),
        ([0], [[0.5, 0.6]], "row 0 sum to 1.1; expected 1"),
        ([0], [[math.nan, 1]], r"row 0 are \[nan, 1.0\]; expected finite"),
        ([0], [[-0.5, 1.5]], "row 0 is -0.5; expected 0 or greater"),
        ([0], [0.5], "expected .rows, classes."),
        ([2], [[0.5, 0.5]], "code 2; expected 0 … 1"),
        (1, [[0.5, 0.5]], "expected one whole number"),
        ([0], [["x", "y"]], "probabilities are not an array of numbers"),
        ([0, 1], [[0.5, 0.5], [1]], "probabilities are not an array of numbers"),
    ],
)
def test_auc_raises_on_bad_rows(actual: list[int], probabilities: list[object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        auc(actual, probabilities, positive=1)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=message):
        auc_weighted(actual, probabilities)  # type: ignore[arg-type]


def test_bad_scores_and_classes_are_refused() -> None:
    with pytest.raises(DataError, match="expected one finite number"):
        auc_of_scores([True, False], [math.inf, 0])
    with pytest.raises(DataError, match="expected one finite number"):
        auc_of_scores([True], 0.5)
    with pytest.raises(DataError, match="expected True or False"):
        auc_of_scores([1, 0], [1, 0])
    with pytest.raises(DataError, match="positive = 2; expected the code of a class, 0 … 1"):
        auc([0, 1], [[0.5, 0.5]] * 2, positive=2)


def test_many_steps_are_summed_in_blocks_without_a_seam() -> None:
    generator = np.random.default_rng(9)
    scores = generator.random(70_000)
    positive = generator.random(len(scores)) < scores
    pairs = rankdata(scores)[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    assert auc_of_scores(positive, scores).value == pairs / (positive.sum() * (~positive).sum())
