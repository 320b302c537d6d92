"""Bayes models of counted columns as forms that every target of the exports can write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats, Longs
from crake.errors import CrakeError
from crake.export.forms import Additive, Form, LevelOf, Levels, LevelTerm, LogSum, Part, StepTerm, Sum, Term
from crake.learners.base.classifier import logarithms
from crake.learners.semi_naive.counted import CountedColumns, CutColumns
from crake.table.schema import Schema

ROUNDING = 1e-12
"""Probabilities that add up to 1 but for this have the logarithm 0 where they are summed over."""
MOST_NUMBERS = 1_000_000
"""Probabilities that an exported model holds: some 20 MB of text."""


@dataclass(frozen=True)
class CountedTerms:
    """Terms that columns add to the score of each class, by level or interval."""

    schema: Schema
    columns: CutColumns

    def level(self, j: int) -> LevelOf:
        """Return the level of the j-th column that is read."""
        place = self.columns.places[j]
        column = self.schema.features[place]
        if column not in self.schema.numeric:
            return LevelOf(place)
        return LevelOf(place, self.columns.cuts[self.schema.numeric.index(column)])

    def term(self, j: int, lines: Floats, missing: Floats) -> Term:
        """Return what the j-th column adds: a line for each level, and `missing` where it is not known."""
        level = self.level(j)
        if level.cuts is None:
            return LevelTerm(level.feature, lines, missing, missing)
        return StepTerm(level.feature, level.cuts, lines, missing)


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """log P(class) and the tables of columns, each of which depends on the class and on one other at most.

    `used` are places among the columns that are read. `logs[i]` has the shape (classes, levels of the parent, levels);
    `mode[i]` is the level that stands for a missing one, −1 if missing values are summed over.
    """

    log_prior: Floats
    used: Sequence[int]
    parent: Sequence[int]
    order: Sequence[int]
    logs: Sequence[Floats]
    mode: Codes

    def form(self, terms: CountedTerms) -> Form:
        """Return log P(class, row): sums over levels go from the last columns to the first."""
        children: list[list[int]] = [[] for _ in self.used]
        for i, p in enumerate(self.parent):
            if p >= 0:
                children[p].append(i)
        forms: dict[tuple[int, int], Form] = {}
        for i in reversed(self.order):
            classes, above, levels = self.logs[i].shape
            below = [
                added([forms[child, v] for child in children[i]], np.zeros(classes)) if children[i] else None
                for v in range(levels)
            ]
            for u in range(above):
                forms[i, u] = self._given(terms, i, self.logs[i][:, u, :].T, below)
        roots = [forms[i, 0] for i, p in enumerate(self.parent) if p < 0]
        return added(roots, self.log_prior)

    def _given(self, terms: CountedTerms, i: int, lines: Floats, below: Sequence[Form | None]) -> Form:
        """Return what a column and those below it add, given one level of its parent."""
        none, mode = np.zeros(lines.shape[1]), int(self.mode[i])
        if below[0] is None:
            total = np.logaddexp.reduce(lines, axis=0)
            missing = lines[mode] if mode >= 0 else np.where(np.abs(total) < ROUNDING, 0.0, total)
            return Additive(none, (terms.term(self.used[i], lines, missing),))
        cases = tuple(Sum(line, (Part(form),)) for line, form in zip(lines, below, strict=True) if form is not None)
        return Levels(terms.level(self.used[i]), cases, mode)


def added(forms: Sequence[Form], constant: Floats) -> Form:
    """Return the sum of what columns add; one form for all terms of single columns."""
    terms = tuple(term for form in forms if isinstance(form, Additive) for term in form.terms)
    others = tuple(Part(form) for form in forms if not isinstance(form, Additive))
    if not others:
        return Additive(constant, terms)
    return Sum(constant, (*others, Part(Additive(np.zeros(len(constant)), terms))) if terms else others)


def one_dependence_form(
    counts: CountedColumns, terms: CountedTerms, is_parent: Sequence[Longs], alpha: float, prior: Floats
) -> LogSum:
    """Return log Σ over parents of P(c, x_p) · Π P(x_a given c, x_p); naive Bayes where no value may be a parent.

    `is_parent[p]` are the levels of column p that may be parents.
    """
    sizes = [len(column.levels) for column in counts.columns]
    read = [j for j, size in enumerate(sizes) if size]
    none = np.zeros(len(prior))
    joint = [_log_joint(counts.values.table(p)[0], alpha) for p in range(len(sizes))]
    alone = [_log_shares(counts.values.table(j)[0], alpha) for j in range(len(sizes))]
    parents = []
    for p in read:
        given = {a: _log_shares(counts.pairs.table(p, a)[0], alpha) for a in read if a != p}
        cases: list[Form | None] = [
            Additive(joint[p][:, u], tuple(terms.term(a, own[:, u].T, none) for a, own in given.items()))
            if u in is_parent[p]
            else None
            for u in range(sizes[p])
        ]
        parents.append((terms.level(p), tuple(cases)))
    naive = Additive(prior, tuple(terms.term(j, alone[j].T, none) for j in read))
    return LogSum(tuple(parents), naive)


def _log_joint(counts: Floats, alpha: float) -> Floats:
    """Return log[(n + α) / (Σ n + α · cells)] over all classes and levels."""
    flat = _log_shares(counts.reshape(1, -1), alpha)
    return flat.reshape(counts.shape)


def _log_shares(counts: Floats, alpha: float) -> Floats:
    """Return log[(n + α) / (Σ n + α · V)] along the last axis; log(1/V) where nothing was counted and α is 0."""
    size = counts.shape[-1]
    below = counts.sum(axis=-1, keepdims=True) + alpha * size
    with np.errstate(divide="ignore", invalid="ignore"):
        return logarithms(np.where(below > 0, (counts + alpha) / below, 1.0 / max(size, 1)))


def check_size(title: str, numbers: int) -> None:
    """Raise if a model holds too many probabilities."""
    if numbers > MOST_NUMBERS:
        raise CrakeError(
            f"{title} cannot be exported: it holds {numbers:,} probabilities, and a file of code or a query can hold "
            f"{MOST_NUMBERS:,}; fit it on fewer columns, or on columns of fewer levels"
        )
