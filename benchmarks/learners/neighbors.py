"""Nearest neighbours of mixed tables, 20k rows × 20k new ones × 20 columns; one-hot + scikit-learn beside."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from benchmarks.lines import HEADER, best_of, line
from crake import NeighborsClassifier

ROWS, NUMBERS, NAMES, LEVELS = 20_000, 10, 10, 10


def main() -> None:
    generator = np.random.default_rng(1)
    X, Q = _mixed(generator), _mixed(generator)
    y = generator.integers(0, 3, ROWS)
    print(HEADER)
    _mixed_search(X, y, Q)
    _leave_one_out(X, y)
    _numbers(generator, 3)
    _numbers(generator, 15)


def _mixed(generator: np.random.Generator) -> np.ndarray:
    """Numbers, then names as whole numbers."""
    numbers = generator.random((ROWS, NUMBERS))
    return np.hstack([numbers, generator.integers(0, LEVELS, (ROWS, NAMES))])


def _mixed_search(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> None:
    ours = NeighborsClassifier(5, nominal=list(range(NUMBERS, NUMBERS + NAMES)), ties="first").fit(X, y)
    scaler, encoder = MinMaxScaler().fit(X[:, :NUMBERS]), OneHotEncoder(sparse_output=False).fit(X[:, NUMBERS:])

    def encoded(some: np.ndarray) -> np.ndarray:
        names = encoder.transform(some[:, NUMBERS:]) * np.sqrt(0.5)
        return np.hstack([scaler.transform(some[:, :NUMBERS]), names])

    peer = KNeighborsClassifier(5, algorithm="brute").fit(encoded(X), y)
    assert np.mean(ours.predict(Q[:500]) == peer.predict(encoded(Q[:500]))) > 0.99
    crake, sklearn = best_of(3, lambda: ours.predict_proba(Q), lambda: peer.predict_proba(encoded(Q)))
    print(line("predict, 20k × 20k, 10 numbers + 10 names of 10 levels", crake, sklearn, sklearn / crake, "not slower"))


def _leave_one_out(X: np.ndarray, y: np.ndarray) -> None:
    names = list(range(NUMBERS, NUMBERS + NAMES))
    model = NeighborsClassifier(30, nominal=names).fit(X, y)
    chosen, search = best_of(
        2, lambda: NeighborsClassifier("auto", nominal=names).fit(X, y), lambda: model.predict_proba(X)
    )
    print(line("k of 1 … 30 by leave-one-out, own search for 30", chosen, search, chosen / search, "about one search"))


def _numbers(generator: np.random.Generator, columns: int) -> None:
    X, Q = generator.normal(size=(ROWS, columns)), generator.normal(size=(ROWS, columns))
    y = generator.integers(0, 3, ROWS)
    ours, peer = NeighborsClassifier(5, scale=None).fit(X, y), KNeighborsClassifier(5, n_jobs=-1).fit(X, y)
    assert np.array_equal(ours.predict(Q[:500]), peer.predict(Q[:500]))
    crake, sklearn = best_of(3, lambda: ours.predict_proba(Q), lambda: peer.predict_proba(Q))
    print(line(f"predict, 20k × 20k, {columns} numbers, its own choice of search", crake, sklearn, sklearn / crake, ""))


if __name__ == "__main__":
    main()
