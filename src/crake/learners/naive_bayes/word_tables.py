"""Words of a naive Bayes model as tables and pictures: those that speak for a class, and those of one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.learners.naive_bayes.words import TextModel
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

LONGEST = 30
"""Words of one text that are written out."""
_NAMES = {
    "multinomial": "occurrences of words",
    "presence": "words, each once a text",
    "bernoulli": "texts that have a word",
    "complement": "occurrences of words in the other classes",
}
_FACTORS = {
    "multinomial": ("log P, {}", "Π P(word | class)"),
    "presence": ("log P, {}", "Π P(word | class)"),
    "bernoulli": ("log P/(1 − P), {}", "Π P(word | class) × Π (1 − P(absent word | class))"),
    "complement": ("−log P of others, {}", "Π 1/P(word | other classes)"),
}
"""The heading of the logarithm that a word adds to a class, and the product over the words of a text."""


def product_formula(words: TextModel) -> str:
    """Return the product over the words of a text as a formula."""
    return _FACTORS[words.model][1]


def text_column(model: NaiveBayesClassifier, column: str | None) -> TextModel:
    """Return the model of a text column, the first if none is named."""
    names = [words.name for words in model.words_]
    if not names:
        raise CrakeError("the model has no column of running text; read it as such: text=['mail'] or --text mail")
    if column is not None and column not in names:
        raise ColumnNotFound(column, names)
    return model.words_[0 if column is None else names.index(column)]


def top_words(words: TextModel, k: int, most: int) -> list[tuple[str, float, float]]:
    """Return the words that speak most for class k: the word, its log odds, and its count in the class."""
    odds = words.log_odds()[k]
    order = np.argsort(-odds, kind="stable")[:most]
    counts = words.counts[k]
    met = [at for at in order if odds[at] > 0 and counts[at] > 0]  # smoothing gives a rare class words it never had
    return [(words.vocabulary[at], float(odds[at]), float(counts[at])) for at in met]


def top_word_grid(model: NaiveBayesClassifier, words: TextModel, most: int) -> Grid:
    """Return the top words of each class side by side, each with its log odds."""
    tops = [top_words(words, k, most) for k in range(len(model.classes_))]
    rows = tuple(
        tuple(f"{shown(top[at][0], 24)} {top[at][1]:+.2f}" if at < len(top) else "" for top in tops)
        for at in range(max(map(len, tops), default=0))
    )
    dropped = f"; {words.dropped:,} words are left out" if words.dropped else ""
    if words.beyond_memory:
        dropped += f"; words with {words.beyond_memory:,.0f} occurrences did not fit in memory"
    below = f"{_NAMES[words.model]}: {len(words.vocabulary):,} words{dropped}; log odds against the other classes"
    return Grid(f"words of {words.name}", tuple(str(label) for label in model.classes_), rows, below)


def draw_words(model: NaiveBayesClassifier, words: TextModel, positive: Any, most: int, width: float) -> Drawing:
    """Draw the words that speak most for a class as bars; by default for the rarest class."""
    labels = [str(label) for label in model.classes_]
    k = int(np.argmin(model.class_count_))
    if positive is not None:
        if str(positive) not in labels:
            raise CrakeError(f"there is no class {positive!r}; expected one of {labels}")
        k = labels.index(str(positive))
    top = top_words(words, k, most)
    bars = tuple(
        Bar(word, odds, f"{odds:+.2f}, {number(count)} {'time' if count == 1 else 'times'}", is_main=at == 0)
        for at, (word, odds, count) in enumerate(top)
    )
    finding = f"{top[0][0]!r} speaks most for {labels[k]}." if top else f"No word speaks for {labels[k]}."
    subtitle = f"log odds against the other classes; {len(words.vocabulary):,} words of {words.name}"
    return bar_drawing(BarPicture(f"Words that speak for {labels[k]}", subtitle, finding, bars), width)


def row_words(words: TextModel, text: str, labels: list[str]) -> tuple[Grid, Floats, int]:
    """Return the words of one text with what each adds, the sum by class, and how many words are not known.

    The words that tell the classes apart most come first, after what a text without words has, if that is not 0.
    """
    codes, _ = words.tokens([text])
    known, times = np.unique(codes[codes >= 0], return_counts=True)
    counted = np.ones(len(known)) if words.once else times.astype(np.float64)
    logs = words.logs[known]
    with np.errstate(invalid="ignore"):
        total = words.without + (logs * counted[:, None]).sum(axis=0)
        spread = np.nan_to_num((logs.max(axis=1) - logs.min(axis=1)) * counted, posinf=1e300) if len(known) else counted
    order = np.argsort(-spread, kind="stable").tolist()
    no_counts = ("",) * (1 + len(labels))
    rows = [("(no word)", *no_counts, *map(number, words.without.tolist()))] if words.model == "bernoulli" else []
    for at in order[:LONGEST]:
        cells = (number(float(counted[at] * log)) for log in logs[at])
        counts = (number(float(count)) for count in words.counts[:, known[at]])
        rows.append((shown(words.vocabulary[known[at]], 30), str(int(times[at])), *counts, *cells))
    heading = _FACTORS[words.model][0]
    header = ("word", "times", *(f"n({label})" for label in labels), *(heading.format(label) for label in labels))
    if len(known) > LONGEST:
        rest = order[LONGEST:]
        sums = (logs[rest] * counted[rest, None]).sum(axis=0).tolist()
        rows.append((f"… {len(rest)} more", *no_counts, *map(number, sums)))
    return Grid(f"words of {words.name}", header, tuple(rows)), total, int(np.count_nonzero(codes < 0))
