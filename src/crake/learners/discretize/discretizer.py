"""The transformer: numeric columns become nominal ones whose levels are intervals."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.completion import completed
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.parameters import Interval, StrOptions, check_parameters
from crake.learners.base.scikit_learn import Estimator, OneToOneFeatures, Transformer
from crake.learners.base.state import State, StateReader
from crake.learners.base.training_rows import (
    checked_features,
    labels_beside,
    present_rows,
    table_to_transform,
    weighted,
)
from crake.learners.discretize.fitting import SUPERVISED, Unlabelled, checked_cuts, cuts_of
from crake.learners.discretize.intervals import interval_names
from crake.learners.discretize.output import array_of_codes, array_of_names, with_intervals
from crake.learners.discretize.state import discretizer_of, discretizer_state
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.statistics import DistinctCounts, gather
from crake.table.convert.frames import from_xy
from crake.table.schema import Schema
from crake.table.table import Table


class Discretizer(OneToOneFeatures, Transformer, Estimator):  # type: ignore[misc]
    """Cuts every numeric column into intervals; a value falls in the first interval whose upper cut is ≥ it.

    Nominal columns pass as they are, missing values stay missing.

    Parameters
    ----------
    method : "mdl" cuts where it tells the classes apart and pays for itself (Fayyad and Irani), "two-way" once, at
        the largest information gain; "width" into `bins` equally wide intervals, "frequency" into `bins` with equally
        many rows; "given" cuts only the columns named in `cuts`.
    bins : how many intervals "width" and "frequency" make.
    cuts : cuts given by the user, {column: [ascending numbers]}; columns by name or position.
    criterion : when a cut of "mdl" pays: "fayyad-irani" or "kononenko".
    encoding : how many cuts "mdl" has to tell apart in an interval: "rows" (n − 1) or "midpoints".
    output : "names" gives the names of the intervals, "codes" their numbers from 0 (float64, NaN where missing).
        A Table becomes a Table with the intervals as declared levels.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(Discretizer().fit(load("iris")))
    Intervals by mdl
      column             intervals
      sepal length (cm)  ≤ 5.55 | 5.55 … 6.15 | > 6.15
      sepal width (cm)   ≤ 2.95 | 2.95 … 3.35 | > 3.35
      petal length (cm)  ≤ 2.45 | 2.45 … 4.75 | > 4.75
      petal width (cm)   ≤ 0.8 | 0.8 … 1.75 | > 1.75
    >>> Discretizer("frequency", bins=2).fit_transform([[1.0], [2.0], [7.0], [9.0]]).ravel().tolist()
    ['≤ 4.5', '≤ 4.5', '> 4.5', '> 4.5']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions({"mdl", "two-way", "width", "frequency", "given"})],
        "bins": [Interval(Integral, 1, None, closed="left")],
        "cuts": [dict, None],
        "criterion": [StrOptions({"fayyad-irani", "kononenko"})],
        "encoding": [StrOptions({"rows", "midpoints"})],
        "output": [StrOptions({"names", "codes"})],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        method: str = "mdl",
        *,
        bins: int = 10,
        cuts: Any = None,
        criterion: str = "fayyad-irani",
        encoding: str = "rows",
        output: str = "names",
        nominal: Any = "auto",
    ) -> None:
        self.method = method
        self.bins = bins
        self.cuts = cuts
        self.criterion = criterion
        self.encoding = encoding
        self.output = output
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = self.method in SUPERVISED
        tags.transformer_tags.preserves_dtype = []
        return tags

    def __dir__(self) -> list[str]:
        """Return the names that tab completion shows."""
        return completed(super().__dir__(), self._get_param_names())

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts. "mdl" and "two-way" need the labels y; a Table brings its own target and weights."""
        self._validate_params()
        with unchanged_on_error(self):
            table = self._training_table(X, y, sample_weight)
            fixed = checked_cuts(self.cuts, table.schema.features)
            self.schema_: Schema = table.schema.select([column.name for column in table.schema.features])
            self.cuts_ = {name: fixed.get(name, cuts) for name, cuts in self._found(table).items()} | fixed
        return self

    def transform(self, X: Any) -> Any:
        """Return the intervals of X: a Table for a Table, an array for an array or a data frame."""
        check_is_fitted(self)
        if isinstance(X, Table):
            return with_intervals(X, self.schema_, self.cuts_)
        X = checked_features(self, X, reset=False)
        if self.output == "codes":
            return array_of_codes(X, self.schema_, self.cuts_)
        return array_of_names(X, self.schema_, self.cuts_)

    def check_stored(self) -> None:
        """Check parameters from a model file."""
        self._validate_params()

    def checked(self) -> Self:
        """Check the parameters and return the transformer itself; `fit` does so on its own."""
        self._validate_params()
        return self

    def _validate_params(self) -> None:
        check_parameters(self._parameter_constraints, self.get_params(deep=False), type(self).__name__)

    def state(self) -> State:
        """Return what a model file holds beside the parameters: the columns it was fitted on, and the cuts."""
        check_is_fitted(self)
        return discretizer_state(self.schema_, self.cuts_, getattr(self, "feature_names_in_", None))

    def restore(self, reader: StateReader) -> Self:
        """Take back a stored state; raise if its parts do not fit together."""
        self.schema_, self.cuts_, names = discretizer_of(reader)
        self.n_features_in_ = len(self.schema_.features)
        if names is not None:
            self.feature_names_in_ = names
        return self

    @property
    def intervals_(self) -> dict[str, tuple[str, ...]]:
        """The names of the intervals of every column that is cut, lowest first."""
        check_is_fitted(self)
        cut = [column for column in self.schema_.numeric if column.name in self.cuts_]
        return {column.name: interval_names(self.cuts_[column.name], is_date=column.is_date) for column in cut}

    def grid(self) -> Grid:
        """Return the intervals, one line per column."""
        rows = tuple((name, " | ".join(names)) for name, names in self.intervals_.items())
        return Grid(f"Intervals by {self.method}", ("column", "intervals"), rows)

    def __str__(self) -> str:
        if not hasattr(self, "cuts_"):
            return repr(self)
        grid = self.grid()
        # Lists of intervals are text: to the left, whatever their length.
        lines = [tuple(map(visible, row)) for row in (grid.header, *grid.rows)]
        width = max(len(name) for name, _ in lines)
        return "\n".join([grid.title, *(f"  {name:{width}}  {text}" for name, text in lines)])

    def _found(self, table: Table) -> dict[str, Floats]:
        if self.method == "given":
            return {}
        statistics = gather(self._rows(table), [DistinctCounts])
        return {
            counts.column.name: cuts_of(counts, self.method, self.bins, self.criterion, self.encoding)
            for counts in statistics[DistinctCounts]
        }

    def _rows(self, table: Table) -> Table | Unlabelled:
        if self.method not in SUPERVISED:
            return Unlabelled(table)
        return present_rows(table) if table.in_memory else table.known()

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        if isinstance(X, Table):
            return table_to_transform(self, X, y, sample_weight, "cut")
        X = checked_features(self, X, reset=True)
        labels = None
        if self.method in SUPERVISED:
            if y is None:
                raise CrakeError(
                    f"requires y to be passed, but the target y is None; method={self.method!r} looks at the classes: "
                    "fit(X, y), or choose method='width' or 'frequency'"
                )
            labels = labels_beside(X, y)
        return weighted(from_xy(X, labels, nominal=self.nominal), sample_weight)
