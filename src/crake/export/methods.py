"""The methods by which a fitted model leaves for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.forms import Form
from crake.render.sentences import counted


class Exportable:
    """A model that can be written for other programs; a learner implements `_form`."""

    schema_: Any
    _no_form: ClassVar[str] = "its prediction is no sum, tree or list of rules"
    """The reason that an error gives: no target can write a model of this class."""

    def exported(self) -> Exported:
        """Return the model in the form that all targets write; raise, with the reason, if it has none."""
        self._check_fitted()
        classes = self.schema_.classes if hasattr(self, "classes_") else ()
        return Exported(self._export_title(), self.schema_, self._form(), classes)

    def _export_title(self) -> str:
        """Return the name that a file begins with; it counts changes by hand, whose words may hold any sign."""
        card, edits = getattr(type(self), "card", None), getattr(self, "edits_", ())
        title = str(card.title) if card is not None else type(self).__name__
        return f"{title}, edited by hand at {counted(len(edits), 'node')}" if edits else title

    def _check_fitted(self) -> None:
        """Raise an error if the model is not fitted."""

    def _form(self) -> Form:
        """Return how the model computes its prediction."""
        return self._refused_form(self._no_form)

    def _refused_form(self, reason: str) -> Form:
        raise CrakeError(f"{self._export_title()} cannot be exported: {reason}")

    def to_sql(
        self,
        table: str = "t",
        *,
        dialect: str = "standard",
        missing: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> str:
        """Return a SELECT that adds the prediction to the rows of a table; `dialect` names an engine.

        Dialects: "standard", "duckdb", "postgres", "sqlite". It answers as `predict` and `predict_proba`. With
        missing="heaviest" NULL takes the heaviest branch of a tree, with "fails" it satisfies no condition of a rule:
        such a query is shorter. `columns` are those of the table that it returns, all of them if None.
        """
        from crake.export.sql import to_sql  # noqa: PLC0415 (only for who exports)

        return to_sql(self.exported(), table, dialect=dialect, missing=missing, columns=columns)

    def to_python(self) -> str:
        """Return a file of plain Python that imports nothing: `predict(row)` and `predict_proba(row)` of a mapping."""
        from crake.export.python import to_python  # noqa: PLC0415 (only for who exports)

        return to_python(self.exported())

    def to_c(self, name: str = "model") -> str:
        """Return a C header whose names begin with `name`: `model_predict(x)`, `model_probabilities(x, out)`."""
        from crake.export.c import to_c  # noqa: PLC0415

        return to_c(self.exported(), name)

    def to_javascript(self) -> str:
        """Return an ES module: `predict(row)` and `predictProba(row)` of an object by column."""
        from crake.export.javascript import to_javascript  # noqa: PLC0415

        return to_javascript(self.exported())

    def to_onnx(self, *, missing_text: str = "") -> bytes:
        """Return the bytes of an ONNX file: `prediction`, and of classes also `probabilities`, in double precision.

        Each column is an input of shape (rows, 1): doubles, NaN where missing, or texts, `missing_text` where missing.
        """
        from crake.export.onnx import to_onnx  # noqa: PLC0415

        return to_onnx(self.exported(), missing_text=missing_text)

    def to_pmml(self, *, missing: str | None = None) -> str:
        """Return a document of PMML 4.4; a model that the standard cannot express exactly is refused.

        With missing="heaviest" a missing value takes the heaviest branch of a tree, with "fails" it satisfies no
        condition of a rule: more models can be written so, and more programs read them.
        """
        from crake.export.pmml import to_pmml  # noqa: PLC0415

        return to_pmml(self.exported(), missing=missing)


def form_of(member: Any) -> Form:
    """Return the form of a member of an ensemble; raise if it is a learner of another library."""
    if not isinstance(member, Exportable):
        raise CrakeError(f"a member of the class {type(member).__name__} cannot be exported: it is not one of crake's")
    return member._form()  # noqa: SLF001 (the same hook)
