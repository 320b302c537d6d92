"""Exact products: equal to fractions, whatever the values, the weights and the places of 0/1 columns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from crake.arrays import Floats, Ints
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.products.centred_products import centred_products
from crake.statistics.products.exact_products import ExactProducts

ROWS, NUMBERS, PLACES = 600, 2, 5
DRAW = np.random.default_rng(7)
VALUES: dict[str, Floats] = {
    "normal": DRAW.normal(size=(ROWS, 2)),
    "far from 0": 1e9 + 1e-3 * DRAW.normal(size=(ROWS, 2)),
    "of all sizes": DRAW.normal(size=(ROWS, 2)) * 10.0 ** DRAW.integers(-307, 307, (ROWS, 2)),
    "huge": DRAW.normal(size=(ROWS, 2)) * 1e307,
    "subnormal": DRAW.normal(size=(ROWS, 2)) * 1e-310,
    "whole": DRAW.integers(-9, 9, (ROWS, 2)).astype(np.float64),
    "outliers": DRAW.normal(size=(ROWS, 2)),
    "zeros": np.zeros((ROWS, 2)),
}
VALUES["outliers"][5], VALUES["outliers"][9] = [1e300, 2.0], [3.0, 1e-300]
WEIGHTS: dict[str, Floats] = {
    "1": np.ones(ROWS),
    "copies": DRAW.integers(0, 4, ROWS).astype(np.float64),
    "fractions": DRAW.random(ROWS),
    "of all sizes": 10.0 ** DRAW.integers(-300, 30, ROWS),
}


def places() -> Ints:
    """Two lines of 0/1 columns: three, then two; none in some rows."""
    first, second = DRAW.integers(-1, 3, ROWS), DRAW.integers(-1, 2, ROWS)
    lines = [np.where(first >= 0, first + NUMBERS, -1), np.where(second >= 0, second + NUMBERS + 3, -1)]
    return np.stack(lines).astype(np.int32)


PLACE = places()


def made(values: Floats, weights: Floats, rows: slice = slice(None)) -> ExactProducts:
    products = ExactProducts.zeros(1, NUMBERS, PLACES)
    products.add(0, values[rows], PLACE[:, rows], weights[rows])
    return products


def written_out(values: Floats) -> list[list[Fraction]]:
    """All columns in fractions, the 1 behind them."""
    columns = np.column_stack([values, np.zeros((ROWS, PLACES)), np.ones(ROWS)])
    for line in PLACE:
        columns[np.flatnonzero(line >= 0), line[line >= 0]] = 1.0
    return [[Fraction(x) for x in column] for column in columns.T.tolist()]


@pytest.mark.parametrize("size", VALUES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_sums_are_the_fractions(size: str, weight: str) -> None:
    products, columns = made(VALUES[size], WEIGHTS[weight]), written_out(VALUES[size])
    weights = [Fraction(w) for w in WEIGHTS[weight].tolist()]
    for i, j in ((0, 0), (0, 1), (1, 7), (7, 7), (0, 3), (5, 1), (4, 4), (2, 6), (6, 3), (2, 3), (5, 7)):
        (found,) = products.integers(np.array([i]), np.array([j]))
        expected = sum(w * a * b for w, a, b in zip(weights, columns[i], columns[j], strict=True))
        assert Fraction(int(found), 1 << BITS * ONE) == expected, (i, j)


def test_sums_as_floats_are_rounded_once() -> None:
    products = made(VALUES["normal"], WEIGHTS["fractions"])
    high, rest = products.doubles(np.zeros(8, np.int64))
    i, j = np.indices(high.shape).reshape(2, -1)
    exact = [Fraction(int(value), 1 << BITS * ONE) for value in products.integers(i, j)]
    assert [float(value) for value in exact] == high.ravel().tolist()
    assert [float(value - Fraction(h)) for value, h in zip(exact, high.ravel().tolist(), strict=True)] == pytest.approx(
        rest.ravel().tolist(), rel=1e-12, abs=1e-30
    )


@pytest.mark.parametrize("weight", ["1", "fractions"])
def test_products_about_the_means_have_twice_the_digits(weight: str) -> None:
    """Also of a column whose mean is 10^12 standard deviations, and of one of huge numbers."""
    values = np.column_stack([VALUES["far from 0"][:, 0], VALUES["huge"][:, 0]])
    found = centred_products(made(values, WEIGHTS[weight]))
    columns, weights = written_out(values)[:-1], [Fraction(w) for w in WEIGHTS[weight].tolist()]
    n = sum(weights)
    means = [sum(w * x for w, x in zip(weights, column, strict=True)) / n for column in columns]
    unit = [Fraction(2) ** int(power) for power in found.exponent]
    assert found.weight == float(n)
    for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (2, 2), (2, 6), (6, 1)):
        rows = zip(weights, columns[i], columns[j], strict=True)
        expected = sum(w * (a - means[i]) * (b - means[j]) for w, a, b in rows) / (unit[i] * unit[j])
        high, rest = (Fraction(part[i, j]) for part in found.products)
        assert abs(high + rest - expected) < Fraction(2) ** -90
        assert abs(sum(map(Fraction, found.means[:, i])) * unit[i] / means[i] - 1) < Fraction(2) ** -98


def test_parts_add_up_and_are_taken_away() -> None:
    values, weights = VALUES["outliers"], WEIGHTS["fractions"]
    whole, part, other = (made(values, weights, rows) for rows in (slice(None), slice(0, 250), slice(250, None)))
    for found, expected in (
        (part.plus(other), whole),
        (other.plus(part), whole),
        (whole.plus(part, -1), other),
    ):
        for one, two in zip(found.parts, expected.parts, strict=True):
            for mine, its in zip(one.state(), two.state(), strict=True):
                np.testing.assert_array_equal(mine, its)


def test_many_numbers_are_multiplied_some_by_some(monkeypatch: pytest.MonkeyPatch) -> None:
    values = DRAW.normal(size=(50, 7))
    place = np.zeros((0, 50), np.int32)

    def sums() -> list[list[int]]:
        products = ExactProducts.zeros(1, 7, 0)
        products.add(0, values, place, np.ones(50))
        return [array.tolist() for array in products.of_numbers.state()]

    expected = sums()
    monkeypatch.setattr("crake.statistics.products.exact_products.WIDTH", 3)
    assert sums() == expected


def test_both_ways_of_adding_by_place_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for weight in ("1", "fractions"):
        expected = made(VALUES["normal"], WEIGHTS[weight])
        with monkeypatch.context() as patch:
            patch.setattr("crake.statistics.products.exact_products.MANY_ADDITIONS", 0)
            found = made(VALUES["normal"], WEIGHTS[weight])
        for one, two in zip(found.parts, expected.parts, strict=True):
            for mine, its in zip(one.state(), two.state(), strict=True):
                np.testing.assert_array_equal(mine, its)


def test_sums_that_no_columns_can_have() -> None:
    products = made(VALUES["normal"], WEIGHTS["1"])
    nothing = ExactProducts.zeros(1, NUMBERS, PLACES)
    assert not products.impossible()
    assert nothing.plus(products, -1).impossible()
    assert products.weight() == ROWS
