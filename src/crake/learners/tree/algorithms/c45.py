"""C4.5: gain ratio, fractional rows for missing values, pessimistic pruning with subtree raising."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.settings import C45Details, Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cut import collapsed
from crake.learners.tree.pruning.j48 import grown_as_j48
from crake.learners.tree.pruning.pessimistic import pruned_pessimistically
from crake.learners.tree.scanned.pruning import grow_and_prune
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import Tree
from crake.table.table import Table

J48_GAP = 1e-5
"""J48 cuts no values closer than this apart, whatever the column's unit."""


class C45Classifier(TreeClassifier):
    """Quinlan's C4.5 in the form people compare with: with `variant="j48"` it has exactly the trees of WEKA's J48.

    Parameters
    ----------
    min_samples_leaf : a split needs two branches with as many rows; beside a numeric cut 0.1·W/K, up to 25.
    confidence : of the upper limit of the errors; smaller prunes more.
    pruning : "pessimistic", "reduced-error" (by rows held out from growing) or None.
    validation_fraction : the share of the rows held out for reduced-error pruning.
    variant : "c4.5", or "j48" for WEKA's J48: values closer than 1e-5, in the column's own unit, are not cut apart,
        and heavy rows count one by one where a numeric cut needs a number of rows.
        Reduced-error pruning is that of J48 -R: the last of 1/validation_fraction folds, in the order of the rows, is
        held out, nothing is collapsed, and leaves count the other rows only.
    raising : whether a subtree may be replaced by its largest branch.
    collapse : whether a subtree that makes no fewer training errors becomes a leaf.
    binary : one value against the others in place of a branch per value.
    correction : whether log2(cuts)/n is subtracted from the gain of a numeric column (Quinlan 1996).
    laplace : leaves answer (n_c + 1)/(n + K).
    max_depth : the most questions asked of a row.
    random_state : which rows are held out.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Quinlan (1993), C4.5: Programs for machine learning; (1996), Improved use of continuous attributes in C4.5.
    """

    card = Card(
        title="C4.5",
        about="tree by gain ratio, pruned; with variant=j48 the trees of WEKA",
        model="a tree",
        missing="divided among the branches",
        has_interactions=True,
        probabilities="shares in a leaf's rows",
        time="a sort per number, a pass per level",
        usual_grid={"confidence": [0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [10, 5, 2]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "pruning": [StrOptions({"pessimistic", "reduced-error"}), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "variant": [StrOptions({"c4.5", "j48"})],
        "raising": ["boolean"],
        "collapse": ["boolean"],
        "binary": ["boolean"],
        "correction": ["boolean"],
        "laplace": ["boolean"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_leaf: float = 2,
        *,
        confidence: float = 0.25,
        pruning: str | None = "pessimistic",
        validation_fraction: float = 1 / 3,
        variant: str = "c4.5",
        raising: bool = True,
        collapse: bool = True,
        binary: bool = False,
        correction: bool = True,
        laplace: bool = False,
        max_depth: int | None = None,
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.variant = variant
        self.raising = raising
        self.collapse = collapse
        self.binary = binary
        self.correction = correction
        self.laplace = laplace
        self.max_depth = max_depth
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _growth(self) -> Growth:
        return Growth(
            criterion="gain_ratio",
            nominal="one-value" if self.binary else "multiway",
            min_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            tolerance=1e-6,
            c45=C45Details(
                is_clamped=True,
                counts_rows=self.variant == "j48",
                has_correction=self.correction,
                gap=J48_GAP if self.variant == "j48" else 0.0,
                average_margin=1e-3,
                many_levels=0.3,
                is_at_data_values=True,
            ),
        )

    def _grown_on_part(self, training: Training) -> Tree:
        if self.variant == "j48":
            return grown_as_j48(training, self._growth(), max(2, round(1 / self.validation_fraction)))
        return super()._grown_on_part(training)

    def _refuse_scan(self, table: Table) -> None:
        if self.class_weight is not None:
            raise table.not_in_memory("class_weight")
        if self.pruning == "reduced-error":
            raise table.not_in_memory("reduced-error pruning")

    def _grown_from_scan(self, rows: ScannedRows) -> Tree:
        confidence = self.confidence if self.pruning == "pessimistic" else None
        growth = self._growth_on(rows.no_rows())
        return grow_and_prune(rows, growth, collapse=self.collapse, confidence=confidence, raising=self.raising)

    def _finished(self, tree: Tree, training: Training) -> Tree:
        if self.collapse:
            tree = collapsed(tree)
        if self.pruning == "pessimistic":
            tree = pruned_pessimistically(tree, training, self.confidence, raising=self.raising)
        return tree
