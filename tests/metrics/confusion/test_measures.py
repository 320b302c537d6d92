from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn import metrics as theirs
from tests.plain import measures_twin as plain

from crake.errors import CrakeError
from crake.metrics.confusion import measures as formulas
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix

LABELS = ("a", "b", "c")
code = st.integers(0, 2)
Rows = list[tuple[int, int, int]]
rows = st.lists(st.tuples(code, code, st.integers(0, 3)), max_size=25)
OVERALL = ("accuracy", "error", "balanced_accuracy", "kappa", "mcc", "g_mean")


def matrix_of(rows: Rows) -> ConfusionMatrix:
    actual, predicted, weights = np.array(rows, dtype=int).reshape(-1, 3).T
    return confusion_matrix(actual, predicted, LABELS, weights)


@given(rows)
def test_they_equal_the_plain_twins(rows: Rows) -> None:
    matrix = matrix_of(rows)
    recalls = [float(x) for x in plain.recalls(rows, 3)]
    expected_kappa, expected_mcc = plain.kappa(rows, 3), plain.correlation(rows, 3)
    assert matrix.kappa.value == pytest.approx(None if expected_kappa is None else float(expected_kappa), abs=1e-12)
    assert matrix.mcc.value == pytest.approx(expected_mcc, abs=1e-12)
    if recalls:
        assert float(matrix.balanced_accuracy) == pytest.approx(sum(recalls) / len(recalls), abs=1e-12)
        assert float(matrix.g_mean) == pytest.approx(math.prod(recalls) ** (1 / len(recalls)), abs=1e-12)
    else:
        assert matrix.balanced_accuracy.reason == matrix.g_mean.reason == "no rows"


@given(rows.filter(lambda rows: sum(w for _, _, w in rows) > 0))
def test_they_equal_scikit_learn(rows: Rows) -> None:
    actual, predicted, weights = np.array([row for row in rows if row[2]]).T
    matrix = matrix_of(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that are called but not there
        balanced = theirs.balanced_accuracy_score(actual, predicted, sample_weight=weights)
        kappa = theirs.cohen_kappa_score(actual, predicted, sample_weight=weights)
    assert float(matrix.balanced_accuracy) == pytest.approx(balanced, abs=1e-12)
    if matrix.kappa.is_defined:
        assert float(matrix.kappa) == pytest.approx(kappa, abs=1e-12)
    if matrix.mcc.is_defined:
        assert float(matrix.mcc) == pytest.approx(theirs.matthews_corrcoef(actual, predicted, sample_weight=weights))
    else:
        assert 1 in (len(set(actual)), len(set(predicted)))


@given(rows.filter(lambda rows: sum(w for _, _, w in rows) > 0), st.floats(0.1, 4))
def test_the_averages_equal_scikit_learns(rows: Rows, beta: float) -> None:
    actual, predicted, weights = np.array([row for row in rows if row[2]]).T
    matrix = matrix_of(rows)
    present = np.unique(actual)
    for average, ours in (("macro", matrix.macro), ("weighted", matrix.weighted)):
        expected = theirs.fbeta_score(
            actual, predicted, beta=beta, average=average, labels=present, sample_weight=weights, zero_division=0
        )
        assert float(ours("f", beta)) == pytest.approx(expected, abs=1e-12)
    for measure in ("recall", "precision", "f"):
        assert float(matrix.micro(measure)) == pytest.approx(float(matrix.accuracy), abs=1e-12)


@given(rows)
def test_the_mcc_of_a_class_is_that_of_its_two_by_two_matrix(rows: Rows) -> None:
    matrix = matrix_of(rows)
    per_class = formulas.class_mcc(matrix.counts)
    for c, label in enumerate(LABELS):
        two = [(int(a != c), int(p != c), w) for a, p, w in rows]
        expected = plain.correlation(two, 2)
        assert matrix.against_rest(label).mcc.value == pytest.approx(expected, abs=1e-12)
        assert per_class[c] == pytest.approx(math.nan if expected is None else expected, abs=1e-12, nan_ok=True)


@given(arrays.arrays(np.float64, (4, 3, 3), elements=st.integers(0, 50).map(float)))
def test_many_tables_in_one_call_are_each_table_alone(tables: np.ndarray) -> None:
    for name in (*OVERALL, "recall", "specificity", "precision", "prevalence", "f", "class_mcc", "weighted_accuracy"):
        formula = getattr(formulas, name)
        np.testing.assert_array_equal(formula(tables), np.stack([formula(table) for table in tables]))
        np.testing.assert_array_equal(
            formula(tables.reshape(2, 2, 3, 3)), formula(tables).reshape(2, 2, *formula(tables[0]).shape)
        )


@given(arrays.arrays(np.float64, (3, 3), elements=st.integers(0, 50).map(float)), st.integers(-900, 900))
def test_the_scale_of_the_weights_does_not_matter(table: np.ndarray, power: int) -> None:
    for name in ("kappa", "mcc", "class_mcc", "g_mean", "balanced_accuracy"):
        formula = getattr(formulas, name)
        np.testing.assert_array_equal(formula(np.ldexp(table, power)), formula(table))


def test_weighted_accuracy_of_the_lecture() -> None:
    cancer = ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]]))
    assert cancer.weighted_accuracy("yes", (1, 1, 1, 1)).value == cancer.accuracy.value == 0.965
    # w1 = w2 = 1/pos, w3 = w4 = 1/neg: both classes weigh the same, which is the balanced accuracy.
    balanced = cancer.weighted_accuracy("yes", (1 / 300, 1 / 300, 1 / 9700, 1 / 9700))
    assert float(balanced) == pytest.approx(float(cancer.balanced_accuracy), abs=1e-15)
    assert cancer.weighted_accuracy("yes", (0, 0, 0, 0)).reason == "the rows that are there have weight 0"
    for wrong in ((1, 1, 1), (1, 1, 1, -1), (1, 1, 1, math.nan)):
        with pytest.raises(CrakeError, match="expected four numbers"):
            cancer.weighted_accuracy("yes", wrong)


def test_always_answering_the_frequent_class_is_accurate_and_useless() -> None:
    rare = ConfusionMatrix((0, 1), np.array([[9990, 0], [10, 0]]))
    assert rare.accuracy.value == 0.999
    assert rare.balanced_accuracy.value == 0.5
    assert rare.g_mean.value == 0
    assert rare.kappa.value == 0
    assert rare.mcc.reason == "all rows were called one class"


def test_what_is_undefined_says_why() -> None:
    one = ConfusionMatrix(("a", "b"), np.array([[5, 0], [0, 0]]))
    assert one.kappa.reason == "all rows are of one class and were called so"
    assert one.mcc.reason == "all rows are of one class"
    assert one.macro("mcc").reason == "mcc of class 'a': all rows are of one class"
    empty = ConfusionMatrix(("a", "b"), np.zeros((2, 2)))
    assert [getattr(empty, name).reason for name in OVERALL] == ["no rows"] * 6
    assert empty.micro("recall").reason == "no rows"


def test_every_measure_has_an_interval_that_holds_it() -> None:
    matrix = ConfusionMatrix(LABELS, np.array([[30, 5, 2], [4, 40, 6], [1, 3, 20]]))
    found = [getattr(matrix, name) for name in OVERALL]
    found += [matrix.f("a"), matrix.f("b", 2), matrix.weighted_accuracy("a", (5, 5, 1, 1)), matrix.prevalence("a")]
    found += [average(m) for average in (matrix.macro, matrix.weighted, matrix.micro) for m in ("recall", "f", "mcc")]
    for estimate in found:
        assert estimate.interval[0] < float(estimate) < estimate.interval[1], estimate
        assert "95 %" in estimate.method
    assert matrix.kappa.interval == ConfusionMatrix(LABELS, matrix.counts).kappa.interval


def test_a_thousand_classes_and_more_are_not_drawn() -> None:
    K = 1001
    matrix = ConfusionMatrix(tuple(range(K)), np.eye(K))
    assert matrix.kappa.value == 1
    assert matrix.kappa.interval is None
    assert "no interval for more than 1000 classes" in matrix.kappa.method
