"""What a tree of classes could have asked at a node, and what each question is worth: gain, ratio, Gini, chi-square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.criteria import chi_square, degrees_of_freedom, entropy, gini_decrease, information_gain
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.chaid.significance import p_text
from crake.learners.tree.explaining.best_splits import NONE, BestSplit, best_splits
from crake.learners.tree.explaining.labelled_rows import labelled_rows, rows_at
from crake.learners.tree.explaining.split_arithmetic import class_counts
from crake.learners.tree.growing.training_rows import Training
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.slow_modules import special

if TYPE_CHECKING:
    from crake.learners.tree.showing.class_views import ClassTreeViews


@dataclass(frozen=True)
class Merit:
    """What a split is worth. `table` has its class weights by branch, `missing` the weight of the rows whose value is
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

    @property
    def decrease(self) -> float:
        """The decrease of Gini, times the share of known values."""
        return self.known_share * float(gini_decrease(self.table))

    @property
    def p(self) -> float:
        """The p of Pearson's test that branch and class are independent, not adjusted."""
        freedom = int(degrees_of_freedom(self.table))
        return float(special.chdtrc(freedom, float(chi_square(self.table)))) if freedom else 1.0


def alternatives(model: ClassTreeViews, node: int, X: Any, y: Any = None, sample_weight: Any = None) -> Grid:
    """The gain table of a node; the attribute chosen has an arrow, splits that the settings do not allow a remark."""
    every = labelled_rows(model, X, y, sample_weight)
    here = rows_at(model, every, node)
    found = best_splits(model, every, here, node)
    merits = [merit_of(model, each) if each.branches else None for each in found]
    is_corrected = any(merit is not None and merit.correction > 0 for merit in merits)
    corrected = ("corrected",) if is_corrected else ()
    tests = model._tests  # noqa: SLF001 - one family
    figures = ("gain", *corrected, "gain ratio", "Gini decrease", *tests)
    cells = [_figures(merit, each.log_p, is_corrected=is_corrected) for each, merit in zip(found, merits, strict=True)]
    return alternatives_grid(_title(model, node, here), found, figures, cells)


def alternatives_grid(
    title: str, found: list[BestSplit], figures: tuple[str, ...], cells: list[tuple[str, ...]]
) -> Grid:
    """A row an attribute: an arrow at the one chosen, its best split, figures (none: a dash each), and its remark."""
    rows = [
        (
            f"{'→' if each.is_chosen else ' '} {shown(each.name, 40)}",
            shown(each.split, 50),
            *(mine or [NONE] * len(figures)),
        )
        for each, mine in zip(found, cells, strict=True)
    ]
    header: tuple[str, ...] = ("  attribute", "best split", *figures)
    if any(each.remark for each in found):
        header = (*header, "")
        rows = [(*row, each.remark) for row, each in zip(rows, found, strict=True)]
    return Grid(title, header, tuple(rows))


def merit_of(model: ClassTreeViews, each: BestSplit) -> Merit:
    """The class weights of a split's branches, from which it is judged."""
    table, known = np.zeros((each.branches, each.rows.classes)), each.branch >= 0
    np.add.at(table, (each.branch[known], each.rows.target[known]), each.weights[known])
    return Merit(table, each.missing, model._correction(each.rows))  # noqa: SLF001 - one family


def _figures(merit: Merit | None, log_p: tuple[float, ...], *, is_corrected: bool) -> tuple[str, ...]:
    if merit is None:
        return ()
    corrected = (f"{merit.gain - merit.correction:.3f}",) if is_corrected else ()
    tests = tuple(map(p_text, log_p)) or (_p(merit.p),)
    return (f"{merit.gain:.3f}", *corrected, f"{merit.ratio:.3f}", f"{merit.decrease:.3f}", *tests)


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else "< 0.001"


def _title(model: ClassTreeViews, node: int, here: Training) -> str:
    weights = here.weights if len(here.weights) else None
    counts = np.bincount(here.target, weights, minlength=here.classes).astype(np.float64)
    return f"{node_title(model.tree_.kind[node] == LEAF, node)}: {class_counts(model.schema_, counts)}" + other_rows(
        counts, model.tree_.counts[node]
    )


def node_title(is_leaf: bool, node: int) -> str:
    """How a node is called in a heading."""
    return f"Node {node}, a leaf" if is_leaf else f"Node {node}"


def other_rows(found: Floats, held: Floats) -> str:
    """A remark where the rows that come to a node are not those it was grown from."""
    return "" if np.allclose(found, held, rtol=1e-6, atol=1e-6) else " (the tree was grown from other rows)"
