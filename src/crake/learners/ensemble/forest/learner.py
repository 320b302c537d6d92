"""The random forest: bagged CART trees, each node of which looks at a few columns drawn at random."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import N_JOBS, Interval, StrOptions
from crake.learners.ensemble.bagging.learner import BaggingClassifier
from crake.learners.ensemble.foreseen import many_sets, seconds_of
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.algorithms.cart_common import MAX_FEATURES


class ForestClassifier(BaggingClassifier):
    """Breiman's random forest: the mean of full CART trees of bootstrap samples, with random columns at every node.

    The defaults are those of scikit-learn's RandomForestClassifier. Columns are read as they are: a nominal column is
    split into two sets of values. A missing value takes the heavier side, or what `max_surrogates` other columns tell.

    Parameters
    ----------
    n_estimators : the number of trees.
    criterion : "gini" or "entropy".
    max_depth : the most splits on a path.
    min_samples_split : a node of less weight is a leaf.
    min_samples_leaf : the least weight on either side of a split.
    max_features : columns looked at in each node: a number, a share, "sqrt" or "log2"; None: all. More are drawn while
        none of them splits the node.
    max_samples : the draws of each sample as a share of the rows.
    max_surrogates : surrogates kept for a split.
    oob_score : whether each training row is predicted by the trees whose samples lack it.
    random_state : the seed.
    n_jobs : threads that fit and predict use; None and −1: one for each core. The model does not depend on it.
    class_weight : None, "balanced", or weights by class: rows are drawn by weight.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Fitted: `estimators_`, `feature_importances_`, `oob_score_` with its interval, `oob_errors_` by number of trees
    (NaN as long as every row is in all samples).

    >>> from crake.table.examples import load
    >>> model = ForestClassifier(n_estimators=30).fit(load("breast-cancer"))
    >>> print(model.oob_score_)
    0.956 [0.936, 0.970]

    Breiman (2001), Random forests.
    """

    card = Card(
        title="random forest",
        about="mean of 100 full trees of samples, columns drawn at each node",
        model="a mean of many",
        is_readable=False,
        missing="the heavier side",
        has_interactions=True,
        probabilities="means of the trees' shares",
        time="a sort per number, a tree per member",
        too_much=many_sets,
        seconds=seconds_of(100, member=4e-4, cell=1e-8, cell_by_kernel=3e-9),
        usual_grid={"max_features": ["sqrt", 0.5], "min_samples_leaf": [5, 1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({"gini", "entropy"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Real, 0, None, closed="neither")],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "max_features": MAX_FEATURES,
        "max_samples": [Interval(Real, 0, None, closed="neither")],
        "max_surrogates": [Interval(Integral, 0, None, closed="left")],
        "oob_score": ["boolean"],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "n_jobs": N_JOBS,
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    estimator = None
    voting = "probabilities"
    generator = "crake"
    nominal: Any = "auto"  # its own parameter, not that of an inner learner

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: Any = "sqrt",
        max_samples: float = 1.0,
        max_surrogates: int = 0,
        oob_score: bool = True,
        random_state: int = 1,
        n_jobs: int | None = None,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_samples = max_samples
        self.max_surrogates = max_surrogates
        self.oob_score = oob_score
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.nominal = nominal

    def _inner_learner(self) -> Any:
        return CARTClassifier(
            self.criterion,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            max_surrogates=self.max_surrogates,
        )

    def _name(self) -> str:
        return "Random forest"
