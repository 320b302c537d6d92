"""Naive Bayes for documents: a plain list of texts and their classes, with all rules of words as parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import StateReader
from crake.learners.base.training_rows import checked_labels, row_weights
from crake.learners.naive_bayes.learner import NaiveBayesClassifier
from crake.learners.naive_bayes.words import MODELS, WordRules
from crake.render.plain_text import shown
from crake.slow_modules import sklearn_utils
from crake.statistics import WordCounts
from crake.statistics.tokeniser import Tokeniser
from crake.table.convert.frames import with_labels
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

NAME = "text"
"""The column of a plain list of documents."""


class TextBayesClassifier(NaiveBayesClassifier):
    """P(c given text) ∝ P(c) · Π P(word given c): naive Bayes of the words of documents.

    `fit(documents, y)` takes a list of texts. A table may have names and numbers beside its texts, which are read as
    `NaiveBayesClassifier` reads them. Words never seen in training are skipped, and so are missing texts.

    Parameters
    ----------
    alpha : added to every count: P(word given c) = (n_k + α)/(n + α·V) for V words (1 as in the lectures).
    text : "multinomial" counts occurrences, in "presence" a word counts once a text, "bernoulli" looks at absent words
        too, "complement" at the words of the other classes.
    lowercase : fold capitals first.
    ngrams : the fewest and the most words in a row that are one token: (1, 2) takes pairs of words too.
    min_letters : shorter words are left out.
    min_count : rarer words are left out, counted over the training texts.
    stop_words : words to leave out, folded as the texts are.
    vocabulary : the words to look at, and no others, folded as the texts are; None: all that training texts have.
    delimiters : the characters that separate words; None: words are letters, digits and underscores of Unicode.
    prior : "empirical" n_c/n, "laplace" (n_c + 1)/(n + K), or the numbers: by class in order, or a mapping.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal, where X has columns.

    >>> model = TextBayesClassifier().fit(["buy now", "meet me now", "buy buy cheap"], ["spam", "ham", "spam"])
    >>> model.predict(["buy me"]).tolist()
    ['spam']
    >>> round(model.explain("buy me")["spam"], 3)  # 4/10 · 1/10 · 2/3 against 1/8 · 2/8 · 1/3
    0.719
    """

    card = Card(
        title="naive Bayes of words",
        about="product over the words of a text of their shares in each class",
        model="counts of words per class",
        missing="skipped",
        probabilities="its own, often too near 0 or 1",
        time="one pass",
        is_compared=False,
        usual_grid={"text": ["multinomial", "complement", "bernoulli"], "alpha": [1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "text": [StrOptions(set(MODELS))],
        "lowercase": ["boolean"],
        "ngrams": ["array-like"],
        "min_letters": [Interval(Integral, 1, None, closed="left")],
        "min_count": [Interval(Real, 0, None, closed="left")],
        "stop_words": ["array-like", None],
        "vocabulary": ["array-like", None],
        "delimiters": [str, None],
        "prior": [StrOptions({"empirical", "laplace"}), "array-like", dict],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    only_estimate = frozenset({"alpha", "text", "min_count", "vocabulary", "prior"})

    m = p = zero = precision = None
    numeric, ddof, min_variance, floor = "gaussian", 1, 0.01, 0.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        text: str = "multinomial",
        lowercase: bool = True,
        ngrams: Any = (1, 1),
        min_letters: int = 1,
        min_count: float = 1,
        stop_words: Any = None,
        vocabulary: Any = None,
        delimiters: str | None = None,
        prior: Any = "empirical",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.text = text
        self.lowercase = lowercase
        self.ngrams = ngrams
        self.min_letters = min_letters
        self.min_count = min_count
        self.stop_words = stop_words
        self.vocabulary = vocabulary
        self.delimiters = delimiters
        self.prior = prior
        self.class_weight = class_weight
        self.nominal = nominal

    def _validate_params(self) -> None:
        super()._validate_params()
        _ = self.tokeniser, self._word_rules

    @property
    def tokeniser(self) -> Tokeniser:
        """The rules by which words are taken from texts."""
        ngrams = tuple(self.ngrams)
        if len(ngrams) != 2 or not all(isinstance(each, Integral) for each in ngrams):
            raise CrakeError(f"ngrams is {self.ngrams}; expected two whole numbers, such as (1, 2)")
        stop_words = _words("stop_words", self.stop_words) or ()
        rules = (bool(self.lowercase), int(self.min_letters), (int(ngrams[0]), int(ngrams[1])))
        vocabulary = _words("vocabulary", self.vocabulary)
        only = None if vocabulary is None else frozenset(vocabulary)
        return Tokeniser(*rules, frozenset(stop_words), self.delimiters, only)

    @property
    def _word_rules(self) -> WordRules:
        vocabulary = _words("vocabulary", self.vocabulary)
        if vocabulary is not None:
            vocabulary = tuple(dict.fromkeys(map(self.tokeniser.folded, vocabulary)))
        return WordRules(self.text, self.smoothing, self.floor, self.min_count, vocabulary)

    def restore(self, reader: StateReader) -> Self:
        """Take back the model; its words were taken by its own rules, and so are those of more rows."""
        super().restore(reader)
        words = self.statistics_[WordCounts]
        self.statistics_ = self.statistics_.with_part(replace(words, tokeniser=self.tokeniser))
        return self

    def _table_of(self, X: Any, y: Any, sample_weight: Any, nominal: Any, *, reset: bool) -> Table:
        documents = _documents(X, is_text=not reset and self._is_of_texts)
        if documents is None or y is None:
            return super()._table_of(X, y, sample_weight, nominal, reset=reset)
        y = checked_labels(y)
        sklearn_utils.check_consistent_length(documents.column(NAME), y)
        table = with_labels(documents, y)
        if reset:
            self.n_features_in_ = 1
            self.__dict__.pop("feature_names_in_", None)
        return table if sample_weight is None else table.with_weights(row_weights(sample_weight, len(y)))

    def _coded(self, X: Any) -> Table:
        documents = _documents(X, is_text=self._is_of_texts)
        return super()._coded(X if documents is None else documents)

    @property
    def _is_of_texts(self) -> bool:
        """True if the model was fitted on a list of documents, also if none of them has a text."""
        schema = getattr(self, "schema_", None)
        return schema is not None and not schema.features and [column.name for column in schema.texts] == [NAME]

    def _one_row(self, row: Any) -> Table:
        if self._is_of_texts and isinstance(row, list | tuple) and len(row) == 1:
            (row,) = row
        return super()._one_row(_documents([row]) if isinstance(row, str) else row)


def _documents(X: Any, *, is_text: bool = False) -> Table | None:
    """Return a plain list of texts as a table; None if X is something else. Raise for texts beside other things.

    A list without any text may be of anything, unless `is_text`.
    """
    is_flat = isinstance(X, list | tuple) or getattr(X, "ndim", 0) == 1
    if not is_flat or (len(X) == 0 and not is_text):
        return None
    texts = np.empty(len(X), object)
    if set(map(type, X)) == {str}:
        texts[:] = list(X)
        return _table_of_texts(texts)
    for at, text in enumerate(X):
        is_missing = text is None or (isinstance(text, float) and math.isnan(text))
        if not is_missing and not isinstance(text, str):
            _refuse_beside_texts(X, at)
            return None
        texts[at] = None if is_missing else str(text)
    if not is_text and all(text is None for text in texts):
        return None
    return _table_of_texts(texts)


def _refuse_beside_texts(X: Any, at: int) -> None:
    """Raise for bytes, and for a value that is no text in a list of texts."""
    if isinstance(X[at], bytes | bytearray):
        raise CrakeError(f"expected texts, got bytes at place {at}. Decode them: document.decode('utf-8')")
    if any(isinstance(text, str) for text in X):
        raise CrakeError(
            f"expected texts, got {shown(repr(X[at]), 40)} at place {at}. Write it as a text: str(document)"
        )


def _table_of_texts(texts: NDArray[Any]) -> Table:
    return Table(Schema((Column(NAME, Kind.TEXT),)), MemorySource({NAME: texts}, len(texts)), "documents")


def _words(name: str, words: Any) -> tuple[str, ...] | None:
    """Return a parameter that is a list of words, each once."""
    if words is None:
        return None
    if isinstance(words, str) or not isinstance(words, Sequence | set | frozenset | np.ndarray):
        raise CrakeError(f"expected a list of words in {name}, got {words!r}; write [{str(words)!r}]")
    for word in words:
        if not isinstance(word, str):
            raise CrakeError(f"expected words in {name}, got {word!r}; write it as text: {str(word)!r}")
    return tuple(dict.fromkeys(str(word) for word in words))
