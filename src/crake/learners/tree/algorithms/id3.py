"""ID3: a branch for every value of the attribute with the largest information gain."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from crake.errors import SchemaError
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.settings import Growth
from crake.table.table import Table


class ID3Classifier(TreeClassifier):
    """Quinlan's ID3. A node is a leaf if it is pure, if no attribute is left that tells its rows apart, or if none
    gains anything. A branch without rows answers as the node above it.

    Parameters
    ----------
    min_gain : a node whose best gain, in bits, is not above this is a leaf; None: it is split all the same, on the
        first nominal attribute that tells its rows apart, so that an exclusive or is learned.
    numeric : "threshold" cuts a numeric column in two at the midpoint that gains most; "refuse" refuses it, as ID3 was
        made for nominal columns: discretise them first (crake.Discretizer).
    missing : "fractional" sends a row whose value is missing down every branch with the branch's share of its weight,
        in training and prediction; "branch" gives missing values a branch where training rows have them.
    pruning : None; "reduced-error": by rows held out from growing; or "mdl": the shortest code of the tree and its
        rows' classes, by which nodes stop growing, too.
    validation_fraction : the share of the rows held out for reduced-error pruning.
    laplace : leaves answer (n_c + 1)/(n + K).
    max_depth : the most questions asked of a row.
    random_state : which rows are held out.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    A value never seen is treated as missing.

    >>> from crake.table.examples import load
    >>> print(ID3Classifier().fit(load("golf")))
    outlook = Overcast: Yes (4)
    outlook = Rainy
    |   humidity = High: No (3)
    |   humidity = Normal: Yes (2)
    outlook = Sunny
    |   windy = False: Yes (3)
    |   windy = True: No (2)
    <BLANKLINE>
    5 leaves, 8 nodes

    Quinlan (1986), Induction of decision trees.
    """

    card = Card(
        title="ID3",
        about="tree by information gain, one branch per value, not pruned",
        model="a tree",
        missing="divided among the branches",
        has_interactions=True,
        probabilities="shares in a leaf's rows",
        time="a sort per number, a pass per level",
        usual_grid={"max_depth": [2, 4, 8, None]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_gain": [Interval(Real, 0, None, closed="left"), None],
        "numeric": [StrOptions({"threshold", "refuse"})],
        "missing": [StrOptions({"fractional", "branch"})],
        "pruning": [StrOptions({"reduced-error", "mdl"}), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "laplace": ["boolean"],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_gain: float | None = 1e-6,
        *,
        numeric: str = "threshold",
        missing: str = "fractional",
        pruning: str | None = None,
        validation_fraction: float = 1 / 3,
        laplace: bool = False,
        max_depth: int | None = None,
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_gain = min_gain
        self.numeric = numeric
        self.missing = missing
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.laplace = laplace
        self.max_depth = max_depth
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _learn(self, table: Table) -> None:
        if self.numeric == "refuse" and table.schema.numeric:
            names = ", ".join(repr(column.name) for column in table.schema.numeric[:12])
            raise SchemaError(
                f"ID3 reads nominal columns, and {len(table.schema.numeric)} of {table.name} are numeric: {names}. "
                'Discretise them (crake.Discretizer), name them in nominal=, or cut them with numeric="threshold"'
            )
        super()._learn(table)

    def _growth(self) -> Growth:
        return Growth(
            criterion="entropy",
            nominal="multiway",
            min_leaf=0.0,
            max_depth=self.max_depth,
            missing="apart" if self.missing == "branch" else "fractional",
            min_gain=-1.0 if self.min_gain is None else self.min_gain,
            # Gains that differ by rounding alone are equal, and the first column wins.
            tolerance=1e-10,
        )
