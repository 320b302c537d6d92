"""The words of one text column by class and group, in sparse cells over a vocabulary that grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, compress
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats, Ints, Rows
from crake.errors import CrakeError
from crake.kernels.text.words import count_words
from crake.machine import machine_memory
from crake.statistics.levels import Move
from crake.statistics.statistic import check_forgettable, column_never_learned, is_whole
from crake.statistics.tokeniser import Tokeniser, Tokens
from crake.table.batch import Batch
from crake.table.schema import Column

Cells = tuple[Ints, Ints, Ints, Floats, Floats]
"""The word, group and class of each cell, its count, and the number of texts."""
MOST_LETTERS = 1 << 25
"""Letters of texts that are looked through at a time, unless one text is longer."""
MOST_PLACES = 1 << 23
"""Words × groups × classes that are counted in one array; of more, words are sorted."""
MOST_WORDS, MOST_CELLS = 12_000_000, 24_000_000
"""Words of a column, and their cells by class and group, that are kept. Of more, the rarest are dropped."""
WORD_BYTES, CELL_BYTES = 320, 80
"""Memory of a word and of a cell at most, while a model is fitted or predicts."""


@dataclass(frozen=True, eq=False)
class ColumnWords:
    """The words of one column. Cells ascend by word, then group, then class.

    `count[cell]` is the number (weight) of occurrences, `documents[cell]` that of the texts which have the word.
    `texts` and `missing` (groups, classes) count the rows with and without a text. The vocabulary ascends and holds
    the words that have cells, and no other: a fold does not know the words of the rows that test it. `dropped`
    counts the occurrences of words that did not fit in memory.
    """

    column: Column
    vocabulary: tuple[str, ...]
    word: Ints
    group: Ints
    class_: Ints
    count: Floats
    documents: Floats
    texts: Floats
    missing: Floats
    dropped: float = 0.0

    @classmethod
    def empty(cls, column: Column, classes: int, groups: int) -> ColumnWords:
        """Return the words of no rows."""
        cells = (np.zeros(0, np.int32),) * 3
        return cls(
            column, (), *cells, np.zeros(0), np.zeros(0), np.zeros((groups, classes)), np.zeros((groups, classes))
        )

    def add(self, texts: NDArray[Any], tokeniser: Tokeniser, batch: Batch, group: Codes) -> ColumnWords:
        """Add rows in their order. Each cell is one running sum, so fractional weights give equal bits."""
        is_used = (batch.target >= 0) & (group >= 0)
        has_text = texts_there(texts)
        sums = [self.texts.copy(), self.missing.copy()]
        for into, where in zip(sums, (is_used & has_text, is_used & ~has_text), strict=True):
            np.add.at(into, (group[where], batch.target[where]), batch.weights[where])
        result = self
        for rows, own in _portions(texts, np.flatnonzero(is_used & has_text)):
            tokens = tokeniser.tokens_of(own)
            result = result._with_tokens(tokens, group[rows], batch.target[rows], batch.weights[rows]).within_memory()
        return replace(result, texts=sums[0], missing=sums[1])

    def _with_tokens(self, tokens: Tokens, group: Codes, class_: Codes, weights: Floats) -> ColumnWords:
        """Add the tokens of texts of these groups, classes and weights."""
        vocabulary, (mine, new) = _united([self.vocabulary, tokens.vocabulary])
        groups, classes = self.texts.shape
        codes = new.astype(np.int32)[tokens.codes] if self.vocabulary else tokens.codes
        place = group.astype(np.int64) * classes + class_
        if len(vocabulary) * groups * classes <= MOST_PLACES:
            counts, documents = np.zeros((2, len(vocabulary), groups * classes))
            known = (mine[self.word], self.group.astype(np.int64) * classes + self.class_)
            counts[known], documents[known] = self.count, self.documents
            count_words(codes, tokens.stops, place, weights, counts, documents)
            word, at = (part.astype(np.int32) for part in np.nonzero(documents))
            cells = (word, at // classes, at % classes, counts[word, at], documents[word, at])
            return self._of_cells(vocabulary, cells)
        text = np.repeat(np.arange(len(tokens.stops)), np.diff(tokens.stops, prepend=0))
        is_first = np.zeros(len(codes), bool)
        is_first[np.unique(text * len(vocabulary) + codes, return_index=True)[1]] = True
        cells = _summed(
            np.concatenate([mine[self.word], codes]).astype(np.int32),
            np.concatenate([self.group, group[text]]),
            np.concatenate([self.class_, class_[text]]),
            np.concatenate([self.count, weights[text]]),
            np.concatenate([self.documents, np.where(is_first, weights[text], 0.0)]),
        )
        return self._of_cells(vocabulary, cells)

    def _of_cells(self, vocabulary: tuple[str, ...], cells: Cells) -> ColumnWords:
        word, group, class_, count, documents = cells
        return replace(
            self, vocabulary=vocabulary, word=word, group=group, class_=class_, count=count, documents=documents
        )

    def within_memory(self) -> ColumnWords:
        """Return the words if they fit, or the more frequent half of what fits; of equally rare words the first."""
        size = len(self.vocabulary)
        most_words, most_cells = most_in_memory()
        if size <= most_words and len(self.word) <= most_cells:
            return self
        times = np.bincount(self.word, self.count, size)
        order = np.argsort(-times, kind="stable")
        cells = np.cumsum(np.bincount(self.word, minlength=size)[order])
        kept = min(most_words // 2, int(np.searchsorted(cells, most_cells // 2, "right")))
        is_kept = np.zeros(size, bool)
        is_kept[order[:kept]] = True
        dropped = float(times[~is_kept].sum())
        return replace(self.with_cells(is_kept[self.word]), dropped=self.dropped + dropped)

    @classmethod
    def merge_all(cls, parts: Sequence[ColumnWords]) -> ColumnWords:
        """Return the words of all sets of rows: one union of the vocabularies, one sort of the cells."""
        vocabulary, places = _united([part.vocabulary for part in parts])
        cells = _summed(
            np.concatenate([place[part.word] for part, place in zip(parts, places, strict=True)]).astype(np.int32),
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.class_ for part in parts]),
            np.concatenate([part.count for part in parts]),
            np.concatenate([part.documents for part in parts]),
        )
        texts, missing = (reduce(np.add, (getattr(part, name) for part in parts)) for name in ("texts", "missing"))
        dropped = sum(part.dropped for part in parts)
        return cls(parts[0].column, vocabulary, *cells, texts, missing, dropped).within_memory()

    def with_class_weights(self, factors: Floats) -> ColumnWords:
        """Return the counts of words and texts times the factors of the classes."""
        by_cell = factors[self.class_]
        return replace(
            self,
            count=self.count * by_cell,
            documents=self.documents * by_cell,
            texts=self.texts * factors,
            missing=self.missing * factors,
        )

    def forget(self, rows: ColumnWords) -> ColumnWords:
        """Return the words without these rows. Raise if a cell never had that many."""
        if self.dropped or rows.dropped:
            raise CrakeError(
                f"rare words of column {self.column.name!r} were dropped to stay within memory, so that rows cannot be "
                "taken away; fit the model on the rows that remain"
            )
        check_forgettable(integral=is_whole(self.texts) and is_whole(rows.texts) and is_whole(self.count))
        less = replace(rows, count=-rows.count, documents=-rows.documents, texts=-rows.texts, missing=-rows.missing)
        result = ColumnWords.merge_all([self, less])
        if any(np.any(part < 0) for part in (result.count, result.documents, result.texts, result.missing)):
            raise column_never_learned(self.column)
        return result.with_cells(result.documents > 0)

    def one_group(self, keep: Flags, groups: Rows) -> ColumnWords:
        """Return the cells to keep as one group; `groups` are those whose rows are counted."""
        some = self.with_cells(keep)
        cells = some._without_groups()  # noqa: SLF001 (its own class)
        texts, missing = (part[groups].sum(axis=0, keepdims=True) for part in (self.texts, self.missing))
        return replace(some._of_cells(some.vocabulary, cells), texts=texts, missing=missing)  # noqa: SLF001

    @property
    def is_dense(self) -> bool:
        """True if all words × groups × classes fit in one array, and whole counts can be taken away again."""
        return len(self.vocabulary) * self.texts.size <= MOST_PLACES and is_whole(self.count)

    def dense(self) -> tuple[Floats, Floats]:
        """Return the occurrences of each word, and the texts that have it: two arrays (groups, words, classes)."""
        groups, classes = self.texts.shape
        counts, documents = np.zeros((2, groups, len(self.vocabulary), classes))
        at = (self.group, self.word, self.class_)
        counts[at], documents[at] = self.count, self.documents
        return counts, documents

    def _without_groups(self) -> Cells:
        """Return the cells of all groups together. They come in the order of groups, so every sum is a running sum."""
        classes = self.texts.shape[1]
        if len(self.vocabulary) * classes > MOST_PLACES:
            return _summed(self.word, np.zeros(len(self.word), np.int32), self.class_, self.count, self.documents)
        key = self.word.astype(np.int64) * classes + self.class_
        counts, documents = (np.bincount(key, values) for values in (self.count, self.documents))
        at: Ints = np.flatnonzero(np.bincount(key)).astype(np.int32)
        word, class_ = (np.asarray(part, np.int32) for part in np.divmod(at, np.int32(classes)))
        total, of_documents = (np.asarray(part[at], np.float64) for part in (counts, documents))
        return word, np.zeros(len(at), np.int32), class_, total, of_documents

    def with_cells(self, keep: Flags) -> ColumnWords:
        """Return some of the cells, with the vocabulary of these alone."""
        if keep.all():
            return self
        used = np.zeros(len(self.vocabulary), bool)
        used[self.word[keep]] = True
        place = np.cumsum(used) - 1
        return replace(
            self,
            vocabulary=tuple(compress(self.vocabulary, used.tolist())),
            word=place[self.word[keep]].astype(np.int32),
            group=self.group[keep],
            class_=self.class_[keep],
            count=self.count[keep],
            documents=self.documents[keep],
        )

    def under(self, column: Column, move: Move) -> ColumnWords:
        """Return the same cells with the classes in their new places."""
        if move.is_nothing:
            return replace(self, column=column)
        texts, missing = (np.zeros((len(self.texts), move.size)) for _ in range(2))
        texts[:, move.new], missing[:, move.new] = self.texts[:, move.old], self.missing[:, move.old]
        class_ = move.table[self.class_].astype(np.int32)
        cells = _summed(self.word, self.group, class_, self.count, self.documents)
        return replace(self._of_cells(self.vocabulary, cells), column=column, texts=texts, missing=missing)

    def by_class(
        self, classes: int, group: int = 0, *, documents: bool = False, vocabulary: tuple[str, ...] | None = None
    ) -> Floats:
        """Return the occurrences of every word by class in one group, or the texts that have it.

        The shape is (classes, vocabulary). Words of another `vocabulary` that never occurred have zeros.
        """
        words = self.vocabulary if vocabulary is None else vocabulary
        table = np.zeros((classes, len(words)))
        own = self.group == group
        word, class_, values = self.word[own], self.class_[own], (self.documents if documents else self.count)[own]
        if vocabulary is not None:
            place = {each: at for at, each in enumerate(vocabulary)}
            word = np.array([place.get(each, -1) for each in self.vocabulary], np.int32)[word]
            class_, values, word = class_[word >= 0], values[word >= 0], word[word >= 0]
        table[class_, word] = values
        return table


def most_in_memory() -> tuple[int, int]:
    """Return the words and cells that are kept: up to MOST_WORDS and MOST_CELLS, each in half of the memory at most."""
    memory = machine_memory() / 2
    return int(min(MOST_WORDS, memory / WORD_BYTES)), int(min(MOST_CELLS, memory / CELL_BYTES))


def texts_there(texts: NDArray[Any]) -> Flags:
    """Return which rows have a text."""
    return np.asarray(texts != np.array(None), bool)


def _portions(texts: NDArray[Any], rows: Rows) -> Iterator[tuple[Rows, list[str]]]:
    """Yield the rows with their texts in portions of limited length."""
    taken: list[str] = (texts if len(rows) == len(texts) else texts[rows]).tolist()
    lengths = np.cumsum(np.fromiter(map(len, taken), np.int64, len(taken)))
    starts = [0, *(np.flatnonzero(np.diff(lengths // MOST_LETTERS)) + 1).tolist()] if taken else []
    for start, stop in zip(starts, [*starts[1:], len(taken)], strict=False):
        yield rows[start:stop], taken[start:stop]


def _united(vocabularies: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], list[Rows]]:
    """Return the ascending union, and the place of every word of each vocabulary in it.

    They ascend, so sorting them as one list takes few comparisons, and less memory than a set of their words.

    >>> _united([("a", "c"), ("b", "c", "d")])
    (('a', 'b', 'c', 'd'), [array([0, 2]), array([1, 2, 3])])
    """
    if sum(map(bool, vocabularies)) <= 1:
        only = next((own for own in vocabularies if own), ())
        return only, [np.arange(len(own)) for own in vocabularies]
    words = list(chain.from_iterable(vocabularies))
    order = sorted(range(len(words)), key=words.__getitem__)
    ordered = list(map(words.__getitem__, order))
    is_new = np.fromiter(chain([True], map(ne, ordered[1:], ordered)), bool, len(words))
    place = np.empty(len(words), np.intp)
    place[order] = np.cumsum(is_new) - 1
    stops = np.cumsum([len(own) for own in vocabularies])
    return tuple(compress(ordered, is_new.tolist())), np.split(place, stops[:-1])


def _summed(word: Ints, group: Ints, class_: Ints, count: Floats, documents: Floats) -> Cells:
    """Sort the cells by word, group and class and add up those that agree in all three, in their order."""
    if len(word) == 0:
        return word, group, class_, count, documents
    order = np.lexsort((class_, group, word))  # stable
    word, group, class_ = word[order], group[order], class_[order]
    changes = (word[1:] != word[:-1]) | (group[1:] != group[:-1]) | (class_[1:] != class_[:-1])
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    run = np.concatenate([[0], np.cumsum(changes)])
    sums = (np.bincount(run, values[order]).astype(np.float64) for values in (count, documents))
    total, of_documents = sums
    return word[starts], group[starts], class_[starts], total, of_documents
