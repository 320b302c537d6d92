"""Terms, reference levels, gaps, new values: against matrices written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.arithmetic import value_of
from tests.laws.tables import Row, rows, table, tame
from tests.plain.design_twin import design_matrix

import crake
from crake.learners.encoding import complete_rows, design_of, term_deviations
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts, gather
from crake.table.convert.frames import encode, from_xy
from crake.table.table import Table


def gathered(training: Table) -> Statistics:
    return gather(training, [ClassCounts, ValueCounts, ClassMoments])


@given(rows(tame, weights=st.integers(1, 3).map(float)), rows(tame))
def test_the_matrix_is_the_one_written_out(some: list[Row], others: list[Row]) -> None:
    training, tested = table(some), table(others)
    design = design_of(gathered(training))
    names, expected = design_matrix(training, tested)
    assert [str(design.terms[at]) for at in design.order] == names
    np.testing.assert_allclose(design.matrix(tested)[:, design.order], expected, rtol=1e-12, atol=1e-12)


@given(rows(tame, weights=st.integers(1, 3).map(float)), st.integers(0, 100))
def test_scores_and_users_units(some: list[Row], seed: int) -> None:
    training = table(some)
    design = design_of(gathered(training))
    coefficient = np.random.default_rng(seed).normal(size=(len(design), 2))
    expected = design.matrix(training) @ coefficient
    np.testing.assert_allclose(design.scores(training, coefficient), expected, rtol=1e-9, atol=1e-9)
    # In the users' units a number is multiplied as it is; gaps stand for the mean.
    users = design.in_users_units(coefficient)
    codes, values = design.arrays_of(training)
    _, place = design.encoded(codes, values, 0, len(values))
    raw = np.where(np.isnan(values), design.centre + design.rest, values) * (design.spread > 0)
    found = raw @ users[: design.numbers] + users[design.numbers]
    for mine in place:
        found += np.where(mine[:, None] >= 0, users[mine], 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@given(rows(tame, weights=st.integers(1, 3).map(float), min_size=2))
def test_deviations_of_terms(some: list[Row]) -> None:
    training = table(some)
    statistics = gathered(training)
    design = design_of(statistics)
    matrix, weights = design.matrix(training), training.weights
    assert weights is not None
    mean = weights @ matrix / weights.sum()
    variance = weights @ (matrix - mean) ** 2 / max(1.0, weights.sum() - 1)
    np.testing.assert_allclose(term_deviations(design, statistics), np.sqrt(variance), atol=1e-9)


def test_deviations_of_a_share_that_rounds_above_one() -> None:
    """1e30 + 3e29 and then a third of 1e30 is more than the three in the order of the rows, by the last bit."""
    some = [
        (2, -1, float("nan"), 2.0, 0, 1e30),
        (-1, -1, float("nan"), 2.0, 1, 1e30 / 3),
        (-1, -1, float("nan"), 2.0, 0, 3e29),
    ]
    statistics = gathered(table(some))
    design = design_of(statistics, missing="mean", contrasts="all", reference="frequent")
    assert term_deviations(design, statistics).tolist() == [0.0] * len(design.terms)


def colours() -> Table:
    return from_xy([["red", 1.0], ["green", 2.0], [None, 4.0], ["red", None]], ["a", "b", "a", "b"])


def test_reference_levels() -> None:
    statistics = gathered(colours())
    assert [str(term) for term in design_of(statistics).terms] == [
        "x1",
        "(intercept)",
        "x0 = red",
        "x0 missing",
        "x1 missing",
    ]
    assert design_of(statistics).reference_level("x0") == "green"
    assert design_of(statistics, reference="frequent").reference_level("x0") == "red"
    assert design_of(statistics, reference={"x0": "red"}).reference_level("x0") == "red"
    with pytest.raises(crake.CrakeError, match="no level 'blue' to be the reference"):
        design_of(statistics, reference={"x0": "blue"})
    with pytest.raises(crake.CrakeError, match="no column 'x1' that is nominal"):
        design_of(statistics, reference={"x1": 1.0})


def test_all_levels_of_three_and_one_of_two() -> None:
    X = [["a", "u"], ["b", "v"], ["c", "u"]]
    design = design_of(gathered(from_xy(X, [0, 1, 0])), contrasts="all")
    assert [str(term) for term in design.terms] == ["(intercept)", "x0 = a", "x0 = b", "x0 = c", "x1 = v"]
    assert design.reference_level("x0") is None


def test_new_values_are_the_reference_and_counted() -> None:
    design = design_of(gathered(colours()))
    new = encode([["violet", 2.0], ["green", 2.0], [None, None]], design.schema)
    matrix = design.matrix(new)
    np.testing.assert_array_equal(matrix[0], matrix[1])
    assert design.unseen(new) == {"x0": 1}
    assert matrix[2].tolist() == [0, 1, 0, 1, 1]


def test_policies_for_gaps() -> None:
    statistics = gathered(colours())
    mean = design_of(statistics, missing="mean")
    assert [str(term) for term in mean.terms] == ["x1", "(intercept)", "x0 = red"]
    assert mean.matrix(encode([[None, None]], mean.schema)).tolist() == [[0, 1, 1]], "the most frequent level is red"
    with pytest.raises(crake.CrakeError, match=r"'x0' 1, 'x1' 1.*missing='error'"):
        design_of(statistics, missing="error")
    whole = complete_rows(colours())
    assert len(whole) == 2
    strict = design_of(gathered(whole), missing="error")
    with pytest.raises(crake.CrakeError, match="'x1' 1"):
        strict.matrix(encode([["red", None]], strict.schema))
    with pytest.raises(crake.CrakeError, match="every row"):
        complete_rows(from_xy([["red", None]], ["a"], nominal=[0]))


def test_numbers_at_the_ends_of_the_floats() -> None:
    X = np.array([[1e308, 3.0, 1e-300], [-1e308, 3.0, 2e-300], [1e308, 3.0, 5e-300]])
    design = design_of(gathered(from_xy(X, ["a", "b", "a"])))
    matrix = design.matrix(encode(X, design.schema))
    assert np.isfinite(matrix).all()
    assert design.is_constant.tolist() == [False, True, False, False]
    np.testing.assert_allclose(matrix[:, [0, 2]].std(axis=0, ddof=1), 1)
    np.testing.assert_array_equal(matrix[:, 1], 0)


ODD = (
    [["a"], ["b"], ["b"], ["b"], ["a"], ["c"], ["b"], ["a"], ["c"], ["c"]],
    ["y", "n", "y", "n", "y", "n", "y", "n", "y", "n"],
)


@pytest.mark.parametrize("missing", ["indicator", "mean", "drop"])
@pytest.mark.parametrize("cell", ["new", None, "b"])
def test_the_sum_written_out_is_the_one_answered_by(missing: str, cell: str | None) -> None:
    X, y = ODD
    model = crake.LogisticClassifier(missing=missing).fit(X, y)
    (z,) = (value_of(step.value) for step in model.explain([cell]).steps if step.statement == "z")
    terms = [value_of(step.value) for step in model.explain([cell]).sections[0].steps if step.statement != "z"]
    assert sum(terms) == pytest.approx(z, abs=1e-3)
    numbers = crake.LinearRegressor(missing=missing).fit(X, np.arange(10.0))
    *added, answer = (value_of(step.value) for step in numbers.explain([cell]).sections[0].steps)
    assert sum(added) == pytest.approx(answer, abs=2e-3)


def test_what_a_new_value_counts_as() -> None:
    X, y = ODD
    penalised = {"penalty": "ridge", "contrasts": "all"}
    for options, said in (
        ({}, "it counts as the reference level a"),
        (penalised, "it adds nothing"),
        ({**penalised, "missing": "mean"}, "it counts as b, the most frequent"),
    ):
        model = crake.LogisticClassifier(**options).fit(X, y)
        assert model.explain(["new"]).notes == (f"x0: training never met this value; {said}",)
    # A level of this name is one that training met.
    named = crake.LogisticClassifier().fit([["a new value"], ["b"], ["b"], ["a new value"]], ["y", "n", "y", "n"])
    assert named.explain(["a new value"]).notes == ()
