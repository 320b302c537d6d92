"""Checks of a measure's input: rows in one form, or an error with the reason."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError

SUM_TOLERANCE = 1e-6
"""The largest difference from 1 that the sum of a row's probabilities may have."""


def class_codes(codes: ArrayLike, classes: int, what: str = "actual") -> NDArray[np.intp]:
    """Class codes 0 … classes − 1, one for each row.

    >>> class_codes([0, 2], classes=2)
    Traceback (most recent call last):
    crake.errors.DataError: the actual class of row 1 has the code 2; expected 0 … 1
    """
    array = np.asarray(codes)
    if array.size == 0:
        return np.zeros(0, dtype=np.intp)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise DataError(
            f"the {what} classes have shape {array.shape} and type {array.dtype}; "
            "expected one whole number (the code of a class) for each row"
        )
    if (wrong := _first((array < 0) | (array >= classes))) is not None:
        missing = " (missing): leave such rows out before measuring" if array[wrong] == -1 else ""
        raise DataError(
            f"the {what} class of row {wrong} has the code {array[wrong]}{missing}; expected 0 … {classes - 1}"
        )
    return array.astype(np.intp)


def row_weights(weights: ArrayLike | None, rows: int) -> NDArray[np.float64]:
    """One finite weight ≥ 0 for each row; without weights every row counts once."""
    if weights is None:
        return np.ones(rows)
    array = numbers(weights, "weights")
    if array.shape != (rows,):
        raise DataError(f"there are {rows} rows and weights of shape {array.shape}; expected one weight per row")
    if (wrong := _first(~(np.isfinite(array) & (array >= 0)))) is not None:
        raise DataError(f"the weight of row {wrong} is {array[wrong]}; expected a finite number, 0 or greater")
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise DataError("the weights sum to more than a float can hold; divide them all by the largest")
    return array


def row_probabilities(probabilities: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Probabilities of shape (rows, classes): finite, none below 0, every row summing to 1 ± 1e-6.

    >>> row_probabilities([[0.5, 0.4]], rows=1)
    Traceback (most recent call last):
    crake.errors.DataError: the probabilities of row 0 sum to 0.9; expected 1
    """
    array = row_scores(probabilities, rows, "probabilities")
    if array.size and array.min() < 0:
        wrong = int(np.argmax((array < 0).any(axis=1)))
        raise DataError(f"a probability of row {wrong} is {array[wrong].min()}; expected 0 or greater")
    sums = array @ np.ones(array.shape[1])
    if (first := _first(np.abs(sums - 1) > SUM_TOLERANCE)) is not None:
        raise DataError(f"the probabilities of row {first} sum to {sums[first]:.7g}; expected 1")
    return array


def row_scores(values: ArrayLike, rows: int, what: str = "scores") -> NDArray[np.float64]:
    """Scores of shape (rows, classes), all finite: they rank the rows of each class, on any scale.

    >>> row_scores([[-2.5, float("inf")]], rows=1)
    Traceback (most recent call last):
    crake.errors.DataError: the scores of row 0 are [-2.5, inf]; expected finite numbers
    """
    array = numbers(values, what)
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"the {what} have shape {array.shape}; expected (rows, classes), a column for each class")
    same_length(rows, len(array), what)
    # The two ends are found in one pass each; a row is looked for only where one of them is wrong.
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        wrong = int(np.argmax(~np.isfinite(array).all(axis=1)))
        raise DataError(f"the {what} of row {wrong} are {array[wrong].tolist()}; expected finite numbers")
    return array


def class_probability(values: ArrayLike, rows: int) -> NDArray[np.float64]:
    """The probability of one class for each row, 0 … 1.

    >>> class_probability([0.5, 1.5], rows=2)
    Traceback (most recent call last):
    crake.errors.DataError: the probability of row 1 is 1.5; expected a number from 0 to 1
    """
    array = numbers(values, "probabilities")
    if array.ndim != 1:
        raise DataError(f"the probabilities have shape {array.shape}; expected one number for each row")
    same_length(rows, len(array), "probabilities")
    if (wrong := _first(~((array >= 0) & (array <= 1 + SUM_TOLERANCE)))) is not None:
        raise DataError(f"the probability of row {wrong} is {array[wrong]}; expected a number from 0 to 1")
    return np.minimum(array, 1.0)


def finite_numbers(values: ArrayLike, rows: int, what: str, beside: str) -> NDArray[np.float64]:
    """One finite number for each row."""
    array = numbers(values, what)
    if array.ndim != 1:
        raise DataError(f"the {what} have shape {array.shape}; expected one number for each row")
    same_length(rows, len(array), what, beside)
    if (wrong := _first(~np.isfinite(array))) is not None:
        raise DataError(f"the {what} hold {array[wrong]} in row {wrong}; expected finite numbers")
    return array


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of floats, or an error where the values are no numbers or ragged."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {what} are not an array of numbers ({error})") from error


def flags(values: ArrayLike, what: str) -> NDArray[np.bool_]:
    """One True or False for each row."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.bool_)
    if array.ndim != 1 or array.dtype.kind != "b":
        raise DataError(f"{what} has shape {array.shape} and type {array.dtype}; expected True or False for each row")
    return array


def same_length(rows: int, others: int, what: str, beside: str = "actual classes") -> None:
    """Raise an error for columns of different lengths."""
    if others != rows:
        raise DataError(f"there are {rows} {beside} and {others} {what}; expected one for each row")


def _first(wrong: ArrayLike) -> int | None:
    return int(np.argmax(wrong)) if np.any(wrong) else None
