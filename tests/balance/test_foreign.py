"""Samplers with imbalanced-learn's `fit_resample` in the place of crake's: rows by number, or rows made up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

import crake
from crake.balance.foreign import as_sampler
from crake.balance.prior import corrected
from crake.errors import CrakeError
from crake.learners.registry import title_of

TABLE = crake.read(
    pa.table({"size": np.arange(12.0), "class": ["no"] * 9 + ["yes"] * 3}), target="class"
)  # fmt: skip
MIXED = crake.read(
    pa.table({"size": np.arange(12.0), "wind": list("ab") * 6, "class": ["no"] * 9 + ["yes"] * 3}), target="class"
)


class Chosen(BaseEstimator):
    """As imbalanced-learn's undersamplers: it names the rows that it keeps."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit_resample(self, X: Any, y: Any) -> Any:
        self.sample_indices_ = np.array([self.random_state, 10, 11])
        return X[self.sample_indices_], y[self.sample_indices_]


class Doubled(BaseEstimator):
    """As imbalanced-learn's oversamplers: all rows, then new ones, here those of the last row moved by a half."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        if hasattr(X, "iloc"):
            import pandas as pd  # noqa: PLC0415

            return pd.concat([X, X.tail(1)], ignore_index=True), np.append(y, y[-1])
        return np.vstack([X, X[-1:] + 0.5]), np.append(y, y[-1])


class Shaken(BaseEstimator):
    """As imbalanced-learn's RandomOverSampler(shrinkage=...): it names copied rows, and moves the copies."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        self.sample_indices_ = np.r_[0 : len(X), 11]
        return np.vstack([X, X[11:] + 0.25]), y[self.sample_indices_]


class Plain:
    """An object without parameters."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        return np.vstack([X, X[-1:] + 0.5]), np.append(y, y[-1])


def test_copies_that_were_moved_are_made_up() -> None:
    sample = as_sampler(Shaken()).sample(TABLE)
    assert sample.made is not None
    assert sample.made.column("size").tolist() == [11.25]


def test_an_object_that_has_fit_resample_alone() -> None:
    model = crake.Balanced(crake.C45Classifier(), Plain(), random_state=4).fit(TABLE)
    assert model.balance_.made.tolist() == [0, 1]


def test_rows_by_number_and_another_seed() -> None:
    assert as_sampler(Chosen()).sample(TABLE).rows.tolist() == [0, 10, 11]
    model = crake.Balanced(crake.C45Classifier(), Chosen(), random_state=4).fit(TABLE)
    assert model.balance_.rows_after.tolist() == [1, 2]
    assert title_of(model) == "C4.5, balanced by Chosen"


@pytest.mark.parametrize(("table", "last"), [(TABLE, 11.5), (MIXED, 11.0)])
def test_rows_that_follow_are_made_up(table: crake.Table, last: float) -> None:
    sample = as_sampler(Doubled()).sample(table)
    assert sample.rows.tolist() == list(range(12))
    assert sample.made is not None
    assert sample.made.column("size").tolist() == [last]
    assert table.labels(sample.made.target) == ["yes"]


def test_what_does_not_resample_is_refused() -> None:
    with pytest.raises(CrakeError, match=r"make one of the class, as in Undersample\(\)"):
        as_sampler(crake.Undersample)
    with pytest.raises(CrakeError, match="imbalanced-learn's fit_resample, got 5"):
        as_sampler(5)


def test_the_rows_that_a_foreign_sampler_makes_up_are_judged() -> None:
    columns = {"size": np.arange(60.0), "class": ["no"] * 40 + ["yes"] * 20}
    table = crake.read(pa.table(columns), target="class")
    study = crake.made_up_quality(Doubled(), table, learner="majority", plan=crake.CrossValidation(2))
    assert study.sampler == "Doubled"
    assert "SMOTE" in dict(study.learned_from)


class Sparse(BaseEstimator):
    """As imbalanced-learn's SMOTE with a sparse X: all rows, then new ones that are sparse, too."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        return scipy.sparse.vstack([X, X[[-1] * 6] * 1.5]).tocsr(), np.append(y, [y[-1]] * 6)


class SparseChosen(BaseEstimator):
    """As imbalanced-learn's RandomUnderSampler with a sparse X."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        self.sample_indices_ = np.r_[0:3, 9:12]
        return X[self.sample_indices_], y[self.sample_indices_]


def test_sparse_rows_go_to_the_sampler_as_they_are() -> None:
    X, y = scipy.sparse.csr_matrix(np.arange(1.0, 13.0)[:, None]), np.array(["no"] * 9 + ["yes"] * 3)
    model = crake.Balanced(LogisticRegression(), Sparse()).fit(X, y)
    balance = model.balance_
    assert (balance.rows_after.tolist(), balance.made.tolist()) == ([9, 9], [0, 6])
    alone = LogisticRegression().fit(*Sparse().fit_resample(X, y))
    np.testing.assert_allclose(model.estimator_.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(X), corrected(alone.predict_proba(X), np.array([1.5, 0.5])))
    weights = np.arange(1.0, 13.0)
    chosen = crake.Balanced(LogisticRegression(), SparseChosen()).fit(X, y, sample_weight=weights)
    assert chosen.balance_.weight_after.tolist() == [6.0, 33.0]
    with pytest.raises(CrakeError, match="Sparse makes up rows of a sparse X without weights; leave sample_weight out"):
        crake.Balanced(LogisticRegression(), Sparse()).fit(X, y, sample_weight=weights)
    with pytest.raises(CrakeError, match=r"SMOTE makes rows up .* got a sparse X; expected X.toarray\(\), a sampler"):
        crake.Balanced(LogisticRegression(), crake.SMOTE()).fit(X, y)
