"""crake against slow twins written from WEKA's rules, on small tables that no stored result covers.

Missing values, classes and levels without rows, constant and unknown columns, weights, values at a half or a midpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.weka import plain_naive_bayes, plain_one_rule
from tests.weka.reference import SCHEMES

import crake

CLASSES = 3


@dataclass(frozen=True)
class Small:
    """Rows of codes and numbers; `levels` are the declared values of each column, 0 for numeric ones."""

    rows: list[list[float | None]]
    labels: list[int]
    weights: list[int]
    levels: list[int]
    tested: list[list[float | None]]

    @property
    def table(self) -> crake.Table:
        return self._table(self.rows, self.labels)

    @property
    def tested_table(self) -> crake.Table:
        return self._table(self.tested, [0] * len(self.tested))

    def _table(self, rows: list[list[float | None]], labels: list[int]) -> crake.Table:
        columns: dict[str, Any] = {
            f"x{j}": _categories([row[j] for row in rows], count)
            if count
            else np.array([row[j] for row in rows], dtype=float)
            for j, count in enumerate(self.levels)
        }
        return crake.read(pd.DataFrame(columns | {"y": _categories(labels, CLASSES)}), target="y")


def _categories(codes: list[Any], count: int) -> pd.Categorical:
    return pd.Categorical.from_codes([-1 if code is None else int(code) for code in codes], [*"abcde"[:count]])


@st.composite
def small_tables(draw: st.DrawFn) -> Small:
    levels = draw(st.lists(st.sampled_from([0, 0, 2, 4]), min_size=1, max_size=3))
    # Tenths and halves: many midpoints and multiples that are not exact in binary.
    number = st.integers(-40, 40).map(lambda i: i / 10) | st.integers(0, 6).map(float)
    cells = st.tuples(*(st.none() | (st.integers(0, count - 1).map(float) if count else number) for count in levels))
    rows = draw(st.lists(cells.map(list), min_size=2, max_size=25))
    labels = draw(st.lists(st.sampled_from([0, 1, 1, 2]), min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    return Small(rows, labels, weights, levels, draw(st.lists(cells.map(list), min_size=1, max_size=6)))


@settings(max_examples=80, deadline=None)
@given(small=small_tables())
def test_naive_bayes(small: Small) -> None:
    model = clone(SCHEMES["NaiveBayes"]).fit(small.table, sample_weight=np.array(small.weights, dtype=float))
    expected = plain_naive_bayes.posteriors(
        small.rows, small.labels, small.weights, small.levels, CLASSES, small.tested
    )
    assert model.predict_proba(small.tested_table) == pytest.approx(np.array(expected), abs=1e-9)


@settings(max_examples=80, deadline=None)
@example(small=Small([[None], [None]], [1, 1], [1, 1], [0], [[0.0]]), bucket=1)
@given(small=small_tables(), bucket=st.integers(1, 6))
def test_one_rule(small: Small, bucket: int) -> None:
    model = clone(SCHEMES["OneR"]).set_params(min_bucket=bucket).fit(small.table)
    rules = [
        plain_one_rule.Rule([row[j] for row in small.rows], small.labels, count, CLASSES, bucket)
        for j, count in enumerate(small.levels)
    ]
    chosen = plain_one_rule.best(rules)
    assert model.attribute_ == f"x{chosen}"
    assert model.rule_.cuts.tolist() == (rules[chosen].cuts or [])
    answers = model.predict_proba(small.tested_table).argmax(axis=1)
    assert answers.tolist() == [rules[chosen].answer(row[chosen]) for row in small.tested]


def test_a_value_at_the_midpoint_is_above_the_cut() -> None:
    """(0.6 + 1.8)/2 is 1.2, and `< 1.2` is below; 0.6 + (1.8 − 0.6)/2 would be a bit more than 1.2."""
    model = crake.OneRuleClassifier(min_bucket=1).fit([[0.6], [1.8]], ["low", "high"])
    assert model.rule_.cuts.tolist() == [1.2]
    assert model.predict([[1.2]]).tolist() == ["high"]


def test_far_above_a_mean_counts_the_floor_and_far_below_does_not() -> None:
    """Φ is 1 from 8.3 standard deviations on, so the difference of two is 0; WEKA's tails are not alike."""
    values = np.repeat([[-1.0], [0.0], [1.0]], 5, axis=0)
    X, y = np.vstack([values, [[50.0]]]), ["near"] * 15 + ["far"]
    model = clone(SCHEMES["NaiveBayes"]).set_params(precision=1.0).fit(X, y)
    far, near = model.predict_proba([[-10.0]])[0]
    assert (model.classes_.tolist(), near) == (["far", "near"], pytest.approx(1))
    # Both classes get the floor, so only the priors (1 + 1)/(16 + 2) and (15 + 1)/(16 + 2) are left.
    assert model.predict_proba([[10.0]])[0] == pytest.approx([2 / 18, 16 / 18])
    assert far < 1e-30
