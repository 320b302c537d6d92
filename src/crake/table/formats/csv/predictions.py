"""Predictions as CSV: the probability of each class with six digits, then the predicted class.

Six significant digits are what `{p:.6g}` shows; a compiled loop writes them, six times as fast as exact doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.kernels import readable
from crake.kernels.csv.write import LONGEST, write_predictions
from crake.table.column_names import unique_names
from crake.table.formats.csv.writer import cell
from crake.table.schema import Label


def prediction_names(classes: Sequence[Label], kept: Sequence[str] = ()) -> list[str]:
    """The columns of the output: those kept, then p(class) for each class, then predicted; all different.

    >>> prediction_names(["no", "yes"], ["age", "predicted"])
    ['age', 'predicted', 'p(no)', 'p(yes)', 'predicted_2']
    """
    return unique_names([*kept, *(f"p({label})" for label in classes), "predicted"])[0]


class PredictionLines:
    """Turns probabilities into lines, the same way for any number of rows."""

    def __init__(self, classes: Sequence[Label], *, raw: bool = False) -> None:
        names = [f"{cell(label, raw=raw)}\n".encode("utf-8", "surrogatepass") for label in classes]
        self._names = np.frombuffer(bytearray(b"".join(names)), np.uint8)
        self._starts = np.cumsum([0, *map(len, names)], dtype=np.int64)
        self._longest = LONGEST * len(names) + max(map(len, names))

    def of(
        self, probabilities: NDArray[np.float64], answers: NDArray[np.integer[Any]], before: pa.Array | None = None
    ) -> memoryview:
        r"""One line a row; `answers` are codes, `before` what stands at the beginning of each, its comma included.

        >>> lines = PredictionLines(["no", "yes"])
        >>> bytes(lines.of(np.array([[0.25, 0.75], [2 / 3, 1 / 3]]), np.array([1, 0]), pa.array(["a,", "b,"])))
        b'a,0.25,0.75,yes\nb,0.666667,0.333333,no\n'
        """
        rows = len(probabilities)
        data, starts = _text(before) if before is not None else (np.empty(0, np.uint8), np.zeros(rows + 1, np.int32))
        out = np.empty(rows * self._longest + int(starts[-1] - starts[0]), np.uint8)
        matrix = readable(np.ascontiguousarray(probabilities))
        codes = readable(np.ascontiguousarray(answers, np.int32))
        size = write_predictions(data, starts, matrix, codes, self._names, self._starts, out)
        return out[:size].data


def _text(strings: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of an array of strings without nulls, and where each begins and ends."""
    _, offsets, data = strings.buffers()
    starts = np.frombuffer(offsets, np.int32, len(strings) + 1, 4 * strings.offset)
    return readable(np.frombuffer(data or b"", np.uint8)), readable(starts)
