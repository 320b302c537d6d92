"""Words in naive Bayes: how probable each word of a text is in each class, by one of four models.

multinomial : (n_cw + α) / (n_c + α·V), a factor for each occurrence of a word;
presence : the same, where a word counts once in a text;
bernoulli : (d_cw + α) / (D_c + 2α), d_cw of D_c texts have the word, and a factor 1 − P for each word a text lacks;
complement : 1 / P(word in the other classes), as Rennie and others (2003).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.errors import DataError
from crake.kernels.text.words import add_word_logs
from crake.learners.naive_bayes.smoothing import Smoothing, column_likelihood
from crake.statistics.column_words import ColumnWords, texts_there
from crake.statistics.tokeniser import Lookup, Tokeniser

MODELS = ("multinomial", "presence", "bernoulli", "complement")
LEAST = 1e-10
"""The least α of models in which a probability of 0 or 1 would leave nothing to compare."""
MOST_BYTES = 2**30
"""Memory that the counts of words by class may take, those of all text columns together."""


@dataclass(frozen=True, eq=False)
class WordRules:
    """The words that count, beside the tokeniser: those given, or those that occur at least `min_count` times."""

    model: str
    smoothing: Smoothing
    floor: float = 0.0
    min_count: float = 0.0
    vocabulary: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class TextModel:
    """The words of one column: `logs` (words, classes) of each occurrence (or of each word once, `once`).

    `without` (classes) is the logarithm of a text without any known word. `counts` (classes, words) are what the
    probabilities were estimated from: occurrences, or texts that have the word; `known` (classes) what they are shares
    of. `dropped` counts the words that were too rare, `beyond_memory` the occurrences of those that did not fit in
    memory. The vocabulary ascends if it `is_learned`.
    """

    name: str
    model: str
    vocabulary: tuple[str, ...]
    counts: Floats
    known: Floats
    logs: Floats
    without: Floats
    dropped: int
    beyond_memory: float
    tokeniser: Tokeniser
    is_learned: bool

    @property
    def once(self) -> bool:
        """True if a word that comes twice counts once."""
        return self.model in {"presence", "bernoulli"}

    @cached_property
    def lookup(self) -> Lookup:
        """The vocabulary as words are looked up in it."""
        return self.tokeniser.lookup(self.vocabulary, ascends=self.is_learned)

    def add_logs(self, texts: NDArray[Any], out: Floats) -> None:
        """Add log P(text given class) to out (rows, classes); rows without a text stay as they are."""
        rows = np.flatnonzero(texts_there(texts))
        codes, stops = self.tokens((texts if len(rows) == len(texts) else texts[rows]).tolist())
        sums = np.tile(self.without, (len(rows), 1))
        add_word_logs(codes, stops, self.logs, self.once, sums)
        out[rows] += sums

    def tokens(self, texts: Sequence[str]) -> tuple[Ints, Longs]:
        """Return the places of the texts' words, −1 for words that are not known, and where each text ends."""
        return self.tokeniser.places_of(texts, self.lookup)

    def log_odds(self) -> Floats:
        """Return log P(word given class) − log P(word given another class), shape (classes, words), smoothed by 1."""
        counts, others = self.counts + 1.0, self.counts.sum(axis=0) - self.counts + 1.0
        odds: Floats = np.log(counts / (self.known[:, None] + self._cells)) - np.log(
            others / (self.known.sum() - self.known[:, None] + self._cells)
        )
        return odds

    @property
    def _cells(self) -> int:
        return 2 if self.model == "bernoulli" else max(1, len(self.vocabulary))


def text_models(columns: Iterable[ColumnWords], tokeniser: Tokeniser, rules: WordRules) -> tuple[TextModel, ...]:
    """Return the model of each text column. Raise before their counts are allocated if they are too many."""
    columns = tuple(columns)
    chosen = [_chosen(words, rules) for words in columns]
    size = sum(8 * words.texts.shape[1] * len(own) for words, own in zip(columns, chosen, strict=True))
    if size > MOST_BYTES:
        raise DataError(
            f"expected counts of words by class of at most {MOST_BYTES / 1e9:,.1f} GB, got {size / 1e9:,.1f} GB, of "
            f"{sum(map(len, chosen)):,} words and {columns[0].texts.shape[1]:,} classes; join rare classes, or leave "
            "out rare words: TextBayesClassifier(min_count=5)"
        )
    return tuple(_text_model(words, own, tokeniser, rules) for words, own in zip(columns, chosen, strict=True))


def _text_model(words: ColumnWords, vocabulary: tuple[str, ...], tokeniser: Tokeniser, rules: WordRules) -> TextModel:
    by_text = rules.model in {"presence", "bernoulli"}
    own = None if vocabulary is words.vocabulary else vocabulary
    counts = words.by_class(words.texts.shape[1], documents=by_text, vocabulary=own)
    known = words.texts[0] if rules.model == "bernoulli" else counts.sum(axis=1)
    logs, without = _logs(counts, known, rules)
    dropped = 0 if own is None else len(set(words.vocabulary) - set(vocabulary))
    is_learned = rules.vocabulary is None
    return TextModel(
        words.column.name,
        rules.model,
        vocabulary,
        counts,
        known,
        logs,
        without,
        dropped,
        words.dropped,
        tokeniser,
        is_learned,
    )


def _chosen(words: ColumnWords, rules: WordRules) -> tuple[str, ...]:
    """Return the words that count: those given, or those that are not too rare."""
    if rules.vocabulary is not None:
        return rules.vocabulary
    if rules.min_count <= 1:
        return words.vocabulary
    keep = np.bincount(words.word, words.count, len(words.vocabulary)) >= rules.min_count
    return tuple(word for word, kept in zip(words.vocabulary, keep, strict=True) if kept)


def fold_logs(words: ColumnWords, groups: Sequence[int], rules: WordRules) -> tuple[Floats, Floats]:
    """Return the logarithms (folds, words, classes) of all rows but each group, and those of texts without words.

    A word that a fold does not know has 0, which changes nothing.
    """
    counts, documents = words.dense()
    whole_counts, whole_documents = counts.sum(axis=0), documents.sum(axis=0)
    logs, without = np.zeros((len(groups), *whole_counts.shape)), np.zeros((len(groups), whole_counts.shape[1]))
    for at, group in enumerate(groups):
        own, texts = whole_counts - counts[group], whole_documents - documents[group]
        chosen = np.flatnonzero(texts.any(axis=1) & (own.sum(axis=1) >= rules.min_count))
        used = np.ascontiguousarray((texts if rules.model in {"presence", "bernoulli"} else own)[chosen].T)
        rows = words.texts.sum(axis=0) - words.texts[group]
        logs[at, chosen], without[at] = _logs(used, rows if rules.model == "bernoulli" else used.sum(axis=1), rules)
    return logs, without


def _logs(counts: Floats, known: Floats, rules: WordRules) -> tuple[Floats, Floats]:
    """Return the logarithms (words, classes), and those of a text without words."""
    classes, size = counts.shape
    nothing = np.zeros(classes)
    alpha = max(rules.smoothing.alpha, LEAST)
    if rules.model == "bernoulli":
        texts = known[:, None] + 2 * alpha
        present = np.log((counts + alpha) / texts)
        absent = np.log((np.maximum(known[:, None] - counts, 0.0) + alpha) / texts)  # 1 − P may round to 0
        return np.ascontiguousarray((present - absent).T), absent.sum(axis=1)
    if rules.model == "complement":
        others = counts.sum(axis=0) - counts
        share = (others + alpha) / (others.sum(axis=1, keepdims=True) + alpha * max(1, size))
        return np.ascontiguousarray(-np.log(share).T), nothing
    with np.errstate(divide="ignore"):
        return np.ascontiguousarray(np.log(column_likelihood(rules.smoothing, counts, rules.floor)).T), nothing
