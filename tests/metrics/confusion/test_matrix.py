from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs
from tests.plain import metrics_twin

from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix

LABELS = ("a", "b", "c")
Rows = list[tuple[int, int, int]]


def rows(classes: int = 3) -> st.SearchStrategy[Rows]:
    code = st.integers(0, classes - 1)
    return st.lists(st.tuples(code, code, st.integers(0, 3)), max_size=40)


def matrix_of(rows: Rows) -> ConfusionMatrix:
    actual, predicted, weights = np.array(rows, dtype=int).reshape(-1, 3).T
    return confusion_matrix(actual, predicted, LABELS, weights)


@given(rows())
def test_counts_equal_the_plain_twin(rows: Rows) -> None:
    actual, predicted, weights = ([row[i] for row in rows] for i in range(3))
    assert matrix_of(rows).counts.tolist() == metrics_twin.confusion(actual, predicted, 3, weights)


@given(rows())
def test_every_proportion_equals_the_plain_twin(rows: Rows) -> None:
    matrix = matrix_of(rows)
    assert matrix.accuracy.value == plain([(a == p, w) for a, p, w in rows])
    assert matrix.error.value == plain([(a != p, w) for a, p, w in rows])
    for c, label in enumerate(LABELS):
        assert matrix.recall(label).value == plain([(p == c, w) for a, p, w in rows if a == c])
        assert matrix.specificity(label).value == plain([(p != c, w) for a, p, w in rows if a != c])
        assert matrix.precision(label).value == plain([(a == c, w) for a, p, w in rows if p == c])
        assert matrix.prevalence(label).value == plain([(a == c, w) for a, p, w in rows])
        assert matrix.recognition_rates[c] == matrix.recall(label)


def plain(pairs: list[tuple[bool, int]]) -> float | None:
    share = metrics_twin.share(pairs)
    return None if share is None else float(share)


@given(rows().filter(lambda rows: sum(w for _, _, w in rows) > 0), st.floats(0, 4))
def test_it_equals_scikit_learn(rows: Rows, beta: float) -> None:
    actual, predicted, weights = np.array(rows).T
    matrix = matrix_of(rows)
    assert float(matrix.accuracy) == pytest.approx(
        theirs.accuracy_score(actual, predicted, sample_weight=weights), abs=1e-12
    )
    P, R, F, support = theirs.precision_recall_fscore_support(
        actual, predicted, beta=beta, labels=[0, 1, 2], sample_weight=weights, zero_division=np.nan
    )
    for c, label in enumerate(LABELS):
        assert value(matrix.precision(label)) == pytest.approx(P[c], abs=1e-12, nan_ok=True)
        assert value(matrix.recall(label)) == pytest.approx(R[c], abs=1e-12, nan_ok=True)
        # At beta = 0 scikit-learn calls F the precision, and so 0/0, only where nothing was called the class.
        if not math.isnan(F[c]):
            assert value(matrix.f(label, beta)) == pytest.approx(F[c], abs=1e-12)
        assert matrix.actual_totals[c] == support[c]


@given(rows().filter(lambda rows: sum(w for _, _, w in rows) > 0))
def test_averages_equal_scikit_learns_over_the_classes_with_rows(rows: Rows) -> None:
    actual, predicted, weights = np.array([row for row in rows if row[2] > 0]).T
    matrix = matrix_of(rows)
    for average, ours in (("macro", matrix.macro), ("weighted", matrix.weighted)):
        for measure, function in (("recall", theirs.recall_score), ("f", theirs.f1_score)):
            expected = function(
                actual, predicted, average=average, labels=np.unique(actual), sample_weight=weights, zero_division=0
            )
            assert float(ours(measure)) == pytest.approx(expected, abs=1e-12)
    assert float(matrix.weighted("recall")) == pytest.approx(float(matrix.accuracy))


def value(estimate: object) -> float:
    try:
        return float(estimate)  # type: ignore[arg-type]
    except UndefinedMeasure:
        return math.nan


@given(rows(), st.integers(1, 5))
def test_weight_k_is_k_copies_and_weight_0_is_absence(rows: Rows, k: int) -> None:
    actual = [a for a, _, w in rows for _ in range(k * w)]
    predicted = [p for _, p, w in rows for _ in range(k * w)]
    copies = confusion_matrix(actual, predicted, LABELS)
    assert copies == matrix_of([(a, p, k * w) for a, p, w in rows])
    assert copies.to_dict() == matrix_of([(a, p, k * w) for a, p, w in rows]).to_dict()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(0, 1e6)), min_size=1, max_size=20))
def test_fractional_weights_never_leave_0_to_1(rows: list[tuple[int, int, float]]) -> None:
    matrix = confusion_matrix([r[0] for r in rows], [r[1] for r in rows], LABELS, [r[2] for r in rows])
    measures = [matrix.accuracy, matrix.error]
    for label in LABELS:
        measures += [matrix.recall(label), matrix.specificity(label), matrix.precision(label), matrix.f(label)]
    for measure in measures:
        assert measure.value is None or 0 <= measure.value <= 1
        if measure.interval is not None:
            assert 0 <= measure.interval[0] <= measure.interval[1] <= 1


def test_what_cannot_be_measured_says_why() -> None:
    matrix = confusion_matrix([0, 0], [0, 1], LABELS)
    assert matrix.recall("b").reason == "no row is of class 'b'"
    assert matrix.specificity("a").reason == "no row is of a class other than 'a'"
    assert matrix.precision("c").reason == "no row was called 'c'"
    assert matrix.f("c").reason == "no row is of class 'c' or was called it"
    assert matrix.macro("specificity").reason == ("specificity of class 'a': no row is of a class other than 'a'")
    assert matrix.weighted("recall").value == 0.5
    empty = confusion_matrix([], [], LABELS)
    assert empty.accuracy.reason == empty.prevalence("a").reason == empty.macro("f").reason == "no rows"


def test_a_class_that_is_there_but_never_called_has_f_0_and_no_precision() -> None:
    matrix = confusion_matrix([0, 1], [0, 0], ("a", "b"))
    assert matrix.f("b").value == 0
    assert matrix.weighted("precision").reason == "precision of class 'b': no row was called 'b'"


def test_the_text_shows_totals_and_rates() -> None:
    matrix = confusion_matrix([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], ("yes", "no"), [1, 1, 1, 1, 0.5])
    assert str(matrix).splitlines() == [
        "actual \\ predicted      yes       no  total  recognised",
        "yes                       1        1      2     50.00 %",
        "no                     0.50        2   2.50     80.00 %",
        "total                  1.50        3   4.50     66.67 %",
        "precision           66.67 %  66.67 %",
    ]


def test_hostile_labels_are_text() -> None:
    matrix = confusion_matrix([0], [1], ("<script>alert(1)</script>", "\x1b[31mred\n"))
    assert "<script>" not in matrix._repr_html_()
    assert "&lt;script&gt;" in matrix._repr_html_()
    assert "\x1b" not in str(matrix) + matrix._repr_html_()
    assert len(str(matrix).splitlines()) == 5


def test_the_dictionary_is_json() -> None:
    matrix = confusion_matrix([0, 1, 1], [0, 1, 0], (True, False))
    again = json.loads(json.dumps(matrix.to_dict(), allow_nan=False))
    assert again["counts"] == [[1, 0], [1, 1]]
    assert again["per_class"][1]["label"] is False
    assert again["per_class"][1]["recall"]["value"] == 0.5


@pytest.mark.parametrize(
    ("actual", "predicted", "weights", "message"),
    [
        ([0, 1], [0], None, "2 actual classes and 1 predicted classes"),
        ([0, 3], [0, 1], None, "actual class of row 1 has the code 3; expected 0 … 2"),
        ([0, -1], [0, 1], None, "missing.: leave such rows out"),
        ([0, 1], [0, -2], None, "predicted class of row 1 has the code -2"),
        ([0.0, 1.0], [0, 1], None, "type float64; expected one whole number"),
        ([[0], [1]], [0, 1], None, "shape"),
        ([0, 1], [0, 1], [1], "expected one weight per row"),
        ([0, 1], [0, 1], [1, -1], "weight of row 1 is -1.0"),
        ([0, 1], [0, 1], [math.nan, 1], "weight of row 0 is nan"),
        ([0, 1], [0, 1], [math.inf, 1], "weight of row 0 is inf"),
        ([0, 1], [0, 1], [1e308, 1e308], "sum to more than a float can hold"),
    ],
)
def test_matrix_raises_on_bad_rows(actual: object, predicted: object, weights: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        confusion_matrix(actual, predicted, LABELS, weights)  # type: ignore[arg-type]


def test_bad_matrices_are_refused() -> None:
    for counts in ([[1, 2, 3]], [[-1, 0], [0, 1]], [[math.nan, 0], [0, 1]]):
        with pytest.raises(DataError, match="expected"):
            ConfusionMatrix(("a", "b"), np.array(counts))
    with pytest.raises(DataError, match="not all different"):
        ConfusionMatrix(("a", "a"), np.eye(2))
    with pytest.raises(DataError, match=r"6000 classes.*identifier"):
        confusion_matrix([0], [0], range(6000))
    with pytest.raises(CrakeError, match="no class 'z'; expected one of 'a', 'b', 'c'"):
        confusion_matrix([0], [0], LABELS).recall("z")
    with pytest.raises(CrakeError, match="beta = -1"):
        confusion_matrix([0], [0], LABELS).f("a", -1)
    with pytest.raises(CrakeError, match="'speed'; expected 'recall'"):
        confusion_matrix([0], [0], LABELS).macro("speed")  # type: ignore[arg-type]


def test_the_counts_cannot_be_changed_behind_its_back() -> None:
    counts = np.eye(2)
    matrix = ConfusionMatrix(("a", "b"), counts)
    counts[0, 0] = 5
    assert matrix.counts[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        matrix.counts[0, 0] = 5


def test_1_and_true_are_two_classes() -> None:
    matrix = confusion_matrix([0, 0, 1], [0, 1, 1], (1, True))
    assert (matrix.recall(1).value, matrix.recall(True).value) == (0.5, 1)
    assert confusion_matrix([0, 1], [0, 1], (1, 2)).recall(np.int64(2)).value == 1
