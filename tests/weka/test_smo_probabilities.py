"""SMO -M: a logistic regression of each machine's decisions on the rows that it was fitted to, pairs coupled.

Put together from crake's parts (decisions, a ridge of 1e-8), this gives WEKA's probabilities as far as both find the
same machines: WEKA's are within 0.001 of optimal, and where classes are nearly separated a decision that is 0.001
larger is a probability that is several hundredths larger. crake's own probability="platt" is another thing: its
sigmoids are fitted to decisions on rows that the machine has not seen.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, Floats, predictions, stored

import crake

pytestmark = pytest.mark.skipif(not SETS, reason=ABSENT)

WITHIN = {"breast-cancer": (0.01, 0.04), "diabetes": (0.001, 0.006), "iris": (0.005, 0.005), "labor": (0.004, 0.04),
          "vote": (0.001, 0.006)}  # fmt: skip
"""The largest difference of a probability: fitted to all rows, and on the folds."""
HALF_WITHIN = {"contact-lenses": 0.004, "glass": 0.015, "hypothyroid": 0.005, "weather.nominal": 0.004,
               "weather.numeric": 0.001}  # fmt: skip
"""Where some margin can be moved with little loss: the median difference, fitted to all rows."""


def machines_of(train: crake.Table) -> crake.SVMClassifier:
    """WEKA's optimiser and LIBSVM are of one kind: where several machines are as good, they mostly end at the same."""
    return crake.SVMClassifier(scale="range", missing="mean", probability="votes", solver="libsvm", tol=1e-5).fit(train)


def with_logistic(train: crake.Table, test: crake.Table) -> Floats:
    """The probabilities of the rows of `test`."""
    model = machines_of(train)
    learned, asked = (model.machines_.decisions(model.features_.points(table)) for table in (train, test))
    K = len(model.present_)
    r, rows_of = np.zeros((len(test), K, K)), np.zeros((K, K))
    for at, (i, j) in enumerate(model.machines_.pairs):
        rows = np.flatnonzero(np.isin(train.target, model.present_[[i, j]]))
        is_later = (train.target[rows] == model.present_[j]).astype(int)
        sigmoid = crake.LogisticClassifier("ridge", strength=1e-8).fit(learned[rows][:, [at]], is_later)
        r[:, i, j], r[:, j, i] = sigmoid.predict_proba(asked[:, [at]]).T
        rows_of[i, j] = rows_of[j, i] = len(rows)
    full = np.zeros((len(test), len(model.classes_)))
    full[:, model.present_] = r[:, [0, 1], [1, 0]] if K == 2 else hastie_tibshirani(r, rows_of)
    return full


def hastie_tibshirani(r: Floats, rows_of: Floats) -> Floats:
    """p_i ← p_i·Σ_j n_ij·r_ij / Σ_j n_ij·p_i/(p_i + p_j), until nothing changes.

    Hastie and Tibshirani (1998), Classification by pairwise coupling.
    """
    p = np.full(r.shape[:2], 1 / r.shape[1])
    for _ in range(1000):
        expected = p[:, :, None] / (p[:, :, None] + p[:, None, :])
        moved = p * (rows_of * r).sum(axis=2) / (rows_of * expected).sum(axis=2)
        moved /= moved.sum(axis=1, keepdims=True)
        if np.abs(moved - p).max() < 1e-6:
            break
        p = moved
    return moved


def its(name: str, part: str) -> Floats:
    return predictions(WEKA / f"{name}.{part}.csv.gz", ["SMO-M"])["SMO-M"]


@pytest.mark.parametrize("name", [name for name in WITHIN if name in SETS])
def test_smo_probabilities_every_row(name: str) -> None:
    reference = stored(name)
    training, folds = WITHIN[name]
    assert np.abs(with_logistic(reference.table, reference.table) - its(name, "full")).max() < training
    found = np.zeros_like(its(name, "cv"))
    for fold in np.unique(reference.fold):
        train, test = np.flatnonzero(reference.fold != fold), np.flatnonzero(reference.fold == fold)
        found[test] = with_logistic(reference.table.take(train), reference.table.take(test))
    assert np.abs(found - its(name, "cv")).max() < folds
    assert (found.argmax(axis=1) == its(name, "cv").argmax(axis=1)).all()


@pytest.mark.parametrize("name", [name for name in HALF_WITHIN if name in SETS])
def test_most_rows_where_margins_can_be_moved(name: str) -> None:
    table = stored(name).table
    found, expected = with_logistic(table, table), its(name, "full")
    assert np.median(np.abs(found - expected).max(axis=1)) < HALF_WITHIN[name]
    assert np.sum(found.argmax(axis=1) != expected.argmax(axis=1)) <= max(2, len(table) // 500)


@pytest.mark.parametrize("name", [name for name in ("labor", "breast-cancer", "contact-lenses") if name in SETS])
def test_sigmoids_of_unseen_rows_have_a_smaller_log_loss(name: str) -> None:
    """Why crake does not do it WEKA's way: a machine is surer of the rows it was fitted to than of others."""
    reference = stored(name)
    own = np.arange(len(reference.table)), reference.table.target
    platt = crake.SVMClassifier(scale="range", missing="mean")
    found = crake.evaluate(platt, reference.table, plan=reference.plan).out_of_fold.probabilities
    assert -np.log(found[own]).mean() < -np.log(np.maximum(its(name, "cv")[own], 1e-12)).mean()
