"""C4.5: gain ratio, fractional rows for missing values, pessimistic pruning with subtree raising."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.tree.algorithms.column_costs import checked_costs
from crake.learners.tree.algorithms.windows import grown_in_windows
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.settings import C45Details, Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.by_rows import HOLD_OUT
from crake.learners.tree.pruning.cut import collapsed
from crake.learners.tree.pruning.j48 import grown_as_j48
from crake.learners.tree.pruning.pessimistic import pruned_pessimistically
from crake.learners.tree.scanned.c45_tree import Finish, c45_from_scans
from crake.learners.tree.scanned.grower import prefers_intervals, where_memory_allows
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import Tree
from crake.notices import warn_once
from crake.table.table import Table

J48_GAP = 1e-5
"""J48 cuts no values closer than this apart, whatever the column's unit."""
DEALS_ROWS = "copies of a row come into the window one by one, a heavy row at once"


class C45Classifier(TreeClassifier):
    """Quinlan's C4.5 in the form people compare with: with `variant="j48"` it has exactly the trees of WEKA's J48.

    Parameters
    ----------
    min_samples_leaf : a split needs two branches with as many rows; beside a numeric cut 0.1·W/K, up to 25.
    confidence : of the upper limit of the errors; smaller prunes more.
    pruning : "pessimistic", None, or by rows held out from growing: "reduced-error", "error-complexity" (the trees of
        least errors + alpha × leaves, of which these rows choose one) or "critical-value"; or "mdl": the shortest code
        of the tree and its rows' classes, by which nodes stop growing, too (confidence, raising, collapse do nothing).
    critical_value : with pruning="critical-value" a subtree stays if one of its splits has this gain ratio; None: the
        rows held out choose it.
    validation_fraction : the share of the rows held out for pruning.
    window : None, or the share of the rows that the first tree grows from. Half of the rows that it gets wrong join
        them, and so on, until the tree gets all others right; then all rows are counted in it.
    variant : "c4.5", or "j48" for WEKA's J48: values closer than 1e-5, in the column's own unit, are not cut apart,
        and heavy rows count one by one where a numeric cut needs a number of rows.
        Reduced-error pruning is that of J48 -R: the last of 1/validation_fraction folds, in the order of the rows, is
        held out, nothing is collapsed, and leaves count the other rows only.
    column_costs : None, or the cost of knowing a column, such as {"blood test": 20}; columns that are not named cost
        nothing. The split of the largest (2^gain − 1)/(cost + 1)^cost_weight is chosen, not that of the gain ratio.
    cost_weight : ω, from 0 (costs do not matter) to 1.
    raising : whether a subtree may be replaced by its largest branch.
    collapse : whether a subtree that makes no fewer training errors becomes a leaf.
    binary : one value against the others in place of a branch per value.
    correction : whether log2(cuts)/n is subtracted from the gain of a numeric column (Quinlan 1996).
    laplace : leaves answer (n_c + 1)/(n + K).
    max_depth : the most questions asked of a row.
    random_state : which rows are held out, and in which order rows come into the window.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Quinlan (1993), C4.5: Programs for machine learning; (1996), Improved use of continuous attributes in C4.5. Mingers
    (1989), An empirical comparison of pruning methods for decision tree induction. Núñez (1991), The use of background
    knowledge in decision tree induction.
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
    scans_rows = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "pruning": [StrOptions({"pessimistic", "mdl", *HOLD_OUT}), None],
        "critical_value": [Interval(Real, 0, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "window": [Interval(Real, 0, 1, closed="right"), None],
        "variant": [StrOptions({"c4.5", "j48"})],
        "column_costs": [dict, None],
        "cost_weight": [Interval(Real, 0, 1, closed="both")],
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
        critical_value: float | None = None,
        validation_fraction: float = 1 / 3,
        window: float | None = None,
        variant: str = "c4.5",
        column_costs: Any = None,
        cost_weight: float = 1.0,
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
        self.critical_value = critical_value
        self.validation_fraction = validation_fraction
        self.window = window
        self.variant = variant
        self.column_costs = column_costs
        self.cost_weight = cost_weight
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
            divisors=self._divisors(),
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

    def _warn(self, table: Table) -> None:
        super()._warn(table)
        needed = 2 * self.min_samples_leaf
        # A table with hardly enough rows is a leaf, or nearly one, whatever its rows weigh.
        if table.weights is None or len(table) < 2 * needed:
            return
        total = float(table.weights.sum())
        if total < needed and float(table.weights.max()) < 1:
            warn_once(
                f"the weights of all {len(table):,} rows add up to {total:g}, and a split needs two branches of "
                f"min_samples_leaf={self.min_samples_leaf:g}: the tree is one leaf. Weights count as rows; multiply "
                "them by a constant"
            )

    def _divisors(self) -> tuple[float, ...]:
        """Return (cost + 1)^ω of each column, in the order of the table; none without costs, or before a table."""
        if not self.column_costs or not hasattr(self, "schema_"):
            return ()
        names = [column.name for column in self.schema_.features]
        costs = checked_costs(self.column_costs, names)
        return tuple((costs.get(name, 0.0) + 1.0) ** float(self.cost_weight) for name in names)

    def _tree_of(self, training: Training) -> Tree:
        if self.window is None:
            return super()._tree_of(training)
        return grown_in_windows(training, super()._tree_of, self.window, self.random_state)

    def _grown_scan(self, rows: ScannedRows, growth: Growth) -> Tree | None:
        """Return the tree of rows that do not fit into memory, if pruning asks for no other rows."""
        is_plain = self.pruning in (None, "pessimistic") and self.window is None
        if not is_plain or not prefers_intervals(rows, growth):
            return None
        confidence = None if self.pruning is None else self.confidence
        finish = Finish(confidence, self.raising, self.collapse)
        return where_memory_allows(lambda: c45_from_scans(rows, growth, finish))

    def grows_alike(self, training: Training) -> bool:
        """Return True if samples of these rows may grow together: no window, no costs, and nothing held out."""
        return self.window is None and not self.column_costs and super().grows_alike(training)

    def _weight_exception(self) -> str:
        return DEALS_ROWS if self.window is not None else ""

    def _grown_on_part(self, training: Training) -> Tree:
        if self.variant == "j48" and self.pruning == "reduced-error":
            return grown_as_j48(training, self._growth(), max(2, round(1 / self.validation_fraction)))
        return super()._grown_on_part(training)

    def _finished(self, tree: Tree, training: Training) -> Tree:
        if self.collapse:
            tree = collapsed(tree)
        if self.pruning == "pessimistic":
            tree = pruned_pessimistically(tree, training, self.confidence, raising=self.raising)
        return self._at_critical_value(tree)
