"""Linear regression on NIST's certified problems: right digits of the worst coefficient and the worst deviation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.published import nist

import crake

PROBLEMS = {
    "Norris": (nist.norris(), 9),
    "Pontius": (nist.pontius(), 9),
    "NoInt1": (nist.no_intercept_1(), 9),
    "NoInt2": (nist.no_intercept_2(), 9),
    "Longley": (nist.longley(), 9),
    **{f"Wampler{k}": (nist.wampler(k), 9) for k in range(1, 6)},
    "Filip": (nist.filip(), 6),
}
every = pytest.mark.parametrize("name", PROBLEMS)


@every
def test_certified_coefficients(name: str) -> None:
    problem, wanted = PROBLEMS[name]
    model = crake.LinearRegressor(fit_intercept=problem.intercept).fit(problem.X, problem.y)
    assert nist.digits(model.coefficients_, problem.coefficient) >= wanted
    assert model.aliased_ == ()
    if max(problem.deviation) > 0:
        assert nist.digits(model.standard_errors_, problem.deviation) >= wanted
    else:
        assert model.standard_errors_.max() < 1e-12, "an exact polynomial leaves no residual"


@every
def test_a_scan_gives_the_same_digits(name: str) -> None:
    problem, _ = PROBLEMS[name]
    columns = {f"x{j}": column for j, column in enumerate(problem.X.T)}
    scan = crake.read(pl.LazyFrame({**columns, "y": problem.y}), "y", numeric=["y"])
    model = crake.LinearRegressor(fit_intercept=problem.intercept).fit(scan)
    expected = crake.LinearRegressor(fit_intercept=problem.intercept).fit(problem.X, problem.y)
    for one, other in (
        (model.coefficients_, expected.coefficients_),
        (model.standard_errors_, expected.standard_errors_),
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["Norris", "Pontius", "NoInt1", "NoInt2", "Longley", "Wampler1", "Wampler5"])
def test_rows_that_are_factorised_give_certified_digits(name: str) -> None:
    problem, wanted = PROBLEMS[name]
    model = crake.LinearRegressor(fit_intercept=problem.intercept, solver="orthogonal").fit(problem.X, problem.y)
    assert nist.digits(model.coefficients_, problem.coefficient) >= wanted


def test_many_terms_have_certified_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of many terms, taken for few."""
    monkeypatch.setattr("crake.learners.linear.exact_solution.FEW", 0)
    for name in ("Norris", "Pontius", "NoInt1", "NoInt2", "Longley", "Wampler1", "Wampler5"):
        problem, wanted = PROBLEMS[name]
        model = crake.LinearRegressor(fit_intercept=problem.intercept).fit(problem.X, problem.y)
        assert nist.digits(model.coefficients_, problem.coefficient) >= wanted


def test_filip_says_how_it_is_conditioned() -> None:
    problem, _ = PROBLEMS["Filip"]
    model = crake.LinearRegressor().fit(problem.X, problem.y)
    assert model.condition_ > 1e9
    assert any("nearly sums of each other" in note for note in model.summary().notes)


@pytest.mark.parametrize("name", ["Norris", "NoInt1", "Longley", "Wampler5"])
def test_the_data_are_those_that_were_certified(name: str) -> None:
    """Least squares in fractions, without any rounding, gives the certified values: no digit was mistyped."""
    problem, _ = PROBLEMS[name]
    X = np.column_stack([np.ones(len(problem.y)), problem.X]) if problem.intercept else problem.X
    exact = normal_equations([[Fraction(str(v)) for v in row] for row in X], [Fraction(str(v)) for v in problem.y])
    np.testing.assert_allclose([float(v) for v in exact], problem.coefficient, rtol=2e-14)


def normal_equations(X: list[list[Fraction]], y: list[Fraction]) -> list[Fraction]:
    """Solve X'X·b = X'y by elimination."""
    width = len(X[0])
    A = [[sum((r[i] * r[j] for r in X), Fraction(0)) for j in range(width)] for i in range(width)]
    b = [sum((r[i] * v for r, v in zip(X, y, strict=True)), Fraction(0)) for i in range(width)]
    for i in range(width):
        for k in range(i + 1, width):
            factor = A[k][i] / A[i][i]
            A[k] = [a - factor * c for a, c in zip(A[k], A[i], strict=True)]
            b[k] -= factor * b[i]
    solution = [Fraction(0)] * width
    for i in reversed(range(width)):
        solution[i] = (b[i] - sum((A[i][j] * solution[j] for j in range(i + 1, width)), Fraction(0))) / A[i][i]
    return solution


def test_plain_numbers_of_the_fit() -> None:
    """Norris: residual standard deviation and R² as certified."""
    problem, _ = PROBLEMS["Norris"]
    summary = crake.LinearRegressor().fit(problem.X, problem.y).summary()
    assert summary.residual_error == pytest.approx(0.884796396144373, rel=1e-12)
    assert summary.r2 == pytest.approx(0.999993745883712, rel=1e-13)
    assert summary.f_statistic == pytest.approx(5436385.54079785, rel=1e-9)
