"""Rows held in little room are the rows of their table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crake.learners.encoding import NarrowRows
from crake.learners.encoding import narrow_rows as held
from crake.statistics.gather import in_blocks
from crake.table.convert.frames import from_xy
from crake.table.table import Table

ROWS = 9_000


def table_of(*, narrow: bool, weighted: bool) -> Table:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical.from_codes(rng.integers(-1, 3, ROWS), ["red", "green", "blue"]),
            "number": rng.normal(size=ROWS),
            "town": [f"t{i}" for i in rng.integers(0, 300, ROWS)],
        }
    )
    weights = rng.random(ROWS) if weighted else None
    return from_xy(frame, rng.integers(0, 2, ROWS), sample_weight=weights, narrow=narrow)


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_portions_are_the_rows_of_the_table(narrow: bool, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "CELLS", 4 * held.BLOCK)
    rows = NarrowRows.of(table_of(narrow=narrow, weighted=weighted))
    (expected,) = table_of(narrow=False, weighted=weighted).batches()
    portions = list(rows.batches())
    assert [(portion.start, portion.rows) for portion in portions] == [(0, 4096), (4096, 4096), (8192, ROWS - 8192)]
    (whole,) = in_blocks(iter(portions), ROWS)
    for name in ("codes", "values", "target", "weights"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(expected, name), strict=True)
        np.testing.assert_array_equal(getattr(rows.batch(), name), getattr(expected, name))
    assert rows.codes.dtype == np.int16


def test_some_of_the_rows() -> None:
    rows = NarrowRows.of(table_of(narrow=True, weighted=True))
    chosen = np.array([5, 3, 8_999])
    taken, whole = rows.take(chosen), rows.batch()
    assert len(taken) == 3
    for name in ("codes", "values", "target", "weights"):
        np.testing.assert_array_equal(getattr(taken.batch(), name), getattr(whole, name)[chosen])


def test_a_matrix_that_is_there_is_not_copied() -> None:
    table = from_xy(np.array([[0, 1], [1, 0]]), [0, 1], nominal="all")
    assert NarrowRows.of(table).codes is table.source.matrix(["x0", "x1"], np.int32)
