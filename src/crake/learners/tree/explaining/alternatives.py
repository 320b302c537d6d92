"""The splits that a tree could have made at a node, and what each is worth.

For classes: gain, gain ratio, Gini and chi-square. For regression: how much squared error a split takes away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.criteria import chi_square, degrees_of_freedom, entropy, gini_decrease, information_gain
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import branch_of
from crake.learners.tree.explaining.best_splits import NONE, BestSplit, best_splits
from crake.learners.tree.explaining.labelled_rows import cells_of, labelled_rows, one_attribute, rows_at
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.explaining.split_arithmetic import class_counts, rows_text
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.number_text import p_text, prediction_text
from crake.learners.tree.tree import Surrogates
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import Step, number
from crake.slow_modules import special

BELOW_AVERAGE = "below the average gain"
"""Remark at a split that C4.5 does not consider, whatever its ratio."""
MEANS = 3
"""Number of branches whose means are written side by side."""


def alternatives(model: TreeModel, node: int, X: Any, y: Any = None, sample_weight: Any = None) -> Grid:
    """Return the table of a node's splits; an arrow marks the one chosen, a remark those that the settings forbid."""
    every = labelled_rows(model, X, y, sample_weight)
    here = rows_at(model, every, node)
    splits = best_splits(model, every, here, node)
    if model.is_regression:
        figures: tuple[str, ...] = ("means", "decrease", "share of error")
        cells = [_error_figures(each) if each.branches else () for each in splits]
        return _grid(_mean_title(model, node, here), splits, figures, cells)
    merits = [merit_of(model, each) if each.branches else None for each in splits]
    splits = _told_of_average(model, every, splits, merits)
    is_corrected = any(merit is not None and merit.correction > 0 for merit in merits)
    corrected = ("corrected",) if is_corrected else ()
    figures = ("gain", *corrected, "gain ratio", "Gini decrease", *model.search.tests)
    cells = [_figures(merit, each.log_p, is_corrected=is_corrected) for each, merit in zip(splits, merits, strict=True)]
    if divisors := model.search.divisors():
        figures = ("for its cost", *figures)
        cells = [
            (f"{merit.for_cost(own):z.3f}", *cell) if merit is not None else cell
            for cell, merit, own in zip(cells, merits, divisors, strict=True)
        ]
    return _grid(_title(model, node, here), splits, figures, cells)


def _told_of_average(
    model: TreeModel, every: Training, splits: list[BestSplit], merits: list[Merit | None]
) -> list[BestSplit]:
    """Return the splits with a remark at those whose gain C4.5 finds too small: it must reach the average gain.

    The average runs over the columns that may be split; those of very many values are left out of it.
    """
    growth = model.search.growth
    if growth is None or growth.divisors or model.measure != "gain_ratio":
        return splits
    gains = np.array([0.0 if merit is None else merit.gain - merit.correction for merit in merits])
    usable = np.array([each.branches > 0 and not each.remark for each in splits])
    layout = every.layout
    many = ~layout.is_numeric & (layout.levels >= growth.c45.many_levels * every.total)
    averaged = usable & (np.ones(len(many), bool) if many.all() else ~many)
    if not averaged.any():
        return splits
    least = float(gains[averaged].mean()) - growth.c45.average_margin
    return [
        replace(each, remark=BELOW_AVERAGE) if usable[place] and gains[place] < least and not each.is_chosen else each
        for place, each in enumerate(splits)
    ]


def ratio_steps(model: TreeModel, node: int, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Step, ...]:
    """Return the gain ratio of a node's split as C4.5 computed it, from the rows that come there.

    The gain is that among known values times their share, less log2(cuts)/n for a number; missing values are one more
    branch of the split information.
    """
    every = labelled_rows(model, X, y, sample_weight)
    here = rows_at(model, every, node)
    feature = int(model.tree.feature[node])
    merit = _own_merit(model, here, node)
    total = float(here.row_weights.sum())
    weights = [*merit.table.sum(axis=1), merit.missing]
    information = float(entropy(weights))
    if information <= 0:
        return ()
    among = float(information_gain(merit.table))
    steps = [Step("gain", "", f"{number(merit.known_share)} × {number(among)}", number(merit.gain))]
    if merit.missing <= 0:
        steps = [Step("gain", value=number(merit.gain))]
    corrected = number(merit.gain)
    if merit.correction > 0:
        cuts = round(2 ** (merit.correction * total))
        corrected = f"({number(merit.gain)} − {number(merit.correction)})"
        steps.append(
            Step("correction", "log2(cuts)/n", f"log2({cuts})/{number(total)}", number(merit.correction),
                 f"of {shown(model.schema.features[feature].name, 40)}")
        )  # fmt: skip
    return (
        *steps,
        Step("split information", value=number(information)),
        Step("gain ratio", "", f"{corrected} / {number(information)}", number(merit.ratio)),
    )


def _own_merit(model: TreeModel, here: Training, node: int) -> Merit:
    """Return the merit of the split that the tree has at a node."""
    tree = replace(model.tree, missing=np.full(len(model.tree), -1, np.int32), surrogates=Surrogates())
    branch = branch_of(tree, model.schema, node, lambda feature: cells_of(here, feature))
    table, known, weights = np.zeros((int(tree.branches[node]), here.classes)), branch >= 0, here.row_weights
    np.add.at(table, (branch[known], here.target[known]), weights[known])
    alone = one_attribute(here, int(tree.feature[node]))
    return Merit(table, float(weights[~known].sum()), model.search.correction(alone))


def _grid(title: str, splits: list[BestSplit], figures: tuple[str, ...], cells: list[tuple[str, ...]]) -> Grid:
    """Return a row per attribute: an arrow at the one chosen, its split, figures (none: a dash each), its remark."""
    rows = [
        (
            f"{'→' if each.is_chosen else ' '} {shown(each.name, 40)}",
            shown(each.split, 50),
            *(mine or [NONE] * len(figures)),
        )
        for each, mine in zip(splits, cells, strict=True)
    ]
    header: tuple[str, ...] = ("  attribute", "best split", *figures)
    if any(each.remark for each in splits):
        header = (*header, "")
        rows = [(*row, each.remark) for row, each in zip(rows, splits, strict=True)]
    return Grid(title, header, tuple(rows))


@dataclass(frozen=True)
class Merit:
    """The merit of a split. `table` has its class weights by branch, `missing` the weight of the rows whose value is
    not known, `correction` is taken off the gain (C4.5).
    """

    table: Floats
    missing: float
    correction: float

    @property
    def known_share(self) -> float:
        """The share of the rows whose value is known: the gain counts for them only."""
        known = float(self.table.sum())
        return known / (known + self.missing) if known > 0 else 0.0

    @property
    def gain(self) -> float:
        """Information gain in bits, times the share of known values."""
        return self.known_share * float(information_gain(self.table))

    @property
    def ratio(self) -> float:
        """The (corrected) gain / split information; missing values are one more branch of it."""
        information = float(entropy([*self.table.sum(axis=1), self.missing]))
        return (self.gain - self.correction) / information if information > 0 else 0.0

    def for_cost(self, divisor: float) -> float:
        """(2^gain − 1)/divisor, the gain corrected."""
        return float((2.0 ** (self.gain - self.correction) - 1.0) / divisor)

    @property
    def decrease(self) -> float:
        """The decrease of Gini, times the share of known values."""
        return self.known_share * float(gini_decrease(self.table))

    @property
    def p(self) -> float:
        """The p of Pearson's test that branch and class are independent, not adjusted."""
        freedom = int(degrees_of_freedom(self.table))
        return float(special.chdtrc(freedom, float(chi_square(self.table)))) if freedom else 1.0


def merit_of(model: TreeModel, each: BestSplit) -> Merit:
    """Return the merit of a split from the class weights of its branches."""
    table, known = np.zeros((each.branches, each.rows.classes)), each.branch >= 0
    np.add.at(table, (each.branch[known], each.rows.target[known]), each.weights[known])
    return Merit(table, each.missing, model.search.correction(each.rows))


def _figures(merit: Merit | None, log_p: tuple[float, ...], *, is_corrected: bool) -> tuple[str, ...]:
    if merit is None:
        return ()
    corrected = (f"{merit.gain - merit.correction:z.3f}",) if is_corrected else ()
    tests = tuple(map(p_text, log_p)) or (_p(merit.p),)
    return (f"{merit.gain:z.3f}", *corrected, f"{merit.ratio:z.3f}", f"{merit.decrease:z.3f}", *tests)


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else "< 0.001"


def _title(model: TreeModel, node: int, here: Training) -> str:
    weights = here.weights if len(here.weights) else None
    counts = np.bincount(here.target, weights, minlength=here.classes).astype(np.float64)
    return f"{_node_title(model.tree.kind[node] == LEAF, node)}: {class_counts(model.schema, counts)}" + _other_rows(
        counts, model.tree.counts[node]
    )


def _node_title(is_leaf: bool, node: int) -> str:
    """Return the heading of a node."""
    return f"Node {node}, a leaf" if is_leaf else f"Node {node}"


def _other_rows(counts: Floats, stored: Floats) -> str:
    """Return a remark where the rows that come to a node are not those it was grown from."""
    return "" if np.allclose(counts, stored, rtol=1e-6, atol=1e-6) else " (the tree was grown from other rows)"


def _error_figures(each: BestSplit) -> tuple[str, ...]:
    """The branches' means, MSE − Σ W_b/W·MSE_b among known values times their share, and its share of that MSE."""
    known = each.branch >= 0
    y, w, branch = each.rows.response[known], each.weights[known], each.branch[known]
    weight = np.bincount(branch, w, minlength=each.branches)
    means = np.bincount(branch, w * y, minlength=each.branches) / np.where(weight > 0, weight, 1.0)
    before = squared_error(y, w)
    decrease = before - float(np.sum(w * (y - means[branch]) ** 2))
    total = float(each.weights.sum())
    written = [prediction_text(float(f"{mean:.4g}")) for mean in means[weight > 0]]
    share = decrease / before if before > 0 else 0.0
    return (" | ".join(written[:MEANS]), number(decrease / total), f"{share:.3f}")


def squared_error(y: Floats, weights: Floats) -> float:
    """Σ w·(y − mean)²."""
    return float(np.sum(weights * (y - np.average(y, weights=weights)) ** 2)) if weights.sum() > 0 else 0.0


def _mean_title(model: TreeModel, node: int, here: Training) -> str:
    weights = here.row_weights
    total = float(weights.sum())
    called = _node_title(model.tree.kind[node] == LEAF, node)
    if total == 0:
        return f"{called}: {rows_text(0)}"
    mean, error = float(np.average(here.response, weights=weights)), squared_error(here.response, weights) / total
    title = f"{called}: {rows_text(total)}, mean {number(mean)}, mean squared error {number(error)}"
    return title + _other_rows(
        np.array([total, mean]), np.array([model.tree.weight[node], model.tree.responses[node, 0]])
    )
