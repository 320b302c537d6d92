"""One split of a tree as a student writes it: branches with their counts, impurity before and after, the gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.criteria import chi_square, degrees_of_freedom, entropy, gini, likelihood_ratio, split_information
from crake.learners.tree.conditions import condition_of
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.tree import Tree
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings import Step, fraction, number
from crake.slow_modules import special
from crake.table.schema import Kind, Schema

TERMS = 8
"""Terms of a sum that are written out; longer sums are only named."""
CLASSES = 6
"""Classes with a column of their own in the table of branches."""
DIGITS = 12
"""Digits behind which a float differs from what the sum would be on paper."""
UNCORRECTED = " without the correction"
"""Said of a ratio that is not the one a numeric column was chosen by."""
BRANCHES = 12
"""Branches listed before the rest is only counted."""


@dataclass(frozen=True)
class SplitArithmetic:
    """A node that splits, measured by entropy, the gain ratio, Gini, or chi-square (what its tree was grown by).

    `is_corrected`: the learner took log2(cuts)/n off the gain before it divided. A model does not hold the number of
    cuts, so the ratio that the counts give is called what it is.
    """

    tree: Tree
    schema: Schema
    node: int
    criterion: str
    is_corrected: bool = False

    @property
    def before(self) -> Floats:
        """The class weights of the node."""
        counts: Floats = self.tree.counts[self.node]
        return counts

    @property
    def table(self) -> Floats:
        """The class weights of each branch."""
        counts: Floats = self.tree.counts[list(self.tree.children(self.node))]
        return counts

    def branch_lines(self, branch: int) -> tuple[str, ...]:
        """Return the branches as text, one line each."""
        return self.branches(branch).lines()

    def branches(self, branch: int) -> Grid:
        """Return branch, rows, classes and impurity, one row per branch; an arrow at the branch taken."""
        table, weight = self.table, self.table.sum(axis=1)
        order = [b for b in range(len(table)) if b < BRANCHES - 1 or b == branch or len(table) <= BRANCHES]
        header, cells = self._columns()
        impurity = self._impurity()
        rows = tuple(
            (
                f"{'→' if b == branch else ' '} {condition_of(self.tree, self.schema, self.node, b)}",
                number(float(weight[b])),
                *cells[b],
                number(float(impurity[b])),
            )
            for b in order
        )
        if len(order) < len(table):
            rows = (*rows, (f"  … and {len(table) - len(order)} more branches", *("" for _ in rows[0][1:])))
        return Grid("", ("  branch", "rows", *header, self._name), rows)

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns between a branch's rows and its impurity: its classes, or its mean."""
        if self.criterion == "squared_error":
            return ["mean"], [[number(float(mean))] for mean in self._responses[:, 0]]
        if len(self.schema.classes) > CLASSES:
            return ["classes"], [[class_counts(self.schema, row, 3)] for row in self.table]
        return [visible(label) for label in self.schema.classes], [
            [number(float(n)) for n in row] for row in self.table
        ]

    @property
    def _name(self) -> str:
        return {"gini": "Gini", "squared_error": "squared error"}.get(self.criterion, "entropy")

    @property
    def _responses(self) -> Floats:
        """Mean and summed squared error of each branch."""
        responses: Floats = self.tree.responses[list(self.tree.children(self.node))]
        return responses

    def _impurity(self) -> Floats:
        """Return the impurity of each branch."""
        if self.criterion == "squared_error":
            weight = self.table.sum(axis=1)
            return self._responses[:, 1] / np.where(weight > 0, weight, 1.0)
        impurity: Floats = gini(self.table) if self.criterion == "gini" else entropy(self.table)
        return impurity

    def steps(self) -> tuple[Step, ...]:
        """Return impurity before and after, the gain; and the gain ratio where it decides."""
        if self.criterion in ("chi-square", "likelihood"):
            return self._test_steps()
        name, each = self._name, self._impurity()
        weight, total = self.table.sum(axis=1), float(self.table.sum())
        before = self._impurity_before(total)
        after = round(float(weight @ each / total), DIGITS)
        gain = Step(
            "gain" if name == "entropy" else f"{name} decrease",
            substitution=f"{number(before)} − {number(after)}",
            value=number(round(before - after, DIGITS)),
        )
        steps = (
            self._impurity_step(f"{name} before", before, total),
            _weighted_step(f"{name} after", weight, each, total, after),
            gain,
        )
        return (*steps, *self._ratio_steps(before - after)) if self.criterion == "gain_ratio" else steps

    def _impurity_before(self, total: float) -> float:
        if self.criterion == "squared_error":
            return float(self.tree.responses[self.node, 1]) / total
        return float(gini(self.before) if self.criterion == "gini" else entropy(self.before))

    def _impurity_step(self, name: str, value: float, total: float) -> Step:
        if self.criterion == "squared_error":
            error = number(float(self.tree.responses[self.node, 1]))
            return Step(name, "Σ (y − mean)²/n", f"{error}/{number(total)}", number(value))
        counts = self.before[self.before > 0]
        shares = [fraction(float(n), float(counts.sum())) for n in counts]
        if len(shares) > TERMS:
            formula = "1 − Σ (n_k/n)²" if self.criterion == "gini" else "−Σ n_k/n·log2(n_k/n)"
            return Step(name, f"{formula} over {len(shares)} classes", value=number(value))
        if self.criterion == "gini":
            return Step(name, substitution="1" + "".join(f" − ({share})²" for share in shares), value=number(value))
        return Step(name, substitution=_logarithms(shares), value=number(value))

    def _ratio_steps(self, gain: float) -> tuple[Step, ...]:
        """Gain / −Σ n_b/n·log2(n_b/n)."""
        weight = self.table.sum(axis=1)
        information = float(split_information(self.table))
        shares = [fraction(float(n), float(weight.sum())) for n in weight if n > 0]
        written = _logarithms(shares) if len(shares) <= TERMS else ""
        formula = "" if written else f"−Σ n_b/n·log2(n_b/n) over {len(shares)} branches"
        if information <= 0:
            return ()
        return (
            Step("split information", formula, written, number(information)),
            Step(
                f"gain ratio{UNCORRECTED if self.is_corrected else ''}",
                "",
                f"{number(gain)} / {number(information)}",
                number(round(gain / information, DIGITS)),
            ),
        )

    def _test_steps(self) -> tuple[Step, ...]:
        """The statistic of branches × classes; p before it is adjusted for the merging of values."""
        freedom = int(degrees_of_freedom(self.table))
        if self.criterion == "likelihood":
            statistic, step = float(likelihood_ratio(self.table)), ("G", "2 Σ observed·ln(observed/expected)")
        else:
            statistic, step = float(chi_square(self.table)), ("chi-square", "Σ (observed − expected)²/expected")
        p = float(special.chdtrc(freedom, statistic)) if freedom else 1.0
        degrees = "degree" if freedom == 1 else "degrees"
        return (
            Step(
                *step, self._cells_written(), number(statistic), "expected: rows of the branch × rows of the class / n"
            ),
            Step(f"p ({freedom} {degrees} of freedom)", value=number(p)),
        )

    def _cells_written(self) -> str:
        """Each cell's term, where there are few."""
        table = self.table[np.ix_(self.table.sum(axis=1) > 0, self.table.sum(axis=0) > 0)]
        if table.size > TERMS:
            return ""
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        pairs = [(number(float(n)), number(float(e))) for n, e in zip(table.ravel(), expected.ravel(), strict=True)]
        if self.criterion == "likelihood":
            return "2 × (" + " + ".join(f"{n}·ln({n}/{e})" for n, e in pairs if n != "0") + ")"
        return " + ".join(f"({n} − {e})²/{e}" for n, e in pairs)


def _weighted_step(name: str, weight: Floats, each: Floats, total: float, after: float) -> Step:
    filled = [b for b in range(len(weight)) if weight[b] > 0]
    if len(filled) > TERMS:
        return Step(name, f"Σ n_b/n × that of branch b, over {len(filled)} branches", value=number(after))
    terms = [f"{fraction(float(weight[b]), total)} × {number(float(each[b]))}" for b in filled]
    return Step(name, substitution=" + ".join(terms), value=number(after))


def _logarithms(shares: list[str]) -> str:
    """−9/14·log2(9/14) − 5/14·log2(5/14)."""
    return "−" + " − ".join(f"{share}·log2({share})" for share in shares)


def model_split(model: TreeModel, node: int) -> SplitArithmetic:
    """Return the split of a node of a model."""
    column = model.schema.features[model.tree.feature[node]]
    is_corrected = model.search.has_correction and column.kind is Kind.NUMERIC
    return SplitArithmetic(model.shown, model.schema, node, model.measure, is_corrected)


def node_rows(tree: Tree, schema: Schema, node: int) -> str:
    """Write 14 rows: no 5, yes 9; for regression 14 rows, mean 2.5."""
    if not len(tree.responses):
        return class_counts(schema, tree.counts[node])
    return f"{rows_text(float(tree.weight[node]))}, mean {number(float(tree.responses[node, 0]))}"


def rows_text(weight: float) -> str:
    """Write 14 rows, 1 row, 2.5 rows."""
    return f"{number(weight)} row{'' if weight == 1 else 's'}"


def class_counts(schema: Schema, counts: Floats, most: int = CLASSES) -> str:
    """Write 14 rows: no 5, yes 9; of many classes only the most frequent."""
    rows = rows_text(float(counts.sum()))
    if len(counts) <= most:
        order = np.arange(len(counts))
    else:
        order = np.argsort(-counts, kind="stable")[:most]
        order = order[counts[order] > 0]
    listed = ", ".join(f"{visible(schema.classes[k])} {number(float(counts[k]))}" for k in order)
    omitted = int(np.sum(counts > 0)) - int(np.sum(counts[order] > 0))
    more = f", … ({omitted} more)" if omitted else ""
    return f"{rows}: {listed}{more}" if listed else rows


def is_whole(counts: Floats) -> bool:
    """Return whether all are whole numbers, up to rounding."""
    return bool(np.all(np.abs(counts - np.round(counts)) < 1e-6))
