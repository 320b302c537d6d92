from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plain import measures_twin as plain

from crake.errors import CrakeError, DataError, ReadError
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.cost.measures import CostMatrix, expected_costs, mean_cost, normalised_cost, total_cost
from crake.metrics.cost.row_costs import mean_row_cost, total_row_cost

LABELS = ("a", "b", "c")
code = st.integers(0, 2)
Rows = list[tuple[int, int, int]]
rows = st.lists(st.tuples(code, code, st.integers(0, 3)), min_size=1, max_size=25)
costs = st.lists(st.lists(st.integers(-3, 9), min_size=3, max_size=3), min_size=3, max_size=3)


def matrix_of(rows: Rows) -> ConfusionMatrix:
    actual, predicted, weights = np.array(rows, dtype=int).reshape(-1, 3).T
    return confusion_matrix(actual, predicted, LABELS, weights)


@given(rows, costs)
def test_the_total_is_the_cost_of_every_row_added_up(rows: Rows, costs: list[list[int]]) -> None:
    C = CostMatrix(LABELS, np.array(costs))
    expected = plain.total_cost(rows, [[Fraction(x) for x in line] for line in costs])
    n = sum(w for _, _, w in rows)
    if n == 0:
        assert total_cost(matrix_of(rows), C).reason == mean_cost(matrix_of(rows), C).reason == "no rows"
        return
    assert total_cost(matrix_of(rows), C).value == float(expected)
    assert mean_cost(matrix_of(rows), C).value == float(expected / n)
    row_costs = np.array([costs[a] for a, _, _ in rows], dtype=float)
    called, weights = [p for _, p, _ in rows], [w for _, _, w in rows]
    assert total_row_cost(called, row_costs, weights).value == float(expected)
    assert mean_row_cost(called, row_costs, weights).value == pytest.approx(float(expected / n))


def test_both_ways_to_cost_have_nearly_the_same_interval() -> None:
    rng = np.random.default_rng(2)
    actual = rng.integers(0, 3, 400)
    called = np.where(rng.random(400) < 0.7, actual, rng.integers(0, 3, 400))
    C = CostMatrix(LABELS, np.array([[0, 1, 4], [2, 0, 1], [8, 3, 0]]))
    by_matrix = mean_cost(confusion_matrix(actual, called, LABELS), C)
    by_rows = mean_row_cost(called, C.costs[actual])
    assert by_matrix.value == pytest.approx(by_rows.value)
    assert by_matrix.interval == pytest.approx(by_rows.interval, abs=0.03)
    total = total_row_cost(called, C.costs[actual])
    assert total.interval == pytest.approx((400 * by_rows.interval[0], 400 * by_rows.interval[1]))


@given(rows.filter(lambda rows: sum(w for _, _, w in rows) > 0), st.floats(0.1, 9), st.floats(0, 5))
def test_with_symmetric_costs_the_cost_falls_linearly_with_accuracy(rows: Rows, wrong: float, right: float) -> None:
    C = CostMatrix(LABELS, np.where(np.eye(3, dtype=bool), right, right + wrong))
    accuracy = float(matrix_of(rows).accuracy)
    assert float(mean_cost(matrix_of(rows), C)) == pytest.approx(right + wrong - wrong * accuracy)
    assert float(normalised_cost(matrix_of(rows), C)) == pytest.approx(1 - accuracy)


def test_the_normalised_cost_is_0_at_best_and_1_at_worst() -> None:
    C = CostMatrix(LABELS, np.array([[1, 3, 2], [5, 0, 4], [2, 2, 2]]))
    assert normalised_cost(ConfusionMatrix(LABELS, np.diag([3, 2, 5])), C).value == 0
    assert normalised_cost(ConfusionMatrix(LABELS, np.array([[0, 3, 0], [2, 0, 0], [1, 1, 3]])), C).value == 1
    same = normalised_cost(ConfusionMatrix(LABELS, np.diag([0, 0, 5])), C)
    assert same.reason == "every call costs the same"


@given(costs)
def test_normalising_changes_no_decision(costs: list[list[int]]) -> None:
    C = CostMatrix(LABELS, np.array(costs))
    P = np.random.default_rng(1).dirichlet([1, 1, 1], 20)
    before, after = expected_costs(P, C), expected_costs(P, C.normalised())
    assert np.abs(C.normalised().costs).max() <= 1
    assert (np.diag(C.normalised().costs) == 0).all()
    chosen = after[np.arange(20), before.argmin(axis=1)]
    assert chosen == pytest.approx(after.min(axis=1), abs=1e-12)


def test_two_numbers_whatever_the_order_of_the_classes() -> None:
    first = CostMatrix.of_errors(("bad", "good"), "bad", false_positive=1, false_negative=5)
    assert first.costs.tolist() == [[0, 5], [1, 0]]
    assert first.aligned(("good", "bad")) == CostMatrix.of_errors(
        ("good", "bad"), "bad", false_positive=1, false_negative=5
    )
    assert first.cost("good", given="bad") == 5
    with pytest.raises(CrakeError, match="expected two classes, one of them positive"):
        CostMatrix.of_errors(("a", "b", "c"), "a", false_positive=1, false_negative=5)
    with pytest.raises(CrakeError, match="no class 'ugly'; expected one of 'bad', 'good'"):
        first.cost("ugly", given="bad")


def test_a_dictionary_names_what_is_missing() -> None:
    with pytest.raises(DataError, match="cost of calling a 'bad' a 'good' is missing"):
        CostMatrix.of({"good": {"bad": 1}, "bad": {}})
    with pytest.raises(DataError, match="'ugly' has no line itself"):
        CostMatrix.of({"good": {"bad": 1, "ugly": 2}, "bad": {"good": 5}})
    with pytest.raises(DataError, match="costs are not an array of numbers"):
        CostMatrix.of({"good": {"bad": "much"}, "bad": {"good": 5}})  # type: ignore[dict-item]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_file_in_any_order(tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "costs.csv"
    lines = [
        ["actual", "no", "yes", "may, be"],
        ["yes", "5", "0", "2.5"],
        ["may, be", "1", "-1", "0"],
        ["no", "0", "1", "3"],
    ]
    text = "\r\n".join(delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n\r\n")
    found = CostMatrix.read(file).aligned(("no", "may, be", "yes"))
    assert found.costs.tolist() == [[0, 3, 1], [1, 0, -1], [5, 2.5, 0]]
    assert json.loads(json.dumps(found.to_dict()))["costs"] == found.costs.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a first row of labels"),
        ("a,b\n", "expected a first row of labels"),
        ("x,a,b\na,0,1\n", "'b' has a column but no line"),
        ("x,a,b\na,0,1\nc,1,0\n", "'c' has a line but no column"),
        ("a,b\n0,1\n5,0\n", r"expected the classes in the first row, got \['b'\], and in the first cell of each line"),
        ("x,a,b\na,0,1\nb,1\n", r"line 3: 1 cost for 2 classes"),
        ("x,a,b\na,0,1\nb,1,0,4\n", r"line 3: 3 costs for 2 classes"),
        ("x,a,b\na,0,1\na,1,0\n", "'a' stands twice in the first column"),
        ("x,a,a\na,0,1\nb,1,0\n", "'a' stands twice in the first row"),
        ("x,a,b\na,0,much\nb,1,0\n", r"line 2, column 'b': the cost of calling a 'a' a 'b' is 'much'"),
        ("x,a,b\na,0,nan\nb,1,0\n", "is 'nan'; expected a finite number"),
        ("x,a,b\na,0,inf\nb,1,0\n", "is 'inf'; expected a finite number"),
        ("x,a,b\na,0,\nb,1,0\n", "is ''; expected a finite number"),
        ('x,a,b\na,0,"1\nb,1,0\n', "is no CSV"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "costs.csv"
    file.write_text(text)
    with pytest.raises(ReadError, match=message) as caught:
        CostMatrix.read(file)
    assert str(caught.value).startswith("costs.csv")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"nowhere\.csv: cannot be read: No such file"):
        CostMatrix.read(tmp_path / "nowhere.csv")
    (tmp_path / "latin.csv").write_bytes(b"x,\xe9\n\xe9,0\n")
    with pytest.raises(ReadError, match="is not UTF-8"):
        CostMatrix.read(tmp_path / "latin.csv")


def test_costs_of_other_classes_are_refused() -> None:
    C = CostMatrix.of({"good": {"bad": 1}, "bad": {"good": 5}})
    with pytest.raises(DataError, match="cost matrix has no class 'ugly'; it has 'good', 'bad'"):
        C.aligned(("good", "bad", "ugly"))
    with pytest.raises(DataError, match="cost matrix has a class 'bad' that the table has not"):
        C.aligned(("good",))
    with pytest.raises(DataError, match="no class 'a'"):
        mean_cost(ConfusionMatrix(("a", "b"), np.eye(2)), C)
    with pytest.raises(DataError, match="probabilities of 3 classes, costs of 2"):
        expected_costs([[0.5, 0.25, 0.25]], C)


def test_text_in_a_file_matches_numbers_and_truths() -> None:
    C = CostMatrix.of({"True": {"False": 2}, "False": {"True": 7}})
    assert C.aligned((False, True)).costs.tolist() == [[0, 7], [2, 0]]
    assert CostMatrix((1, True), np.array([[0, 1], [2, 0]])).aligned((True, 1)).costs.tolist() == [[0, 2], [1, 0]]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], r"2 labels and costs of shape \(1, 2\); expected shape \(2, 2\)"),
        ([[0, math.nan], [1, 0]], "cost of calling a 'a' a 'b' is nan; expected a finite number"),
        ([[0, 1], [-math.inf, 0]], "cost of calling a 'b' a 'a' is -inf"),
        ([["x", 1], [1, 0]], "costs are not an array of numbers"),
    ],
)
def test_bad_costs_are_refused(costs: list[list[object]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        CostMatrix(("a", "b"), costs)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="not all different"):
        CostMatrix(("a", "a"), np.eye(2))


def test_bad_costs_of_rows_are_refused() -> None:
    with pytest.raises(DataError, match=r"2 predicted classes and costs of shape \(1, 2\)"):
        mean_row_cost([0, 1], [[0, 1]])
    with pytest.raises(DataError, match=r"costs of row 1 are \[nan, 0.0\]"):
        mean_row_cost([0, 1], [[0, 1], [math.nan, 0]])
    with pytest.raises(DataError, match="predicted class of row 1 has the code 2"):
        total_row_cost([0, 2], [[0, 1], [1, 0]])
    assert total_row_cost([0], [[1, 0]], [0]).reason == mean_row_cost([0], [[1, 0]], [0]).reason == "no rows"
    assert total_row_cost([0], [[3, 0]]).interval is None


def test_hostile_labels_stay_on_their_line() -> None:
    C = CostMatrix(("\x1b[31mred\n", "b"), np.array([[0, 1], [1, 0]]))
    assert "\x1b" not in str(C)
    assert len(str(C).splitlines()) == 3


def test_costs_cannot_be_changed_behind_its_back() -> None:
    given_costs = np.array([[0.0, 1.0], [1.0, 0.0]])
    C = CostMatrix(("a", "b"), given_costs)
    given_costs[0, 1] = 9
    assert C.costs[0, 1] == 1
    with pytest.raises(ValueError, match="read-only"):
        C.costs[0, 1] = 9
    assert CostMatrix(("a", "b"), np.array([[0, 1], [1, 0]])) == C
    assert len({C, CostMatrix(("a", "b"), np.array([[0, 1], [1, 0]]))}) == 1
