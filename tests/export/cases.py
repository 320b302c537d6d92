"""Models of every learner, and awkward rows: gaps, new levels, −0.0, ties on thresholds, 1e308, empty names."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone
from tests.contract.estimators import CLASSIFIERS, REGRESSORS, VARIANTS

import crake
from crake.errors import CrakeError

NUMBERS = ("size", 'a"b\nc')
NAMES = ("select", "it's \\ \N{SNOWMAN}")
LEVELS = (("red", "it's", "", 'say "no"'), ("x\\", "\N{SNOWMAN}*/\n//"))
CLASSES = ("no", "it's", 'a"\\')
LEFT_OUT = ("Tuned", "Calibrated", "WithCutoff", "Balanced")
"""Wrappers, which are fitted many times and have no form."""
THREE = (
    *(each for each in VARIANTS[: len(CLASSIFIERS)] if type(each).__name__ not in LEFT_OUT),
    crake.NaiveBayesClassifier(numeric="discretised"),
    crake.NaiveBayesClassifier(zero=0.01, floor=1e-75, ddof=0),
    crake.NaiveBayesClassifier(alpha=0),
    crake.CARTClassifier(missing="fractional", max_depth=4),
    crake.CARTClassifier(missing="branch", max_surrogates=2),
    crake.AdaBoostClassifier(crake.CARTClassifier(max_depth=2), n_estimators=3, variant="lecture"),
    crake.BaggingClassifier(n_estimators=3, voting="votes"),
    crake.BaggingClassifier(crake.NaiveBayesClassifier(), n_estimators=3),
    crake.SVMClassifier(probability="votes", scale=False, missing="mean"),
    crake.LogisticClassifier("ridge", missing="mean", contrasts="all"),
    crake.OneRuleClassifier(min_bucket=1, probability="certain", unseen="first"),
    crake.TANClassifier(0, missing="mode"),
    crake.AODEClassifier(0, min_count=12),
    crake.AODEClassifier(min_count=1000),
    crake.BayesNetworkClassifier([("y", "size"), ("y", "select"), ("size", "select"), ("select", NAMES[1])]),
    crake.BayesNetworkClassifier([("size", "y"), ("select", "size"), ("y", NAMES[1])], alpha=0),
    crake.BayesNetworkClassifier("k2", missing="mode", max_parents=4, criterion="aic"),
    crake.BayesNetworkClassifier([("y", "select"), ("select", "size"), (NAMES[1], "y")], missing="mode"),
    crake.NBTreeClassifier(min_samples_split=5, min_improvement=0),
    crake.SelectiveNaiveBayesClassifier(measure="log-loss"),
)
TWO = (
    crake.SVMClassifier(),
    crake.LogisticClassifier(),
    crake.BoostedTreesClassifier(n_estimators=4, min_samples_leaf=3),
    crake.AdaBoostClassifier(n_estimators=4, variant="m1"),
    crake.AdaBoostClassifier(crake.C45Classifier(), n_estimators=3),
    crake.RIPPERClassifier(),
    crake.OneRuleClassifier(),
)


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted model, or the reason why it has no form, and what it answers to the awkward rows."""

    name: str
    model: Any
    rows: pa.Table
    refusal: str = ""

    @property
    def classes(self) -> list[Any]:
        return list(self.model.schema_.classes) if hasattr(self.model, "classes_") else []

    @functools.cached_property
    def exported(self) -> Any:
        return self.model.exported()

    @functools.cached_property
    def names(self) -> list[str]:
        """The columns that the model reads."""
        return [self.exported.schema.features[feature].name for feature in self.exported.features]

    @functools.cached_property
    def answers(self) -> Any:
        return self.model.predict(self.rows)

    @functools.cached_property
    def shares(self) -> Any:
        return self.model.predict_proba(self.rows) if self.classes else self.answers[:, None]


def frame(classes: int, rows: int = 90) -> pa.Table:
    """Return training rows whose class follows from their cells, mostly."""
    rng = np.random.default_rng(classes)
    number = [np.round(rng.normal(size=rows), 1), rng.integers(-3, 4, rows).astype(float)]
    code = [rng.integers(0, len(levels), rows) for levels in LEVELS]
    score = number[0] + (code[0] == 1) - (code[1] == 0) * (number[1] > 0) + 0.3 * rng.normal(size=rows)
    columns: dict[str, Any] = {
        name: pa.array(np.where(rng.random(rows) < 0.1, np.nan, x), from_pandas=True)
        for name, x in zip(NUMBERS, number, strict=True)
    }
    for name, own, levels in zip(NAMES, code, LEVELS, strict=True):
        columns[name] = [None if rng.random() < 0.1 else levels[c] for c in own]
    if not classes:
        return pa.table({**columns, "y": np.round(score, 3)})
    edges = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return pa.table({**columns, "y": [CLASSES[k] for k in np.searchsorted(edges, score)]})


def awkward(models: list[Any]) -> pa.Table:
    """Return rows that meet the thresholds of models, several at once, beside gaps, new levels and extreme numbers."""
    rng = np.random.default_rng(9)
    columns: dict[str, list[Any]] = {}
    for name in NUMBERS:
        cuts = [m._cut_points(m.schema_[name]) for m in models if hasattr(m, "_cut_points") and name in m.schema_]
        known = np.unique(np.concatenate([c for c in cuts if c is not None and len(c)]))
        own = rng.choice(known, min(len(known), 12), replace=False).tolist()
        ends = [0.0, -0.0, 1e308, -1e308, 5e-324, 1e17, None, None]
        values = [*own, *np.nextafter(own[:4], np.inf).tolist(), *ends]
        columns[name] = [values[at] for at in rng.permutation(np.arange(60) % len(values))]
    for name, levels in zip(NAMES, LEVELS, strict=True):
        values = [*levels, *levels, None, "new; --", "RED"]
        columns[name] = [values[at] for at in rng.permutation(np.arange(60) % len(values))]
    return pa.table(
        {name: pa.array(v, pa.float64() if name in NUMBERS else pa.string()) for name, v in columns.items()}
    )


@functools.cache
def cases() -> tuple[Case, ...]:
    """Return a case for each learner and number of classes; regressors predict numbers."""
    found = []
    for classes in (3, 2, 0):
        learners = [clone(each) for each in (REGRESSORS if classes == 0 else TWO if classes == 2 else THREE)]
        training = crake.read(frame(classes), target="y")
        models = [_fitted(each, training) for each in learners]
        rows = awkward(models)
        found += [_case(model, classes, rows) for model in models]
    return tuple(found)


def _fitted(learner: Any, training: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(training)


def _case(model: Any, classes: int, rows: pa.Table) -> Case:
    name = f"{model!r} {classes}"
    try:
        model.exported()
    except CrakeError as reason:
        return Case(name, model, rows, str(reason))
    return Case(name, model, rows)


def exported_cases() -> list[Case]:
    return [case for case in cases() if not case.refusal]


def assert_same(case: Case, answers: list[Any], shares: Any) -> None:
    """Compare the answers of a target with the library's: classes are equal, numbers to 1e-12."""
    np.testing.assert_allclose(np.array(shares, float), case.shares, rtol=1e-12, atol=1e-12, err_msg=case.name)
    if case.classes:
        assert answers == case.answers.tolist(), case.name
