"""Support vector machines: of all planes between two classes the one with the widest margin."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats, Longs
from crake.errors import CrakeError, UnavailableAttribute
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.row_query import Range
from crake.learners.base.sigmoid import Sigmoid
from crake.learners.base.state import State, StateReader
from crake.learners.base.training_rows import checked_labels, learned_rows
from crake.learners.encoding import MISSING_POLICIES, complete_rows
from crake.learners.encoding.missing import places_complete
from crake.learners.svm import hard_margin, platt, precomputed
from crake.learners.svm.drawing import draw_machine
from crake.learners.svm.features import Features, features_of
from crake.learners.svm.fitting import Settings, fitted
from crake.learners.svm.foreseen import foresee, seconds_of_fit, wide_matrix
from crake.learners.svm.form import machines_form
from crake.learners.svm.kernels import KERNELS, Kernel, gamma_of, indefinite
from crake.learners.svm.machines import Machines
from crake.learners.svm.margin_drawing import margin_of
from crake.learners.svm.state import machine_state, restore_machine
from crake.learners.svm.text import model_text
from crake.learners.svm.workings import explain_row
from crake.notices import warn
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import visible
from crake.render.workings import Workings
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts, gather
from crake.table.convert.export import label_array
from crake.table.schema import Column
from crake.table.table import Table

HEAVIEST = 1000.0
"""A row counts at most as much as this many rows of the median weight."""


class SVMClassifier(TableClassifier):
    """f(x) = w·x + b with the widest margin |f| < 1 between the classes: min ½‖w‖² + C·Σ how far rows are inside it.

    Several classes: one machine for each pair. Numbers are standardised, names are 0/1 coordinates (every level has its
    own); `margin_width_` = 2/‖w‖ is in those units. `solver` finds the machines, crake predicts from their arrays.

    Parameters
    ----------
    kernel : "linear", "poly" (γ·x·z + r)^d, "rbf" exp(−γ‖x − z‖²), "sigmoid", a function of two matrices of points, or
        "precomputed": the columns are the inner products with the training rows, in their order.
    C : the cost of a row inside the margin; larger is narrower.
    gamma : γ; "scale" is 1/(coordinates × their variance), "auto" 1/coordinates.
    degree : d of "poly".
    coef0 : r of "poly" and "sigmoid".
    margin : "soft", or "hard": no row inside it; raises if there is none such.
    scale : of numeric columns: True (standardised), "range" (0 to 1), False (as they are).
    probability : "platt": sigmoids of decisions from 5-fold cross-validation within `fit` (six times the work), coupled
        for several classes; "votes": the share of machines that a class wins.
    solver : "auto": "interior-point" for planes of few coordinates (time linear in the rows; a duality gap
        certifies the optimum), else "libsvm". "liblinear" finds planes whose threshold is penalised, too. A fit that
        is foreseen to take more than 15 minutes is refused, unless a solver is named.
    tol : the tolerance of LIBSVM and LIBLINEAR.
    max_iter : most steps of the optimiser; a warning says when it has not converged.
    missing : "indicator" (the mean and a coordinate for "is missing"), "mean", "drop" (the row) or "error".
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> lecture = SVMClassifier(margin="hard", scale=False, probability="votes").fit([[0, 0], [2, 2]], [-1, 1])
    >>> lecture.coef_.round(6).tolist(), lecture.intercept_.round(6).tolist(), round(lecture.margin_width_, 4)
    ([[0.5, 0.5]], [-1.0], 2.8284)
    """

    card = Card(
        title="SVM",
        about="widest margin between two classes: a plane, or a curved one",
        model="weights, if the kernel is linear",
        missing="the mean, and a weight for a gap",
        probabilities="a sigmoid of the distance (Platt)",
        time="six fits, each some ten passes or more",
        most_rows=10_000,
        too_much=wide_matrix,
        seconds=seconds_of_fit,
        usual_grid={"C": [0.1, 1.0, 10.0]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({*KERNELS, precomputed.NAME}), callable],
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "margin": [StrOptions({"soft", "hard"})],
        "scale": ["boolean", StrOptions({"range"})],
        "probability": [StrOptions({"platt", "votes"})],
        "solver": [StrOptions({"auto", "interior-point", "libsvm", "liblinear"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "missing": [StrOptions(set(MISSING_POLICIES))],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    features_: Features
    machines_: Machines | None
    sigmoids_: list[Sigmoid]
    support_: Longs

    def __init__(
        self,
        kernel: Any = "linear",
        *,
        C: float = 1.0,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        margin: str = "soft",
        scale: bool | str = True,
        probability: str = "platt",
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 1_000_000,
        missing: str = "indicator",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.margin = margin
        self.scale = scale
        self.probability = probability
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.missing = missing
        self.class_weight = class_weight
        self.nominal = nominal

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the machines of the rows of X and their labels y; a Table brings its own target and weights."""
        super().fit(X, y, sample_weight)
        del self._learned, self._given
        return self

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Coupled sigmoids of the machines' decisions, or the share of machines that each class wins."""
        n = len(table) if rows is None else len(rows)
        full = np.zeros((n, len(self.classes_)))
        if self.machines_ is None:
            full[:, self.present_] = 1.0
            return full
        parts = [self._shares(self.machines_.decisions(each)) for each in self.features_.blocks(table, rows)]
        full[:, self.present_] = np.concatenate(parts)
        return full

    def _form(self) -> Form:
        return machines_form(self)

    def _shares(self, decisions: Floats) -> Floats:
        machines = self.machines_
        assert machines is not None  # noqa: S101 (the caller asked)
        if self.probability_ == "platt":
            return platt.coupled(machines, self.sigmoids_, decisions)
        return machines.votes(decisions) / len(machines.pairs)

    def decisions(self, X: Any) -> Floats:
        """Return the decision f of each row, positive for the later class; of several classes one for each pair.

        Not called `decision_function`: with probability="platt" the answer is the more probable class, and that need
        not be the side of the boundary.
        """
        table = self._coded(X)
        machines = self._several()
        decisions = machines.decisions(self.features_.points(table))
        return decisions[:, 0] if len(machines.pairs) == 1 else decisions

    @property
    def margin_width_(self) -> Any:
        """2/‖w‖, in the units of the scaled coordinates (of the kernel's space); one for each pair of classes.

        NaN where w has no length: under a kernel that is not an inner product.
        """
        width = np.where(self._several().width > 0, self._several().width, np.nan)
        return float(width[0]) if len(width) == 1 else width

    @property
    def coef_(self) -> Floats:
        """The w of each machine of a linear kernel, in the units of the scaled coordinates."""
        machines = self._several()
        if machines.w is None or not self.kernel_.is_linear:
            raise AttributeError("only a linear kernel has a w in the space of the columns")
        return machines.w

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The coordinates that `coef_` and `support_vectors_` have: numeric columns, then levels of nominal ones."""
        return tuple(str(term) for term in self.features_.terms)

    @property
    def intercept_(self) -> Floats:
        """The b of each machine."""
        return self._several().b

    @property
    def n_support_(self) -> Longs:
        """The number of support vectors of each class."""
        counts = np.zeros(len(self.classes_), np.int64)
        counts[self.present_] = self._several().counts
        return counts

    @property
    def support_vectors_(self) -> Floats:
        """The support vectors, class by class, in the scaled coordinates of `coef_names_`; `support_` has their rows.

        A plane needs no vectors: a linear kernel keeps `coef_` in their place.
        """
        return self._with_vectors().vectors

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients of the support vectors, (classes − 1, vectors), laid out as scikit-learn's SVC does.

        Positive for the later class of a pair, as `decisions` and `coef_` are.
        """
        return self._with_vectors().dual

    def draw_margin(self, X: Any, y: ArrayLike | None = None) -> Drawing:
        """Draw the margin of a model of two numeric columns and two classes, with these rows."""
        check_is_fitted(self)
        return margin_of(self, X, y)

    def _weight_exception(self) -> str:
        if self.probability != "platt":
            return ""
        return "its probabilities come from folds: copies of a row are dealt to several, a heavy row to one"

    def _range(self, column: Column) -> Range | None:
        """Return the range that scaling learned. Numbers that are not scaled have no known range."""
        design, j = self.features_.design, self.schema_.numeric.index(column)
        if self.scale is True:
            return design.range(j)
        low, width = design.units(j)
        return (low, low + width) if self.scale == "range" and width > 0 else None

    def draw(
        self,
        what: str | None = None,
        *,
        positive: Any = None,
        against: Any = None,
        most: int = 20,
        table: Table | None = None,
        width: float = 700,
    ) -> Drawing:
        """Draw the "coefficients" of planes, the "decisions" of a table's rows, or the "vectors" of each class.

        By default what the kernel has: coefficients of a linear one, otherwise the decisions of the rows of `table`, or
        the support vectors. Of several classes the pairs with the narrowest margins (or the most vectors) come first.
        """
        check_is_fitted(self)
        return draw_machine(self, what, positive, against, most, table, width)

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the weights of a plane; of other kernels the decisions of the rows of `table`."""
        return (self.draw(table=table),)

    def explain(self, row: Any) -> Workings:
        """Return the largest terms of the decision, then the vote or the probability."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def state(self) -> State:
        """Planes for a linear kernel; otherwise support vectors, which are training rows."""
        return {**super().state(), **machine_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the machines."""
        super().restore(reader)
        restore_machine(self, reader)
        return self

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "features_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == precomputed.NAME
        return tags

    def _training_table(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Table:
        table = super()._training_table(X, y, sample_weight, reset=reset)
        self._learned = learned_rows(X, y, sample_weight)
        self._given = len(X if isinstance(X, Table) else checked_labels(y))
        return table

    def _with_vectors(self) -> Machines:
        machines = self._several()
        if machines.w is not None:
            raise UnavailableAttribute("a plane keeps coef_ in place of its support vectors; support_ has their rows")
        return machines

    def _several(self) -> Machines:
        check_is_fitted(self)
        if self.machines_ is None:
            raise UnavailableAttribute("training had one class only, so there is no margin between classes")
        return self.machines_

    def _learn(self, table: Table) -> None:
        if self.solver in ("liblinear", "interior-point") and self.kernel != "linear":
            raise CrakeError(f"solver={self.solver!r} finds planes only; kernel is {self.kernel!r}: take solver='auto'")
        is_given = self.kernel == precomputed.NAME
        if is_given:
            precomputed.refuse_unless_square(table, self._given)
        rows, numbers = table, self._learned
        if self.missing == "drop" and not is_given:
            rows, numbers = complete_rows(table), numbers[places_complete(table)]
        if rows.weights is not None:
            # One row that outweighs all others by far makes every scale its own.
            rows = rows.with_weights(np.minimum(rows.weights, HEAVIEST * float(np.median(rows.weights))))
        statistics = gather(rows, [ClassCounts, ValueCounts, ClassMoments])
        self.schema_ = statistics.schema
        self.classes_ = label_array(statistics.classes)
        self.probability_ = self.probability
        self.present_, y = np.unique(rows.target, return_inverse=True)
        self.machines_, self.sigmoids_, self.support_ = None, [], np.zeros(0, np.int64)
        self.n_iter_, self.converged_ = 0, True
        if is_given:
            self._fit_given(rows, statistics, y.astype(np.int64))
            return
        self.features_ = features_of(rows, statistics, self.scale, self.missing)
        foresee(self, len(rows), len(self.features_.design) - 1)
        points = self.features_.points(rows)
        self.kernel_ = Kernel(self.kernel, gamma_of(self.gamma, points, rows.weights), self.degree, float(self.coef0))
        if len(self.present_) > 1:
            self._fit(points, y.astype(np.int64), rows.weights, numbers)

    def _fit_given(self, rows: Table, statistics: Statistics, y: Longs) -> None:
        """The machines of points that are row numbers, whose inner products are looked up in the table."""
        self.features_ = precomputed.unscaled_features(statistics)
        products = self.features_.points(rows)
        self.kernel_ = Kernel(precomputed.looked_up(products[:, self._learned]))
        if len(self.present_) > 1:
            self._fit(np.arange(len(rows), dtype=np.float64)[:, None], y, rows.weights, self._learned)
            self.machines_ = precomputed.over_columns(self._several(), self._learned, products.shape[1])
        self.kernel_ = Kernel(precomputed.NAME)

    def _fit(self, points: Floats, y: Longs, weights: Floats | None, numbers: Longs) -> None:
        """The machines of these points; `numbers` says which of the rows given to `fit` they are."""
        is_hard = self.margin == "hard"
        labels = [visible(label) for label in self.classes_[self.present_]]
        if is_hard and self.kernel_.is_linear:
            hard_margin.refuse_inseparable(points, y, labels, numbers)
        if self.kernel_.is_in_doubt and (doubt := indefinite(self.kernel_, points, self.kernel)):
            warn(doubt)
        settings = Settings(
            self.kernel_,
            hard_margin.C if is_hard else float(self.C),
            min(self.tol, hard_margin.TOLERANCE) if is_hard else self.tol,
            self.max_iter,
            "libsvm" if is_hard and self.solver == "auto" else self.solver,
        )
        result = fitted(points, y, None if is_hard else weights, settings)
        self.machines_, self.support_ = result.machines, numbers[result.support]
        self.n_iter_, self.converged_ = max(1, result.steps), result.converged
        if is_hard:
            hard_margin.refuse_violated(result.machines, result.machines.decisions(points), y, labels, numbers)
        if not result.converged:
            advice = "scale the columns, lower C, or raise max_iter"
            warn(f"SVMClassifier has not converged in {self.max_iter} steps: {advice}")
        if self.probability == "platt":
            self.sigmoids_ = platt.fit_sigmoids(points, y, weights, settings, result.machines.pairs)
