"""The probability that each column depends on the class: as a table, a picture, and in a hand calculation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.naive_bayes.workings import log_factors
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown
from crake.render.workings import Section, Step, Workings, number, scientific
from crake.statistics import ValueCounts
from crake.table.schema import Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.averaged.learner import AveragedNaiveBayesClassifier

TITLE = "Probability that each column depends on the class"
LONGEST = 60
"""Columns printed before the rest is only counted."""
NOT_CUT = "no cut pays"


def counts_of_columns(model: AveragedNaiveBayesClassifier) -> list[Floats | None]:
    """Return the counts (classes, values) of each column in table order; None for a number that no cut divides."""
    values, numbers = model.statistics_[ValueCounts], iter(model.intervals_)
    tables, nominal = [], 0
    for column in model.schema_.features:
        if column.kind is Kind.NOMINAL:
            tables.append(values.table(nominal)[0])
            nominal += 1
        else:
            own = next(numbers)
            tables.append(own.counts if own.has_influence else None)
    return tables


def column_probabilities(model: AveragedNaiveBayesClassifier) -> Floats:
    """Return w of each column in table order; 0 for a number that no cut divides, which is not used."""
    rule = model.smoothing
    return np.array([0.0 if counts is None else rule.probability(counts) for counts in counts_of_columns(model)])


def column_grid(model: AveragedNaiveBayesClassifier) -> Grid:
    """Return the columns, the most probable first, with the evidence in powers of ten."""
    names, tables = [column.name for column in model.schema_.features], counts_of_columns(model)
    depends, rows = model.depends_, []
    for j in _order(depends)[:LONGEST]:
        counts = tables[j]
        if counts is None:
            rows.append((shown(names[j], 40), "0", NOT_CUT))
        else:
            powers = model.smoothing.log_evidence_ratio(counts) / np.log(10.0)
            rows.append((shown(names[j], 40), probability_text(depends[j]), minus(f"{powers:+z.2f}")))
    if len(names) > LONGEST:
        rows.append((f"… {len(names) - LONGEST} more", "", ""))
    below = f"{number(model.depends)} before any row was seen; evidence: log10 of P(rows if it does)/P(rows if not)"
    return Grid(TITLE, ("column", "P(depends)", "evidence"), tuple(rows), below)


def draw_columns(model: AveragedNaiveBayesClassifier, most: int, width: float) -> Drawing:
    """Draw the probabilities as bars, the most probable column first."""
    names, depends = [column.name for column in model.schema_.features], model.depends_
    likely = int(np.sum(depends > 0.5))
    bars = tuple(
        Bar(shown(names[j], 40), float(depends[j]), probability_text(depends[j]), is_main=at < likely)
        for at, j in enumerate(_order(depends)[:most])
    )
    finding = f"{likely} of {len(names)} columns more likely depend on the class than not."
    left_out = len(names) - len(bars)
    notes = (f"The {left_out} least probable columns are left out.",) if left_out else ()
    subtitle = f"{number(model.depends)} before any row was seen"
    return bar_drawing(BarPicture(TITLE, subtitle, finding, bars, notes), width)


def with_columns(workings: Workings, model: AveragedNaiveBayesClassifier, row: Table) -> Workings:
    """Return the hand calculation of a row with the probability of each column that has a say in it."""
    before, has_say = model.depends, log_factors(model, row)
    steps = []
    for column, counts in zip(model.schema_.features, counts_of_columns(model), strict=True):
        if counts is None or column.name not in has_say:
            continue
        log_ratio = model.smoothing.log_evidence_ratio(counts)
        above = f"{scientific(log_ratio)}·{number(before)}"
        below = f"({above} + {number(1.0 - before)})"
        source = f"the rows are {scientific(log_ratio)} times as probable if it depends on the class"
        w = number(model.smoothing.probability(counts))
        steps.append(Step(f"w({column.name})", "", f"{above}/{below}", w, source))
    section = Section(TITLE, tuple(steps))
    title = (
        "Averaged naive Bayes: P(class | row) = P(class) × Π [w·P(value | class) + (1 − w)·P(value)] "
        "/ sum over the classes"
    )
    return replace(workings, title=title, sections=(section, *workings.sections))


def probability_text(w: float) -> str:
    """Return a probability with four digits; one that is nearly 1 as such.

    >>> probability_text(0.46899), probability_text(1 - 1e-13)
    ('0.469', '> 0.9999')
    """
    return number(float(w)) if w <= 0.9999 else "> 0.9999"


def _order(depends: Floats) -> list[int]:
    """Return the columns by falling probability, equal ones in table order."""
    return [int(j) for j in np.argsort(-depends, kind="stable")]
