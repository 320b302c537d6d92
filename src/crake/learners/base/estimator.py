"""The base of all estimators of tables: columns as they are, new rows under the fitted schema, model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from crake.errors import CrakeError
from crake.export.methods import Exportable
from crake.learners.base.card import Card, LearnsFrom, title_with_parameters
from crake.learners.base.completion import completed
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.named_columns import frame_of_mapping
from crake.learners.base.parameters import check_parameters
from crake.learners.base.scikit_learn import Estimator
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.base.state.schema import schema_state
from crake.learners.base.training_rows import cells_in_order, checked_features
from crake.render.drawing.drawing import Drawing
from crake.table.convert.frames import encode, is_frame
from crake.table.schema import Schema
from crake.table.sources.scanned_table import encode_scan, with_texts
from crake.table.table import Table


class TableEstimator(Exportable, Estimator):  # type: ignore[misc]
    """A scikit-learn estimator that takes strings, missing values and new values; a Table is matched by name."""

    card: ClassVar[Card | None] = None
    learns_from: ClassVar[LearnsFrom] = "rows"
    scans_rows: ClassVar[bool] = False
    """True for learners that need rows, and can put them into files where they do not fit into memory."""
    reads_text: ClassVar[bool] = False
    """True for learners that read columns of running text; others leave them out."""
    reads_columns: ClassVar[bool] = True
    """False for learners that look at the target alone."""
    n_features_in_: int
    left_out_: int
    schema_: Schema
    missing_: tuple[str, ...] | None = None
    nominal: Any
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _read_names(self) -> list[str]:
        """Return the names of the columns that the fitted model reads: its features, and text if it reads any."""
        texts = self.schema_.texts if self.reads_text else ()
        return [column.name for column in (*self.schema_.features, *texts)]

    def __dir__(self) -> list[str]:
        """Return the names that users need: tab completion leaves out what parts of crake say to each other."""
        return completed(super().__dir__(), self._get_param_names())

    def _title(self) -> str:
        """Return the title in reports."""
        return title_with_parameters(self)

    def _html_repr(self) -> str:
        """Return what a notebook shows: the fitted model itself, or scikit-learn's box before fitting."""
        if not hasattr(self, "schema_"):
            return str(super()._html_repr())
        from crake.learners.base.notebook import model_html  # noqa: PLC0415 (only in a notebook)

        return model_html(self)

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the drawings of a report; scales go as far as the numbers of `table`."""
        del table
        return (self.draw(),) if hasattr(self, "draw") else ()

    def _seems_fitted_on(self, table: Table) -> bool:
        """Return True if the figures that the model holds of its training rows are those of this table.

        A learner that holds none, or too few to tell, says False.
        """
        del table
        return False

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def checked(self) -> Self:
        """Check the parameters and return the learner itself; `fit` does so on its own."""
        self._validate_params()
        return self

    def check_stored(self) -> None:
        """Check parameters from a model file, in time proportional to their length."""
        self._validate_params()

    def _validate_params(self) -> None:
        check_parameters(self._parameter_constraints, self.get_params(deep=False), type(self).__name__)

    def state(self) -> State:
        """Return what a model file holds of the fitted model beside its parameters; never a row."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        state: State = {
            "schema": schema_state(self.schema_),
            "left_out": int(getattr(self, "left_out_", 0)),
            "feature_names": None if names is None else Labels(tuple(map(str, names))),
        }
        if self.missing_ is not None:
            state["missing"] = Labels(self.missing_)
        return state

    def restore(self, reader: StateReader) -> Self:
        """Take back a stored state; raise if its parts do not fit together."""
        self.schema_ = self._stored_schema(reader.part("schema"))
        self.n_features_in_ = len(self.schema_.features)
        self.left_out_ = reader.whole("left_out")
        self.missing_ = reader.names("missing") if "missing" in reader else None
        if "feature_names" in reader:
            self.feature_names_in_ = np.array(reader.names("feature_names"), dtype=object)
            if self.feature_names_in_.tolist() != [column.name for column in self.schema_.features]:
                raise reader.refusal("feature_names", "differs from the schema", "the names of its columns, in order")
        return self

    def _stored_schema(self, reader: StateReader) -> Schema:
        """Return the schema of a stored state, with a target that this kind of learner predicts."""
        raise NotImplementedError

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return X as scikit-learn wants it: two-dimensional, dense, the columns it was fitted on."""
        return checked_features(self, X, reset=reset)

    def _coded(self, X: Any) -> Table:
        """Return X coded under the fitted schema; a Table is matched by column name."""
        check_is_fitted(self)
        if isinstance(X, Table):
            if not X.in_memory:
                scan = encode_scan(X, self.schema_)
                return with_texts(scan) if self.reads_text else scan
            return encode(X, self.schema_, by_name=True)
        X = self._with_sources(X)
        by_name = self.schema_.parts or (self.reads_text and self.schema_.texts)
        if by_name and is_frame(X):
            return encode(X, self.schema_, by_name=True)
        return encode(self._checked(X, reset=False), self.schema_)

    def _predicted_frame(self, frame: Any, *, with_probabilities: bool) -> Any:
        """Return a Spark data frame with the predictions of its rows."""
        from crake.modelfile.spark import predicted_frame  # noqa: PLC0415 (it stands above learners)

        check_is_fitted(self)
        return predicted_frame(self, frame, with_probabilities=with_probabilities)

    def _with_sources(self, X: Any) -> Any:
        """Return a mapping as a frame if the model makes parts of dates, which have to be matched by name."""
        if not isinstance(X, Mapping):
            return X
        if self.reads_text and self.schema_.texts and not self.schema_.parts:
            return frame_of_mapping(X, self._read_names())
        if not self.schema_.parts:
            return X
        names = [column.name for column in self.schema_.features if not column.is_part]
        return frame_of_mapping(X, list(dict.fromkeys([*names, *(part.source for part in self.schema_.parts)])))

    def _one_row(self, row: Any) -> Table:
        """Return one row, coded: from a mapping or a Series by column (gaps are missing), a sequence, or a frame."""
        check_is_fitted(self)
        if getattr(row, "ndim", 0) == 1 and hasattr(row, "to_dict"):
            row = row.to_dict()  # a row of a pandas frame: its names are the columns
        row = self._with_sources(row)
        if not isinstance(row, Table) and not is_frame(row):
            row = cells_in_order(row, self.schema_)
        table = encode(row, self.schema_, by_name=isinstance(row, Table) or is_frame(row))
        if len(table) != 1:
            raise CrakeError(f"one row is explained at a time; {len(table)} were given")
        return table
