"""The folds of an experiment line by line: as an Arrow table, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.evaluation.experiment.measures import measures_in, values_of
from crake.table.formats.csv import writer as csv_writer

if TYPE_CHECKING:
    import pyarrow as pa

    from crake.evaluation.experiment.result import ExperimentResult


def frame_of(result: ExperimentResult) -> pa.Table:
    """Return one line per fold: table, learner, repeat, seed, fold, rows, and every measure, null where undefined."""
    import pyarrow as pa  # noqa: PLC0415  # slow to import, and only this needs it

    places = sorted(result.folds)
    cells = [result.folds[place] for place in places]
    sizes = [len(folds) for folds in cells]
    named = {
        "table": np.repeat([result.tables[t] for t, _, _ in places], sizes),
        "learner": np.repeat([result.learners[k] for _, k, _ in places], sizes),
        "repeat": np.repeat([r + 1 for _, _, r in places], sizes),
        "seed": np.repeat([result.seed + r for _, _, r in places], sizes),
        "fold": np.concatenate([np.arange(1, size + 1) for size in sizes]),
        "training_rows": np.concatenate([folds.training_rows for folds in cells]),
        "test_rows": np.concatenate([folds.test_rows for folds in cells]),
    }
    measured = {each.name: np.concatenate([values_of(each, folds) for folds in cells]) for each in measures_in(cells)}
    columns = {name: pa.array(array.tolist()) for name, array in named.items()}
    columns |= {name: pa.array(array, mask=np.isnan(array)) for name, array in measured.items()}
    return pa.table(columns)


def csv_of(result: ExperimentResult) -> str:
    """Return the lines as CSV, with text guarded that a spreadsheet would run."""
    frame = frame_of(result)
    rows = zip(*(column.to_pylist() for column in frame.columns), strict=True)
    lines = (",".join("" if x is None else csv_writer.cell(x) for x in row) for row in rows)
    return csv_writer.header(frame.column_names).decode() + "\n".join(lines) + "\n"
