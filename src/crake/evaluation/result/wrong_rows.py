"""The rows a learner got wrong, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.metrics.predictions import Answers
from crake.plans.dealing import whole_number
from crake.render.grid import Grid
from crake.render.sentences import counted
from crake.render.short_repr import short_repr
from crake.table.convert.export import to_rows
from crake.table.schema import Label
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.evaluation.result.classification import Evaluation

PRINTED = 20
COLUMNS = 6


@dataclass(frozen=True, eq=False)
class WrongRows:
    """Row numbers, their class, the prediction, and the probability (or the score) that their own class was given."""

    name: str
    rows: NDArray[np.intp]
    actual: tuple[Label, ...]
    predicted: tuple[Label, ...]
    probability: NDArray[np.float64]
    table: Table | None = None
    kind: Answers = "probabilities"

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.rows)

    def grid(self, most: int = PRINTED, columns: int = COLUMNS) -> Grid:
        """The worst of them, with their cells where the table is known."""
        count = min(most, len(self))
        rest = "" if count == len(self) else f", the worst {count} of {len(self)}"
        features, cells = self._cells(count, columns)
        rows = tuple(
            (
                str(int(self.rows[i])),
                str(self.actual[i]),
                str(self.predicted[i]),
                *([] if self.kind == "labels" else [f"{self.probability[i]:.4f}"]),
                *cells[i],
            )
            for i in range(count)
        )
        extra = {"probabilities": ["P(actual)"], "scores": ["score of actual"], "labels": []}[self.kind]
        head = ("row", "actual", "answered", *extra, *features)
        return Grid(f"Rows that {self.name} got wrong{rest}", head, rows)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows for JSON; `probability` is None where the model gives none."""
        is_probable = self.kind == "probabilities"
        return [
            {
                "row": int(row),
                "actual": actual,
                "predicted": predicted,
                "probability": float(p) if is_probable else None,
            }
            for row, actual, predicted, p in zip(self.rows, self.actual, self.predicted, self.probability, strict=True)
        ]

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()

    def _cells(self, most: int, columns: int) -> tuple[list[str], list[tuple[str, ...]]]:
        if self.table is None or most == 0:
            return [], [()] * most
        every = [column.name for column in self.table.schema.features]
        names, more = every[:columns], len(every) - columns
        cells_by_row = to_rows(self.table.take(self.rows[:most]).select(names))
        rest = [f"… {counted(more, 'more column')}"] if more > 0 else []
        return [*names, *rest], [
            (*(_text(cells[name]) for name in names), *("" for _ in rest)) for cells in cells_by_row
        ]


def wrong_rows(evaluation: Evaluation, most: int | None = None) -> WrongRows:
    """Return the wrong rows, worst first; a row stands once for each round that got it wrong."""
    if most is not None:
        whole_number(most, "most", 0)
    predictions = evaluation.out_of_fold
    wrong = np.flatnonzero(~evaluation.correct)
    probability = predictions.probabilities[wrong, predictions.actual[wrong]]
    order = wrong[np.lexsort((predictions.rows[wrong], probability))][:most]
    predicted = predictions.predicted[order]
    return WrongRows(
        evaluation.name,
        predictions.rows[order],
        tuple(evaluation.classes[code] for code in predictions.actual[order]),
        tuple(evaluation.classes[code] for code in predicted),
        predictions.probabilities[order, predictions.actual[order]],
        None if evaluation.context is None else evaluation.context.tested_table,
        evaluation.answers,
    )


def _text(cell: Any) -> str:
    if cell is None:
        return "?"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
