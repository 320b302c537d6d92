"""Sweeps and searches over what a learner makes of the same statistics: one gathering beside one for every value."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import crake
from benchmarks.lines import HEADER, best_of, line
from crake.evaluation.studies.sweeps import sweep
from crake.table.convert.frames import from_xy

ALPHAS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
SHARES = [0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.9]


def main() -> None:
    generator = np.random.default_rng(1)
    print(HEADER)
    y = generator.integers(0, 2, 100_000)
    codes = (generator.random((100_000, 20)) * 6 + y[:, None] * generator.random(20)).astype(np.int64)
    values = generator.normal(size=(100_000, 20)) + 0.2 * y[:, None]
    nominal = from_xy(codes, y, nominal="all")
    numeric = from_xy(values, y)
    plan = crake.CrossValidation(10)
    for name, table, parameter, tried in (
        ("20 nominal, 8 alphas", nominal, "alpha", ALPHAS),
        ("20 numeric, 8 values", numeric, "min_variance", SHARES),
    ):
        _sweep(f"sweep, 100k x {name}", table, parameter, tried, plan)
    folds = [(train, test) for train, test in crake.CrossValidation(5).assign(y, [0, 1]).splits()]
    _search("search, 100k x 20 nominal, 8 alphas", nominal, codes, y, folds, CategoricalNB(), "alpha", ALPHAS)
    shares = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
    _search("search, 100k x 20 numeric, 8 values", numeric, values, y, folds, GaussianNB(), "var_smoothing", shares)


def _sweep(work: str, table: crake.Table, parameter: str, tried: list[float], plan: crake.CrossValidation) -> None:
    def shared() -> None:
        sweep("naive-bayes", table, parameter=parameter, values=tried, plan=plan)

    def each() -> None:
        for value in tried:
            assert crake.evaluate(crake.NaiveBayesClassifier(**{parameter: value}), table, plan=plan).accuracy.value

    def refitted() -> None:
        assignment = plan.assign(table.target, table.schema.classes)
        for value in tried:
            for train, test in assignment.splits():
                crake.NaiveBayesClassifier(**{parameter: value}).fit(table.take(train)).probabilities(table, test)

    shared()
    ours, passes, refits = best_of(3, shared, each, refitted)
    print(line(f"{work}; one pass each", ours, passes, passes / ours, ""))
    print(line(f"{work}; refitting", ours, refits, refits / ours, ""))


def _search(
    work: str,
    table: crake.Table,
    X: object,
    y: object,
    folds: list[object],
    peer: object,
    name: str,
    tried: list[float],
) -> None:
    own = name if name == "alpha" else "min_variance"
    grid = {own: tried}
    search = crake.Tuned(crake.NaiveBayesClassifier(), grid)
    theirs = GridSearchCV(peer, {name: tried}, cv=folds)
    ours, peers = best_of(2, lambda: search.fit(table), lambda: theirs.fit(X, y))
    print(line(f"{work}; GridSearchCV", ours, peers, peers / ours, ""))


if __name__ == "__main__":
    main()
