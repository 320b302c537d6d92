"""A fit that fails, or is interrupted, leaves a model as it was: never fitted by half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import crake
from crake.errors import CrakeError
from crake.learners.svm import foreseen
from crake.table.table import Table

X = np.random.default_rng(1).normal(size=(40, 2))
LEARNERS = (
    crake.NaiveBayesClassifier(),
    crake.SVMClassifier(probability="votes"),
    crake.MaintainedTree(),
    crake.CARTClassifier(),
    crake.BoostedTreesClassifier(2, min_samples_leaf=3),
    crake.CombinerTreeClassifier(crake.OneRuleClassifier(), n_partitions=2),
    crake.WithCutoff(crake.OneRuleClassifier(), positive="yes", plan=crake.CrossValidation(2)),
    crake.Balanced(LogisticRegression(), crake.Oversample()),
    crake.Discretizer("mdl"),
    crake.Select("chi-square", k=1),
    crake.CARTRegressor(),
    crake.LinearRegressor(),
    crake.BoostedTreesRegressor(2, min_samples_leaf=3),
)
SCANNED = (
    crake.CARTClassifier(),
    crake.BoostedTreesClassifier(2),
    crake.BoostedTreesRegressor(2),
    crake.LinearRegressor(),
)


def target_of(learner: Any, rows: Any) -> Any:
    is_number = isinstance(learner, crake.CARTRegressor | crake.LinearRegressor | crake.BoostedTreesRegressor)
    return rows[:, 0] * 2 if is_number else np.where(rows[:, 0] > 0, "yes", "no")


def interrupt(model: Any, arguments: tuple[Any, ...], at: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Fit a model and interrupt it at this attribute that it sets; return whether it sets so many."""
    seen = []

    def noted(self: Any, name: str, value: Any) -> None:
        if self is model:
            seen.append(name)
            if len(seen) == at:
                raise KeyboardInterrupt
        object.__setattr__(self, name, value)

    with monkeypatch.context() as patched:
        patched.setattr(type(model), "__setattr__", noted, raising=False)
        try:
            model.fit(*arguments)
        except KeyboardInterrupt:
            return True
    return False


def assert_kept(learner: Any, first: tuple[Any, ...], second: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    at = 1
    while True:
        new, fitted = clone(learner), clone(learner).fit(*first)
        before = dict(vars(fitted)), dict(vars(new))
        if not interrupt(fitted, second, at, monkeypatch):
            break
        assert interrupt(new, second, at, monkeypatch)
        for model, own in zip((fitted, new), before, strict=True):
            assert {name: vars(model)[name] is value for name, value in own.items()} == dict.fromkeys(vars(model), True)
        at += 1
    assert at > 3


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_an_interrupted_fit_changes_nothing(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    others = np.column_stack([X[::-1], X[:, 0] ** 2])
    assert_kept(learner, (X, target_of(learner, X)), (others, target_of(learner, others)), monkeypatch)


@pytest.mark.parametrize("learner", SCANNED, ids=repr)
def test_an_interrupted_fit_of_a_scan_changes_nothing(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan(rows: Any) -> Table:
        columns = {f"x{j}": rows[:, j] for j in range(rows.shape[1])}
        target = target_of(learner, rows)
        path = tmp_path / f"{rows.shape[1]}.parquet"
        pq.write_table(pa.table({**columns, "y": target}), path)
        return crake.read(path, "y", numeric=[] if target.dtype.kind == "U" else ["y"], in_memory=False)

    assert_kept(learner, (scan(X),), (scan(np.column_stack([X, X])),), monkeypatch)


def test_a_refused_fit_leaves_no_machine_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    y = target_of(None, X)
    model, new = crake.SVMClassifier().fit(X, y), crake.SVMClassifier()
    before = model.predict_proba(X)
    monkeypatch.setattr(foreseen, "EACH_SECOND", 1e-9)
    for each in (model, new):
        with pytest.raises(CrakeError, match="would take about"):
            each.fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert vars(new) == vars(crake.SVMClassifier())
