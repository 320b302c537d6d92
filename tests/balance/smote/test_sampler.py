"""SMOTE: where new rows lie, how many there are, and what is said of classes that are too small."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import crake
from crake.balance.cells import cells_of
from crake.balance.smote.sampler import SMOTE
from crake.kernels import threads
from crake.table.convert.frames import from_xy
from crake.table.table import Table


def mixed_table(rare: int = 14, common: int = 40, *, gaps: bool = False) -> Table:
    generator = np.random.default_rng(3)
    n = rare + common
    X = np.empty((n, 5), object)
    X[:, :3] = generator.normal(size=(n, 3)) * [1, 2, 3]
    X[:, 3] = generator.choice(["a", "b", "c"], n)
    X[:, 4] = generator.choice(["x", "y"], n)
    if gaps:
        X[generator.random((n, 5)) < 0.2] = None
    y = np.repeat(["yes", "no"], [rare, common])
    return from_xy(X, y, nominal=[3, 4])


def plain_neighbours(values: np.ndarray, codes: np.ndarray, row: int, k: int) -> list[int]:
    """Neighbours of one row by the definition: mean for missing numbers, the squared median spread for each name."""
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    apart = np.median(np.nanstd(values, axis=0)) ** 2
    d = [sum((filled[i] - filled[row]) ** 2) + apart * sum(codes[i] != codes[row]) for i in range(len(values))]
    return [i for i in np.argsort(d, kind="stable") if i != row][:k]


def on_segment(new: np.ndarray, one: np.ndarray, two: np.ndarray) -> bool:
    """One u for all numbers; where an end is missing, the new cell is the nearer end's, so it must be one of both."""
    both = ~np.isnan(one) & ~np.isnan(two)
    moving = both & (one != two)
    u = (new[moving] - one[moving]) / (two[moving] - one[moving])
    if len(u) and not (np.ptp(u) < 1e-9 and 0 <= u[0] <= 1):
        return False
    end = one if not len(u) or u[0] < 0.5 else two
    return bool(np.array_equal(new[~both], end[~both], equal_nan=True)) or not len(u)


@pytest.mark.parametrize("gaps", [False, True])
def test_new_rows_lie_between_a_row_and_a_neighbour(gaps):
    table = mixed_table(gaps=gaps)
    sample = SMOTE(n_neighbors=3).sample(table)
    rare = np.flatnonzero(table.target == table.schema.classes.index("yes"))
    real = cells_of(table, rare)
    made = cells_of(sample.made, np.arange(sample.made_rows))
    for i, origin in enumerate(np.searchsorted(rare, sample.origin)):
        near = plain_neighbours(real.values, real.codes, origin, 3)
        assert any(on_segment(made.values[i], real.values[origin], real.values[j]) for j in near)
        for column in range(2):
            names = [name for name in real.codes[near, column].tolist() if name >= 0]
            most = {name for name in names if names.count(name) == max(map(names.count, names))} or {-1}
            assert made.codes[i, column] in most


def test_counts_are_exactly_as_asked():
    table = mixed_table()
    for amount, rows in (("equal", 40), (0.5, 20), (33, 33), ({"yes": 15}, 15)):
        sample = SMOTE(amount).sample(table)
        assert sample.made_rows == rows - 14
        assert np.array_equal(sample.rows, np.arange(54))
        assert set(sample.made.labels(sample.made.target)) == {"yes"}


def test_every_rare_class_is_filled_up():
    generator = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], [30, 8, 5])
    X, labels = SMOTE(n_neighbors=2).fit_resample(generator.normal(size=(43, 2)) + (y == "c")[:, None] * 9, y)
    assert [labels.tolist().count(label) for label in "abc"] == [30, 30, 30]
    assert X[labels == "c"].min() > 4


def test_distribution_in_closed_form():
    # Of 0, 1 and 10 with one neighbour each: two thirds of the rows lie evenly in 0 … 1, one third in 1 … 10.
    X, y = np.array([[0.0], [1.0], [10.0]] + [[5.0]] * 9003), np.repeat(["rare", "common"], [3, 9003])
    new = SMOTE(n_neighbors=1).fit_resample(X, y)[0][9006:, 0]
    quantile = np.where(new <= 1, new * 2 / 3, 2 / 3 + (new - 1) / 27)
    spread = np.sort(quantile) - (np.arange(len(new)) + 0.5) / len(new)
    assert len(new) == 9000
    assert np.abs(spread).max() < 1.63 / np.sqrt(9000)  # the 1 % point of Kolmogorov's distribution


def test_fewer_rows_than_neighbours_lower_the_number_and_say_so():
    sample = SMOTE().sample(mixed_table(rare=4))
    assert sample.made_rows == 36
    assert sample.notes == ("SMOTE took fewer than 5 neighbours of class yes: 3, as it has 4 rows.",)


def test_one_row_is_an_error_that_names_class_and_count():
    with pytest.raises(crake.CrakeError, match="the class 'yes' has 1 row; expected at least 2 rows: use Oversample"):
        SMOTE().sample(mixed_table(rare=1))


def test_names_alone_and_columns_without_a_value():
    y = np.repeat(["yes", "no"], [6, 12])
    names = np.array([["a", "b"][i % 2] for i in range(18)], object)
    X = np.empty((18, 3), object)
    X[:, 0], X[:, 1], X[:, 2] = names, names, None
    made = SMOTE(n_neighbors=2).sample(from_xy(X, y)).made
    assert made.column("x0").tolist() == made.column("x1").tolist()  # neighbours are the rows of the same names
    empty = np.column_stack([np.full(18, np.nan), np.arange(18.0)])
    made = SMOTE().sample(from_xy(empty, y)).made
    assert np.isnan(made.column("x0")).all()
    assert (made.column("x1") <= 5).all()


def test_equal_rows_give_that_row_and_large_numbers_stay_finite():
    X = np.array([[0.1, 1e308], [0.1, -1e308]] + [[0.0, 0.0]] * 9)
    new = SMOTE(n_neighbors=1).fit_resample(X, np.repeat(["yes", "no"], [2, 9]))[0][11:]
    assert np.all(new[:, 0] == 0.1)
    assert np.all(np.isfinite(new))


def test_threads_and_seed():
    table = mixed_table(rare=30, common=300)
    with threads.limited(1):
        one = SMOTE(random_state=7).sample(table).made
    two, other = SMOTE(random_state=7).sample(table).made, SMOTE(random_state=8).sample(table).made
    for name in table.schema.names:
        assert np.array_equal(one.column(name), two.column(name))
    assert not np.array_equal(one.column("x0"), other.column("x0"))


def test_rows_of_more_weight_are_taken_more_often():
    X, y = np.array([[0.0], [1.0], [100.0], [101.0]] + [[5.0]] * 404), np.repeat(["rare", "common"], [4, 404])
    weights = np.ones(408)
    weights[2:4] = 3
    made = SMOTE(n_neighbors=1).sample(from_xy(X, y).with_weights(weights)).made
    assert abs(np.mean(made.column("x0") > 50) - 0.75) < 0.09


def test_border_takes_rows_whose_neighbours_are_mostly_but_not_all_of_other_classes():
    # Rare rows at 0, 1 … 9 (safe), at 100 (noise), and at 20, 21 … 24 among common rows (the border).
    rare = [*range(10), 100, *range(20, 25)]
    common = [*np.arange(19.5, 26.5, 0.5) + 0.2, *np.arange(95, 105, 0.7)]
    X = np.array([*rare, *common], float)[:, None]
    y = np.repeat(["rare", "common"], [len(rare), len(common)])
    sample = SMOTE(border=True, n_neighbors=2).sample(from_xy(X, y))
    assert set(X[sample.origin, 0]) == {20, 21, 22, 23, 24}
    assert sample.made_rows == len(common) - len(rare)
    apart = np.array([*range(12), *range(1000, 1030)], float)[:, None]
    said = SMOTE(border=True).sample(from_xy(apart, np.repeat(["rare", "common"], [12, 30]))).notes
    assert said[0].startswith("No row of the class rare lies at the border")


def test_making_rows_up_takes_less_memory_than_twice_the_table() -> None:
    """Columns of missing cells were once made for all new rows, and thrown away."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(20_000, 20)), rng.integers(0, 8, (20_000, 10))])
    table = from_xy(X, np.arange(20_000) < 200, nominal=list(range(20, 30)))
    own = sum(table.column(name).size * table.column(name).itemsize for name in table.schema.names)
    tracemalloc.start()
    SMOTE().sample(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * own
