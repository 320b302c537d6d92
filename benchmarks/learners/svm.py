"""Support vector machines: the time around LIBSVM; scikit-learn's own beside it."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.lines import HEADER, best_of, line
from crake import SVMClassifier

ROWS, COLUMNS = 5000, 20


def main() -> None:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(ROWS, COLUMNS)) * np.arange(1, COLUMNS + 1)
    y = (X[:, 0] + 0.1 * X[:, 5] + 0.3 * generator.normal(size=ROWS) > 0).astype(int)
    print(HEADER)
    for kernel in ("linear", "rbf"):
        _fit(X, y, kernel)
        _predict(X, y, kernel)
    _fit(X, y + (X[:, 1] > 2), "rbf")
    _platt(X, y)
    _plane()


def _plane() -> None:
    """A linear kernel on 50,000 rows: the time and the objective beside LIBSVM's at its default tolerance."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50_000, 20)) @ (np.eye(20) + 0.3 * generator.normal(size=(20, 20)))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    chance = 1 / (1 + np.exp(-1.5 * (X @ generator.normal(size=20) + 0.4)))
    y = np.where(generator.random(50_000) < chance, 1, -1)
    ours, peer = SVMClassifier(scale=False, probability="votes"), SVC(kernel="linear", cache_size=500)
    for each in (ours, peer):
        each.fit(X[:2000], y[:2000])  # what the first fit loads is not timed
    crake, sklearn = best_of(1, lambda: ours.fit(X, y), lambda: peer.fit(X, y))
    print(line("fit, 50k × 20, linear, 2 classes, SVC", crake, sklearn, sklearn / crake, "≥ 20×"))
    excess = _objective(X, y, ours) / _objective(X, y, peer) - 1
    print(f"{'its objective over that of SVC, less 1':58} | {excess:9.1e} | ≤ 1e-6")


def _objective(X: np.ndarray, y: np.ndarray, model: SVMClassifier | SVC) -> float:
    w, b = model.coef_[0], float(model.intercept_[0])
    return float(0.5 * w @ w + np.maximum(0, 1 - y * (X @ w + b)).sum())


def _fit(X: np.ndarray, y: np.ndarray, kernel: str) -> None:
    ours = SVMClassifier(kernel, probability="votes")
    peer = SVC(kernel=kernel)
    crake, sklearn = best_of(3, lambda: ours.fit(X, y), lambda: peer.fit(StandardScaler().fit_transform(X), y))
    assert np.array_equal(ours.predict(X), peer.predict(StandardScaler().fit_transform(X))) or kernel == "linear"
    classes = len(np.unique(y))
    print(line(f"fit, 5k × 20, {kernel}, {classes} classes, SVC", crake, sklearn, crake / sklearn, "≤ 1.1×"))


def _predict(X: np.ndarray, y: np.ndarray, kernel: str) -> None:
    ours, peer = SVMClassifier(kernel, probability="votes").fit(X, y), SVC(kernel=kernel)
    scaler = StandardScaler().fit(X)
    peer.fit(scaler.transform(X), y)
    crake, sklearn = best_of(3, lambda: ours.predict(X), lambda: peer.predict(scaler.transform(X)))
    print(line(f"predict 5k, {kernel}, SVC", crake, sklearn, crake / sklearn, "≤ 1.1×"))


def _platt(X: np.ndarray, y: np.ndarray) -> None:
    ours = SVMClassifier("rbf")
    peer = CalibratedClassifierCV(SVC(kernel="rbf"), ensemble=False)
    crake, sklearn = best_of(2, lambda: ours.fit(X, y), lambda: peer.fit(StandardScaler().fit_transform(X), y))
    print(line("fit with probabilities, rbf, CalibratedClassifierCV", crake, sklearn, crake / sklearn, "≤ 1.1×"))


if __name__ == "__main__":
    main()
