"""Naive Bayes of words on all folds at once: texts are divided into words once, each is asked of its fold's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.bayes.posterior import normalise_rows
from crake.kernels.text.words import add_word_logs_by_fold
from crake.learners.base.priors import class_prior
from crake.learners.naive_bayes.predict import flat_log, log
from crake.learners.naive_bayes.smoothing import likelihoods
from crake.learners.naive_bayes.words import fold_logs
from crake.statistics import ClassCounts, Statistics, ValueCounts, WordCounts
from crake.statistics.column_words import texts_there
from crake.statistics.tokeniser import Lookup, Tokeniser
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One text column: its words, their logarithms (folds, words, classes), and those of a text without words."""

    name: str
    words: Lookup
    logs: Floats
    without: Floats


@dataclass(frozen=True, eq=False)
class TextFolds:
    """The models of the folds: priors (folds, classes), logarithms of names by fold, and the text columns.

    `once`: a word that a text repeats counts once.
    """

    prior: Floats
    names: list[Floats]
    offsets: NDArray[np.int64]
    texts: tuple[TextColumn, ...]
    tokeniser: Tokeniser
    once: bool


def fits(model: NaiveBayesClassifier, table: Table, statistics: Statistics) -> bool:
    """Return True if all columns are names and texts, and the words of each text column fit in one array."""
    words = statistics.get(WordCounts)
    if words is None or not words.columns or table.schema.numeric or not table.in_memory:
        return False
    return model._word_rules.vocabulary is None and all(own.is_dense for own in words.by_column)  # noqa: SLF001


def estimated(model: NaiveBayesClassifier, statistics: Statistics, groups: Sequence[int]) -> TextFolds:
    """Return the models of all rows but each of these groups."""
    rules = model._word_rules  # noqa: SLF001 (the rules of the same learner)
    priors, names, offsets = [], [], np.zeros(1, np.int64)
    for group in groups:
        of_class = statistics[ClassCounts].without(group).counts[0]
        priors.append(class_prior(model.prior, of_class, statistics.classes))
        values = statistics[ValueCounts].without(group)
        offsets, logs = flat_log(likelihoods(model.smoothing, values, model.floor), len(statistics.classes))
        names.append(logs)
    texts = tuple(
        TextColumn(
            own.column.name, model.tokeniser.lookup(own.vocabulary, ascends=True), *fold_logs(own, groups, rules)
        )
        for own in statistics[WordCounts].by_column
    )
    once = rules.model in {"presence", "bernoulli"}
    return TextFolds(np.stack(priors), names, offsets, texts, model.tokeniser, once)


def answered(models: TextFolds, table: Table, fold: NDArray[np.int32]) -> Floats:
    """Return P(class given row) of each row by the model of its fold; rows of a negative fold have no answer."""
    own = np.maximum(fold, 0)
    logs = log(models.prior)[own]
    for j, column in enumerate(table.schema.nominal):
        codes = table.column(column.name)
        for each, table_of_logs in enumerate(models.names):
            rows = np.flatnonzero((fold == each) & (codes >= 0))
            logs[rows] += table_of_logs[models.offsets[j] + codes[rows]]
    for text in models.texts:
        texts = table.column(text.name)
        rows = np.flatnonzero(texts_there(texts))
        codes, stops = models.tokeniser.places_of(texts[rows].tolist(), text.words)
        sums = text.without[own[rows]]
        add_word_logs_by_fold(codes, stops, fold[rows], text.logs, models.once, sums)
        logs[rows] += sums
    _normalise_by_fold(logs, models.prior, own)
    return logs


def _normalise_by_fold(logs: Floats, prior: Floats, fold: NDArray[np.int32]) -> None:
    """Turn log products into probabilities; where every class is impossible, the prior of the fold."""
    for each in range(len(prior)):
        rows = np.flatnonzero(fold == each)
        part = logs[rows]
        normalise_rows(part, prior[each])
        logs[rows] = part
