"""TAN, AODE and words, in processor time: beside naive Bayes, their own fit, and scikit-learn's vectoriser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from benchmarks.lines import HEADER, line
from crake import (
    AODEClassifier,
    AveragedNaiveBayesClassifier,
    CrossValidation,
    NaiveBayesClassifier,
    Table,
    TANClassifier,
    TextBayesClassifier,
    evaluate,
)
from crake.table.convert.frames import from_frame, from_xy

COLUMNS, LEVELS = 20, 5
DOCUMENTS, WORDS, LENGTH = 50_000, 20_000, 15


def main() -> None:
    print(HEADER)
    _pairs()
    _words()


def _pairs() -> None:
    large, small = _table(1_000_000), _table(100_000)
    naive, tan = _best(3, lambda: NaiveBayesClassifier().fit(large), lambda: TANClassifier().fit(large))
    print(line("TAN fit, 1M × 20 nominal; peer: naive Bayes fit", tan, naive, tan / naive, "≤ 15×"))
    for learner in (AODEClassifier(), TANClassifier(), AveragedNaiveBayesClassifier()):
        _cross_validation(learner, small)


def _cross_validation(learner: Any, table: Table, what: str = "100k × 20") -> None:
    plan = CrossValidation(10)
    together, folds = _best(
        3, lambda: learner.fit(table).predict_proba(table), lambda: evaluate(learner, table, plan=plan).out_of_fold
    )
    name = f"{type(learner).__name__}, ten folds of {what}; peer: fit + predict"
    print(line(name, folds, together, folds / together, "≤ 2×"))


def _words() -> None:
    """Made texts: words by Zipf's law, classes that use some of them more often."""
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, DOCUMENTS)
    codes = generator.zipf(1.3, (DOCUMENTS, LENGTH)) % WORDS + 3 * y[:, None]
    texts = [" ".join(f"w{code}," for code in row) for row in codes.tolist()]

    def ours() -> Any:
        return TextBayesClassifier(min_letters=2).fit(texts, y).predict(texts)

    def theirs() -> Any:
        vectorizer = CountVectorizer()
        model = MultinomialNB().fit(vectorizer.fit_transform(texts), y)
        return model.predict(vectorizer.transform(texts))

    assert np.array_equal(ours(), theirs())
    crake, peer = _best(3, ours, theirs)
    print(line("text fit + predict, 50k documents, MultinomialNB", crake, peer, peer / crake, "≥ 5× faster"))
    table = from_frame(pa.table({"mail": texts, "kind": y.astype(str)}), target="kind", text=["mail"])
    _cross_validation(TextBayesClassifier(min_letters=2), table, "50k documents")


def _table(rows: int) -> Table:
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, rows)
    X = (
        generator.integers(0, LEVELS, (rows, COLUMNS)) + y[:, None] * (generator.random((rows, COLUMNS)) < 0.2)
    ) % LEVELS
    table = from_xy(X, y, nominal="all")
    next(table.batches())  # the codes lie side by side once, for all
    return table


def _best(times: int, *works: Callable[[], object]) -> list[float]:
    """The least processor seconds of each, run in turn."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for spent, work in zip(seconds, works, strict=True):
            start = time.process_time()
            work()
            spent.append(time.process_time() - start)
    return [min(spent) for spent in seconds]
