"""Counts of the words of text columns by class, over a vocabulary that grows: what text classifiers read.

Only words that occur have cells, so that memory follows the text and not vocabulary × classes × groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError
from crake.notices import warn
from crake.statistics.class_counts import ClassCounts
from crake.statistics.column_words import ColumnWords, most_in_memory
from crake.statistics.levels import Alignment, Levels
from crake.statistics.statistic import MOST, SLACK, Statistic, StoredValues, check_whole
from crake.statistics.tokeniser import WORDS, Tokeniser
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys


@dataclass(frozen=True, eq=False)
class WordCounts(Statistic):
    """The words of every text column: a sequence of `ColumnWords`, in table order.

    >>> from crake.statistics import gather
    >>> from crake.table.convert.frames import from_frame
    >>> import pyarrow as pa
    >>> mails = pa.table({"mail": ["buy now", "meet me now", "buy buy"], "class": ["spam", "ham", "spam"]})
    >>> words, = gather(from_frame(mails, target="class", text=["mail"]), [WordCounts])[WordCounts].by_column
    >>> words.vocabulary
    ('buy', 'me', 'meet', 'now')
    >>> words.by_class(2)  # ham, spam
    array([[0., 1., 1., 1.],
           [3., 0., 0., 1.]])
    """

    name: ClassVar[str] = "word_counts"
    has_class_weights: ClassVar[bool] = True
    needs_columns: ClassVar[bool] = True
    reads_text: ClassVar[bool] = True

    columns: tuple[Column, ...]
    classes: Levels
    by_column: tuple[ColumnWords, ...]
    group_count: int
    tokeniser: Tokeniser = WORDS

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1, tokeniser: Tokeniser = WORDS) -> WordCounts:
        """Return the words of no rows."""
        by_column = tuple(ColumnWords.empty(column, len(schema.classes), groups) for column in schema.texts)
        return cls(schema.texts, schema.classes, by_column, groups, tokeniser)

    @classmethod
    def by_rules(cls, tokeniser: Tokeniser) -> WordsBy:
        """Return the member that takes words by other rules, for `gather`."""
        return WordsBy(tokeniser)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.group_count

    def add(self, batch: Batch, group: Codes) -> WordCounts:
        """Add rows in their order."""
        if len(batch.texts) != len(self.columns):
            raise CrakeError(
                f"expected the text of {len(self.columns)} columns in every batch, got {len(batch.texts)}: "
                "this source does not read text; read the table into memory"
            )
        columns = zip(self.by_column, batch.texts, strict=True)
        return self._with(words.add(texts, self.tokeniser, batch, group) for words, texts in columns)

    def merge(self, other: WordCounts) -> WordCounts:
        """Return the words of both sets of rows."""
        return WordCounts.merge_all([self, other])

    @classmethod
    def merge_all(cls, parts: Iterable[WordCounts]) -> WordCounts:
        """Return the words of all sets of rows, whose words were taken by the same rules."""
        parts = list(parts)
        if any(part.tokeniser != parts[0].tokeniser for part in parts):
            rules = len({part.tokeniser for part in parts})
            raise CrakeError(f"expected words taken by one rule, got {rules} rules; gather all with the same tokeniser")
        columns = list(zip(*(part.by_column for part in parts), strict=True))
        merged = tuple(map(ColumnWords.merge_all, columns))
        for words, own in zip(merged, columns, strict=True):
            if words.dropped > sum(part.dropped for part in own):
                warn(_note_on_dropped(words))
        return replace(parts[0], by_column=merged)

    def under(self, alignment: Alignment) -> WordCounts:
        """Return the same words under the classes of another schema."""
        schema, move = alignment.schema, alignment.classes
        columns = zip(self.by_column, schema.texts, strict=True)
        result = self._with(words.under(column, move) for words, column in columns)
        return replace(result, columns=schema.texts, classes=schema.classes)

    def total(self) -> WordCounts:
        """Return all groups together, as one group."""
        return self._one_group(range(self.groups))

    def select(self, group: int) -> WordCounts:
        """Return one group alone."""
        return self._one_group([group])

    def without(self, group: int) -> WordCounts:
        """Return all groups but one together, as one group."""
        return self._one_group([g for g in range(self.groups) if g != group])

    def _one_group(self, groups: Iterable[int]) -> WordCounts:
        places = np.array(list(groups), np.intp)
        among = np.zeros(self.groups, bool)
        among[places] = True
        result = self._with(words.one_group(among[words.group], places) for words in self.by_column)
        return replace(result, group_count=1)

    def with_class_weights(self, factors: Floats) -> WordCounts:
        """Return the counts of words and texts times the factors of the classes."""
        return self._with(words.with_class_weights(factors) for words in self.by_column)

    def forget(self, rows: WordCounts) -> WordCounts:
        """Return the words without these rows."""
        return self._with(a.forget(b) for a, b in zip(self.by_column, rows.by_column, strict=True))

    def _with(self, by_column: Iterable[ColumnWords]) -> WordCounts:
        return replace(self, by_column=tuple(by_column))

    def notes(self) -> tuple[str, ...]:
        """Return what was dropped of each column."""
        return tuple(_note_on_dropped(words) for words in self.by_column if words.dropped)

    def state(self) -> Mapping[str, Any]:
        """Return vocabularies and cells of all columns, one after the other, and how many each column has.

        Nothing is stored where there is no text.
        """
        K = len(self.classes)
        columns = self.by_column
        if not columns:
            return {}
        dropped = np.array([own.dropped for own in columns])
        return {
            **({"word_occurrences_dropped": dropped} if dropped.any() else {}),
            "words": tuple(word for own in columns for word in own.vocabulary),
            "word_sizes": np.array([[len(own.vocabulary), len(own.word)] for own in columns], np.int64).reshape(-1, 2),
            "word_codes": np.concatenate([np.zeros(0, np.int32), *(own.word for own in columns)]),
            "word_classes": np.concatenate([np.zeros(0, np.int32), *(own.class_ for own in columns)]),
            "word_counts": np.concatenate([np.zeros(0), *(own.count for own in columns)]),
            "word_documents": np.concatenate([np.zeros(0), *(own.documents for own in columns)]),
            "word_texts": np.concatenate([np.zeros((0, K)), *(own.texts for own in columns)]),
            "word_missing": np.concatenate([np.zeros((0, K)), *(own.missing for own in columns)]),
        }

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> WordCounts:
        """Read words that ascend, with counts of no more texts than there are. Their rules are the usual ones.

        Files of a time when no learner read text have none: these columns are not read.
        """
        columns, K = schema.texts if "words" in reader else (), len(schema.classes)
        if not columns:
            return cls((), schema.classes, (), 1)
        words, codes = reader.names("words"), reader.integers("word_codes", np.int32, (None,), 0, 2**31 - 1)
        cells = len(codes)
        class_ = reader.integers("word_classes", np.int32, (cells,), 0, max(0, K - 1))
        count, documents = (reader.floats(name, (cells,), 0, MOST) for name in ("word_counts", "word_documents"))
        texts, missing = (reader.floats(name, (len(columns), K), 0, MOST) for name in ("word_texts", "word_missing"))
        dropped = np.zeros(len(columns))
        if "word_occurrences_dropped" in reader:
            dropped = reader.floats("word_occurrences_dropped", (len(columns),), 0, MOST)
        elif "word_dropped" in reader:  # files of a time when the words were counted beside their occurrences
            dropped = reader.floats("word_dropped", (len(columns), 2), 0, MOST)[:, 1]
        sizes = reader.integers("word_sizes", np.int64, (len(columns), 2), 0, max(len(words), cells))
        if sizes.sum(axis=0).tolist() != [len(words), cells]:
            raise reader.refusal("word_sizes", "does not share out the words", f"{len(words)} words, {cells} cells")
        stops = np.cumsum(sizes, axis=0)
        result = []
        for j, column in enumerate(columns):
            own, at = (slice(int(stops[j, k] - sizes[j, k]), int(stops[j, k])) for k in range(2))
            one = ColumnWords(
                column,
                words[own],
                codes[at],
                np.zeros(int(sizes[j, 1]), np.int32),
                class_[at],
                count[at],
                documents[at],
                texts[j : j + 1],
                missing[j : j + 1],
                float(dropped[j]),
            )
            _check(reader, one, others[ClassCounts])
            result.append(one)
        return cls(columns, schema.classes, tuple(result), 1)

    def count_keys(self) -> Keys | None:
        """Return nothing to count without text columns, and None with them: words need the rows."""
        return None if self.columns else ()

    def of_counts(self, counted: Counted) -> WordCounts:
        """Return the words of no columns."""
        del counted
        return self


@dataclass(frozen=True)
class WordsBy:
    """`WordCounts` with words taken by rules of its own."""

    tokeniser: Tokeniser
    name: ClassVar[str] = WordCounts.name
    reads_text: ClassVar[bool] = True

    def empty(self, schema: Schema, groups: int = 1) -> WordCounts:
        """Return the words of no rows."""
        return WordCounts.empty(schema, groups, self.tokeniser)


def _note_on_dropped(words: ColumnWords) -> str:
    return (
        f"column {words.column.name!r} has more words than fit in memory: the rarest were dropped, with "
        f"{words.dropped:,.0f} occurrences; one that came again was counted from there on. "
        f"At most {most_in_memory()[0]:,} words are kept on this machine"
    )


def _check(reader: StoredValues, words: ColumnWords, classes: ClassCounts) -> None:
    """Raise if the words of a model file are not in order, or of more texts than there are."""
    vocabulary, word, class_ = words.vocabulary, words.word, words.class_
    if any(a >= b for a, b in pairwise(vocabulary)):
        raise reader.refusal("words", "does not ascend", "each word once, in order")
    ascends = (word[1:] > word[:-1]) | ((word[1:] == word[:-1]) & (class_[1:] > class_[:-1]))
    if not np.all(ascends) or not np.array_equal(np.unique(word), np.arange(len(vocabulary))):
        raise reader.refusal("word_codes", "does not ascend, or leaves out a word", "each word and class once")
    if np.any(words.documents <= 0) or np.any(words.count * SLACK < words.documents):
        raise reader.refusal("word_counts", "counts a word less often than texts have it", "at least word_documents")
    for name, counts in (
        ("word_counts", words.count),
        ("word_documents", words.documents),
        ("word_texts", words.texts),
    ):
        check_whole(reader, name, counts, integral=classes.integral)
    if np.any(words.documents > words.texts[0, class_] * SLACK):
        raise reader.refusal("word_documents", "counts more texts than there are", "at most word_texts")
    if np.any(words.texts[0] + words.missing[0] > classes.counts[0] * SLACK):
        raise reader.refusal("word_texts", "counts more rows of a class than there are", "at most class_counts")
