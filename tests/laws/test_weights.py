"""Weight k = k copies, weight 0 = absent; bad weights are refused (fault 24)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.contract.estimators import READERS, VARIANTS, each_reading, title
from tests.laws.tables import Row, rows, table, tame

import crake
from crake.statistics import ClassCounts, ClassMoments, DistinctCounts, gather
from crake.statistics.samples import SampleCopies
from crake.table.convert.export import to_xy
from crake.table.convert.frames import from_frame

# Where rows lie in the middle of an SVM's margin, the last bit of a sum decides (`tests/learners/svm` has the law for
# others).
COPIES = [each for each in VARIANTS if not each._weight_exception() and not isinstance(each, crake.SVMClassifier)]
every_counting_copies = pytest.mark.parametrize("estimator", COPIES, ids=title)


def copies(some: list[Row]) -> list[Row]:
    return [(*row[:5], 1.0) for row in some for _ in range(int(row[5]))]


@every_counting_copies
@settings(max_examples=12)
@given(
    some=rows(tame, weights=st.integers(0, 3).map(float), lowest_class=-1).filter(
        lambda r: any(x[4] >= 0 < x[5] for x in r)
    )
)
def test_a_weight_is_a_number_of_copies(estimator: Any, some: list[Row]) -> None:
    weighted, copied = table(some), table(copies(some), weighted=False)
    one, other = clone(estimator).fit(weighted), clone(estimator).fit(copied)
    _assert_same_answers(one.predict_proba(weighted), other.predict_proba(weighted))


@pytest.mark.parametrize("estimator", each_reading(tuple(COPIES)), ids=title)
@settings(max_examples=12)
@given(some=rows(tame, weights=st.integers(0, 3).map(float)).filter(lambda r: any(x[5] > 0 for x in r)))
def test_weights_beside_x_and_y(estimator: Any, some: list[Row]) -> None:
    X, y = to_xy(table(some))
    # As text, so that the levels are those the rows have and not those of a dictionary.
    X = pa.table({c: X[c].cast(pa.string()) if c in ("colour", "wind") else X[c] for c in X.column_names})
    weights = np.array([row[5] for row in some])
    places = np.repeat(np.arange(len(some)), weights.astype(int))
    one = clone(estimator).fit(X, y, sample_weight=weights)
    other = clone(estimator).fit(X.take(places), y[places])
    np.testing.assert_array_equal(one.classes_, other.classes_)
    assert [c.levels for c in one.schema_.columns] == [c.levels for c in other.schema_.columns]
    _assert_same_answers(one.predict_proba(X), other.predict_proba(X))


def _assert_same_answers(one: np.ndarray, other: np.ndarray) -> None:
    """Counts agree to the last bit or two; the bits of a mean depend on the order of its sum."""
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@given(rows(tame, weights=st.integers(0, 3).map(float)).filter(lambda r: any(x[5] > 0 for x in r)))
def test_counts_of_weights_are_counts_of_copies_bit_for_bit(some: list[Row]) -> None:
    nominal = table(some).select(["colour", "wind", "label"])
    copied = table(copies(some), weighted=False).select(["colour", "wind", "label"])
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(), crake.MajorityClassifier()):
        one, other = clone(learner).fit(nominal), clone(learner).fit(copied)
        np.testing.assert_array_equal(one.predict_proba(nominal), other.predict_proba(nominal))


@pytest.mark.parametrize("estimator", READERS, ids=title)
@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, -1, 1], "row 1 has the weight -1"),
        ([1, 1, np.nan], "row 2 has the weight nan"),
        ([np.inf, 1, 1], "row 0 has the weight inf"),
        ([1e31, 1, 1], "at most 1e[+]30"),
        ([1, 1], r"shape \(2,\); expected one weight for each of 3 rows"),
        ([[1, 1, 1]], "expected one weight"),
        ([0, 0, 0], "every weight is zero"),
    ],
    ids=lambda x: str(x)[:20],
)
def test_bad_weights_are_refused(estimator: Any, weights: Any, said: str) -> None:
    with pytest.raises(crake.CrakeError, match=said):
        clone(estimator).fit([[1.0], [2.0], [3.0]], ["a", "b", "a"], sample_weight=weights)


def test_bad_weights_of_a_table_are_refused() -> None:
    some: list[Row] = [(0, 0, 1.0, 1.0, 0, 1.0), (1, 1, 2.0, 2.0, 1, -1.0)]
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(), crake.MajorityClassifier()):
        with pytest.raises(crake.CrakeError, match="row 1 has the weight -1"):
            learner.fit(table(some))


def test_a_tables_levels_stay_when_a_weight_is_zero() -> None:
    """Levels belong to the schema of a table: a row of weight 0 is absent, the value it had is not unknown."""
    some: list[Row] = [(0, 0, 1.0, 1.0, 0, 1.0), (1, 0, 1.0, 1.0, 1, 1.0), (2, 0, 1.0, 1.0, 1, 0.0)]
    one = crake.NaiveBayesClassifier().fit(table(some))
    other = crake.NaiveBayesClassifier().fit(table(some).take(np.array([0, 1])))
    np.testing.assert_array_equal(one.likelihood_[0], other.likelihood_[0])
    assert one.likelihood_[0].shape == (3, 3)


def test_rows_of_weight_zero_are_in_no_sample() -> None:
    random = np.random.default_rng(1)
    frame = pa.table({"x": random.integers(0, 9, 30).astype(float), "y": random.choice(["p", "q"], 30)})
    weights, members = random.integers(0, 2, 30).astype(float), random.integers(0, 3, (30, 4)).astype(np.uint8)
    held, kept = replace(from_frame(frame, target="y"), weights=weights), np.flatnonzero(weights)
    one, other = (
        gather(some, [ClassCounts, ClassMoments, DistinctCounts], samples=SampleCopies(copied))
        for some, copied in ((held, members), (held.take(kept), members[kept]))
    )
    (cells,), (expected,) = one.distinct_counts, other.distinct_counts
    for name in ("value", "group", "class_", "count", "missing"):
        assert getattr(cells, name).tolist() == getattr(expected, name).tolist()
    assert one.class_counts.counts.tolist() == other.class_counts.counts.tolist()
