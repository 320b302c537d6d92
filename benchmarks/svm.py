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
