"""Law: the order of the rows, and threads, do not change a bit of a tree's model file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import crake
from crake.kernels import threads

ROWS = 120
CLASSIFIERS = (
    crake.C45Classifier(),
    crake.C45Classifier(pruning=None, variant="j48", binary=True),
    crake.C45Classifier(pruning="mdl", class_weight="balanced"),
    crake.CARTClassifier(class_weight={"a": 0.3}),
    crake.CARTClassifier("entropy", missing="fractional", ccp_alpha=0.003),
    crake.CARTClassifier(missing="branch", max_leaf_nodes=9),
    crake.CARTClassifier(variant="simple-cart", missing="fractional"),
    crake.ID3Classifier(max_depth=3),
    crake.CHAIDClassifier(),
    crake.PARTClassifier(),
)
REGRESSORS = (
    crake.CARTRegressor(),
    crake.CARTRegressor(missing="fractional", ccp_alpha=0.01),
    crake.CARTRegressor(missing="branch", max_depth=4),
    crake.REPTreeRegressor(pruning=None),
)


@cache
def cells(classes: int, *, has_numbers: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows with gaps, ties and names, classes or numbers that follow them, and weights that are fractions."""
    draw = np.random.default_rng(classes)
    numbers, names = np.round(draw.normal(size=(ROWS, 3)), 1), draw.integers(0, 5, (ROWS, 2))
    score = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + (names[:, 0] == 2) + draw.normal(0, 0.3, ROWS)
    X = np.empty((ROWS, 5), object)
    X[:, :3], X[:, 3:] = numbers, np.array(list("rgbkw"))[names]
    X[draw.random(X.shape) < 0.08] = None
    if has_numbers:
        return X, score * np.exp(draw.normal(size=ROWS)), draw.random(ROWS) + 0.01
    cuts = np.linspace(-1, 1, classes - 1) if classes > 2 else [0.0]
    return X, np.array(list("abcd"))[np.digitize(score, cuts)], draw.random(ROWS) + 0.01


def file_of(learner: Any, rows: tuple[np.ndarray, ...], order: np.ndarray, folder: Path, *, is_weighted: bool) -> bytes:
    X, y, weights = rows
    model = clone(learner).fit(X[order], y[order], sample_weight=weights[order] if is_weighted else None)
    crake.save(model, folder / "model.crake")
    return (folder / "model.crake").read_bytes()


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=str)
def test_neither_order_nor_threads_change_a_bit(
    learner: Any, is_weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "SMALL", 1)
    has_numbers = any(learner is each for each in REGRESSORS)
    for classes in (2,) if has_numbers else (2, 4):
        files, rows = set(), cells(classes, has_numbers=has_numbers)
        for seed, count in ((None, 1), (1, 1), (2, 3)):
            order = np.arange(ROWS) if seed is None else np.random.default_rng(seed).permutation(ROWS)
            with threads.limited(count):
                files.add(file_of(learner, rows, order, tmp_path, is_weighted=is_weighted))
        assert len(files) == 1
