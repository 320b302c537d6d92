"""Fitted models on labelled tables: reading the labels as the model expects them, and evaluating."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crake.workbench.calls import Call, public
from crake.workbench.models import is_regressor
from crake.workbench.table import MODEL, TABLE, TableRequest, call_for_model

if TYPE_CHECKING:
    from crake.table.schema import Label
    from crake.table.table import Table


def target_of(request: TableRequest, model: Any) -> str:
    """Return the column with the labels: the one that is named, or that of training."""
    return request.target or str(model.schema_.target)


def read_labelled(request: TableRequest, model: Any, seed: int) -> Table:
    """Read a table as the model expects it, with the true classes or numbers as its target."""
    from crake.table.column_options import Expected  # noqa: PLC0415 (Arrow and numpy only when there is work)

    target = target_of(request, model)
    return _labelled(request, model).read(seed, Expected.of_model(model, target=target))


def labelled_call(request: TableRequest, model: Any, seed: int) -> Call:
    """Return the call that reads a labelled table as the model expects it."""
    return call_for_model(_labelled(request, model), seed, target_of(request, model))


def _labelled(request: TableRequest, model: Any) -> TableRequest:
    """The request with its target, which for a regressor is numeric even if it holds few whole numbers."""
    target = target_of(request, model)
    return replace(request, target=target, numeric=(target,) if is_regressor(model) else ())


def evaluate_fitted(model: Any, table: Table, positive: Label | None, rows: Any = None) -> Any:
    """Evaluate a fitted model on a labelled table; `rows` learn what was new to the model."""
    from crake.evaluation.protocol.fitted_model import evaluate_model, evaluate_regressor  # noqa: PLC0415

    if is_regressor(model):
        return evaluate_regressor(model, table)
    return evaluate_model(model, table, positive=positive, scoring=rows)


def seems_trained_on(model: Any, table: Table) -> bool:
    """Return True if a model seems to be trained on these very rows: they give the figures that it holds."""
    from crake.errors import CrakeError  # noqa: PLC0415

    if not table.in_memory:
        return False
    try:
        return bool(model._seems_fitted_on(table))  # noqa: SLF001 (crake's own model)
    except CrakeError:  # rows that it could not have learned from
        return False


def evaluate_call(model: Any, positive: Label | None = None) -> Call:
    """Return the call that evaluates the model on the table."""
    evaluation = public("NumberEvaluation" if is_regressor(model) else "Evaluation")
    return evaluation.then("of_model", MODEL, TABLE).adding(positive=positive)
