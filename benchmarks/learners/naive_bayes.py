"""Naive Bayes on a million rows of twenty columns: fit, cross-validation, leave-one-out; scikit-learn beside it."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks.lines import HEADER, best_of, line
from crake import CrossValidation, LeaveOneOut, NaiveBayesClassifier, evaluate

ROWS, COLUMNS = 1_000_000, 20


def main() -> None:
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, ROWS)
    nominal = generator.integers(0, 10, (ROWS, COLUMNS))
    numeric = generator.normal(size=(ROWS, COLUMNS)) + 0.1 * y[:, None]
    print(HEADER)
    _nominal_fit(nominal, y)
    _gaussian_fit(numeric, y)
    _cross_validation(numeric, y)
    _leave_one_out(nominal, y)


def _nominal_fit(X: np.ndarray, y: np.ndarray) -> None:
    ours, peer = NaiveBayesClassifier(nominal="all"), CategoricalNB()
    ours.fit(X, y)
    crake, sklearn = best_of(5, lambda: ours.fit(X, y), lambda: peer.fit(X, y))
    assert np.allclose(ours.predict_proba(X[:1000]), peer.predict_proba(X[:1000]), rtol=1e-9)
    print(line("fit, 1M × 20 nominal (int64 array), CategoricalNB", crake, sklearn, sklearn / crake, "≥ 5× faster"))


def _gaussian_fit(X: np.ndarray, y: np.ndarray) -> None:
    ours, peer = NaiveBayesClassifier(), GaussianNB()
    ours.fit(X, y)
    crake, sklearn = best_of(5, lambda: ours.fit(X, y), lambda: peer.fit(X, y))
    assert np.allclose(ours.predict_proba(X[:1000]), peer.predict_proba(X[:1000]), atol=1e-5)
    print(line("fit, 1M × 20 float64, GaussianNB", crake, sklearn, sklearn / crake, "≥ 3× faster"))


def _cross_validation(X: np.ndarray, y: np.ndarray) -> None:
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    crake, sklearn = best_of(
        2,
        lambda: evaluate(NaiveBayesClassifier(), X, y, plan=CrossValidation(10)).out_of_fold,
        lambda: cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba"),
    )
    print(line("10-fold probabilities, 1M × 20, cross_val_predict", crake, sklearn, sklearn / crake, "≥ 10× faster"))


def _leave_one_out(X: np.ndarray, y: np.ndarray) -> None:
    learner = NaiveBayesClassifier(nominal="all")
    together, exact = best_of(
        3,
        lambda: learner.fit(X, y).predict_proba(X),
        lambda: evaluate(learner, X, y, plan=LeaveOneOut()).out_of_fold,
    )
    print(line("leave-one-out, exact, 1M × 20 nominal, own fit + predict", exact, together, exact / together, "≤ 1.5×"))
