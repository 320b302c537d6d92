"""Learners by the name people type, and by the name they read."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crake.errors import CrakeError
from crake.learners.discretize import Discretizer
from crake.learners.linear import LinearRegressor
from crake.learners.logistic import LogisticClassifier
from crake.learners.majority.learner import MajorityClassifier
from crake.learners.meta.calibrate import Calibrated
from crake.learners.meta.cutoff import WithCutoff
from crake.learners.meta.cutoff.options import Way
from crake.learners.meta.tune import Tuned
from crake.learners.meta.tune.candidates import names_of
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.neighbors import NeighborsClassifier, NeighborsRegressor
from crake.learners.one_rule import OneRuleClassifier
from crake.learners.svm import SVMClassifier
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.algorithms.id3 import ID3Classifier
from crake.learners.tree.algorithms.stump import DecisionStump
from crake.learners.tree.chaid.learner import CHAIDClassifier
from crake.plans import CrossValidation


@dataclass(frozen=True)
class Entry:
    """A learner on offer: `is_baseline` marks those that others are measured against.

    `is_compared`: whether `compare` tries it when no learners are named; of tables with more than `most_rows` rows
    it does not, since the time of such a learner grows with their square.
    """

    key: str
    title: str
    make: Callable[[], Any]
    is_baseline: bool = False
    is_compared: bool = True
    most_rows: int | None = None


ENTRIES = (
    Entry("majority", "majority class", MajorityClassifier, is_baseline=True),
    Entry("1r", "1R", OneRuleClassifier, is_baseline=True),
    Entry("stump", "decision stump", DecisionStump),
    Entry("id3", "ID3", ID3Classifier),
    Entry("c4.5", "C4.5", C45Classifier),
    Entry("cart", "CART", CARTClassifier),
    Entry("chaid", "CHAID", CHAIDClassifier),
    Entry("naive-bayes", "naive Bayes", NaiveBayesClassifier),
    Entry("logistic", "logistic regression", LogisticClassifier),
    Entry("knn", "k nearest neighbours", NeighborsClassifier, most_rows=50_000),
    Entry("svm", "SVM", SVMClassifier, most_rows=10_000),
)

REGRESSORS = (
    Entry("linear", "linear regression", LinearRegressor, is_compared=False),
    Entry("knn", "k nearest neighbours", NeighborsRegressor, is_compared=False),
    Entry("cart", "CART regression tree", CARTRegressor, is_compared=False),
)
"""Learners of a target of numbers; a key that a classifier has too stands for whichever the target asks for."""

UNNAMED: tuple[Any, ...] = (Calibrated, Discretizer, Tuned, WithCutoff)
"""What may be in a model file without a name on the command line: learners around others, transformers."""


def names() -> tuple[str, ...]:
    """The names of the classifiers, in teaching order."""
    return tuple(entry.key for entry in ENTRIES)


def regressor_names() -> tuple[str, ...]:
    """The names of the regressors.

    >>> regressor_names()
    ('linear', 'knn', 'cart')
    """
    return tuple(entry.key for entry in REGRESSORS)


def compared(rows: int = 0) -> tuple[str, ...]:
    """The names of the learners that are compared by default on a table of so many rows."""
    return tuple(e.key for e in ENTRIES if e.is_compared and (e.most_rows is None or rows <= e.most_rows))


def too_slow(rows: int) -> tuple[str, ...]:
    """What is to be said of the learners that are left out of such a comparison.

    >>> too_slow(20_000)
    ('SVM is left out of 20,000 rows (more than 10,000): name it to have it compared',)
    """
    left = [e for e in ENTRIES if e.is_compared and e.most_rows is not None and rows > e.most_rows]
    return tuple(
        f"{e.title} is left out of {rows:,} rows (more than {e.most_rows:,}): name it to have it compared" for e in left
    )


def by_name(name: str, *, numbers: bool = False) -> Any:
    """A new learner with its default parameters; with `numbers`, the regressor where a name stands for two.

    >>> by_name("naive-bayes"), by_name("linear")
    (NaiveBayesClassifier(), LinearRegressor())
    >>> by_name("knn"), by_name("knn", numbers=True)
    (NeighborsClassifier(), NeighborsRegressor())
    """
    entries = (*REGRESSORS, *ENTRIES) if numbers else (*ENTRIES, *REGRESSORS)
    for entry in entries:
        if entry.key == name.lower():
            return entry.make()
    close = difflib.get_close_matches(name.lower(), [entry.key for entry in entries], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise CrakeError(f"there is no learner {name!r}.{hint} Learners: {listed_names()}")


def listed_names() -> str:
    """All names, for an error.

    >>> listed_names()
    'majority, 1r, ... knn, svm; of numbers: linear, knn, cart'
    """
    return f"{', '.join(names())}; of numbers: {', '.join(regressor_names())}"


def stored() -> dict[str, Any]:
    """The classes a model file may name, and no others; each has `checked`, `state` and `restore`.

    >>> "C45Classifier" in stored(), "Pipeline" in stored()
    (True, False)
    """
    return {make.__name__: make for make in (*(type(entry.make()) for entry in (*ENTRIES, *REGRESSORS)), *UNNAMED)}


def title_of(learner: Any) -> str:
    """What a report calls this learner: its title, with the parameters that differ from the defaults.

    >>> title_of(NaiveBayesClassifier(alpha=0)), title_of(OneRuleClassifier())
    ('naive Bayes (alpha=0)', '1R')
    >>> title_of(LinearRegressor()), title_of(CARTRegressor(max_depth=3))
    ('linear regression', 'CART regression tree (max_depth=3)')
    >>> title_of(Calibrated(NaiveBayesClassifier(), method="isotonic"))
    'naive Bayes, calibrated (isotonic)'
    >>> title_of(WithCutoff(NaiveBayesClassifier(), by="recall", least=0.9))
    'naive Bayes, cutoff by recall (least=0.9)'
    >>> title_of(Tuned(C45Classifier(), {"confidence": [0.1, 0.25], "min_samples_leaf": [2, 5]}))
    'C4.5, tuned (confidence, min_samples_leaf; 4 candidates, inner 5-fold)'
    """
    if isinstance(learner, Calibrated | Tuned | WithCutoff):
        inner = NaiveBayesClassifier() if learner.learner is None else learner.learner
        return f"{title_of(inner)}, {_around(learner)}"
    entry = _entry_of(learner)
    if entry is None:
        return str(type(learner).__name__)
    standard = entry.make().get_params(deep=False)
    changed = [f"{k}={v!r}" for k, v in learner.get_params(deep=False).items() if not _same(v, standard[k])]
    return f"{entry.title} ({', '.join(changed)})" if changed else entry.title


def _around(learner: Calibrated | Tuned | WithCutoff) -> str:
    """What a learner adds to the one within."""
    if isinstance(learner, Calibrated):
        return f"calibrated ({learner.method})"
    return _tuned(learner) if isinstance(learner, Tuned) else str(Way.of(learner))


def _tuned(learner: Tuned) -> str:
    """What was tuned, by what, on which rows."""
    tried, plan = learner.candidates(), learner.inner_plan()
    inner = f"inner {plan.describe()}"
    if isinstance(plan, CrossValidation) and plan.repeats == 1:
        inner = f"inner {plan.folds}-fold"
    by = "" if learner.measure == "accuracy" else f" by {learner.measure.replace('_', ' ')}"
    rule = "" if learner.rule == "best" else f", {learner.rule}"
    return f"tuned{by} ({', '.join(names_of(tried))}; {len(tried)} candidates, {inner}{rule})"


def is_baseline(learner: Any) -> bool:
    """Whether this learner is there to be beaten."""
    entry = _entry_of(learner)
    return entry is not None and entry.is_baseline


def _entry_of(learner: Any) -> Entry | None:
    return next((entry for entry in (*ENTRIES, *REGRESSORS) if type(learner) is entry.make), None)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)
