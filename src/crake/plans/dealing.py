"""Rows that a plan may deal out: those of known class, checked and shuffled. Notes on rare classes."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Rows
from crake.errors import CrakeError, DataError
from crake.plans.assignment import Assignment
from crake.table.schema import Label

MOST_NAMED = 5


def target(target_codes: ArrayLike, classes: Sequence[Label]) -> NDArray[np.intp]:
    """Return the class codes, negative where unknown; raise unless two classes have rows and one has two.

    Without classes the target is a number: 0 where it is known.

    >>> target([0, 0, -1, 0], ["yes", "no"])
    Traceback (most recent call last):
    crake.errors.DataError: all 3 rows with a known class are of class 'yes'; expected at least two classes
    """
    codes = np.asarray(target_codes)
    if codes.size and (codes.ndim != 1 or codes.dtype.kind not in "iu"):
        raise DataError(
            f"the target has shape {codes.shape} and type {codes.dtype}; expected one class code for each row"
        )
    codes = codes.reshape(-1).astype(np.intp)
    if len(classes) == 0:
        refuse_too_few(int((codes >= 0).sum()), "number")
        return np.asarray(np.minimum(codes, 0), np.intp)
    if codes.size and codes.max() >= len(classes):
        raise DataError(f"the target has the code {codes.max()}; expected 0 … {len(classes) - 1}, or -1 for unknown")
    refuse_too_little(np.bincount(codes[codes >= 0], minlength=len(classes)), classes)
    return codes


def refuse_too_little(counts: NDArray[np.intp], classes: Sequence[Label]) -> None:
    """Raise for counts of classes that leave nothing to learn and test."""
    rows = int(counts.sum())
    refuse_too_few(rows, "class")
    if (counts > 0).sum() == 1:
        only = classes[int(counts.argmax())]
        raise DataError(f"all {rows} rows with a known class are of class {only!r}; expected at least two classes")
    if counts.max() == 1:
        raise DataError(
            f"each of the {rows} classes has 1 row, so none can be both learned and tested. "
            "Is the target an identifier? Choose another target"
        )


def refuse_too_few(rows: int, what: str) -> None:
    """Raise for fewer than two rows with a known target."""
    if rows < 2:
        count = "no row has" if rows == 0 else "only 1 row has"
        raise DataError(f"{count} a known {what}; expected at least 2 rows, to learn from one and test the other")


def shuffled(codes: NDArray[np.intp], random_state: int, *, by_class: bool) -> Rows:
    """Return the rows of known class in an order that follows from the seed alone; `by_class` class after class.

    The order sorts the raw output of PCG64, which NumPy promises to keep, unlike its `shuffle`: the same seed gives
    the same folds with any version and on any machine.
    """
    rows = np.flatnonzero(codes >= 0)
    order = rows[_in_drawn_order(np.asarray(np.random.PCG64(random_state).random_raw(len(rows))))]
    if not by_class:
        return order
    # Small whole numbers are sorted by radix: several times faster than one sort by class and key.
    class_of = codes[order]
    return order[np.argsort(class_of.astype(np.int16) if class_of.max() < 2**15 else class_of, kind="stable")]


def _in_drawn_order(keys: NDArray[np.uint64]) -> Rows:
    """Return the places of the keys from the smallest to the largest.

    Of n keys the lowest log2(n) bits do not count: keys that are equal in the others stay in their order.

    >>> _in_drawn_order(np.array([7 << 40, 9, 3 << 40, 8], np.uint64))
    array([1, 3, 2, 0])
    """
    # Numbers of 16 bits are sorted by radix: two such sorts take half the time of one of long numbers.
    upper = (keys >> np.uint64(32)).astype(np.uint32)
    order = np.argsort(upper.astype(np.uint16), kind="stable")
    order = order[np.argsort((upper >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    upper = upper[order]
    is_same = upper[1:] == upper[:-1]
    if is_same.any():
        tied = np.flatnonzero(np.append(is_same, False) | np.append(False, is_same))
        bits = np.uint64(max(1, len(keys) - 1).bit_length())
        order[tied] = order[tied][np.lexsort((order[tied], keys[order[tied]] >> bits))]
    return order


def assignment(
    fold: NDArray[np.int32], folds: int, codes: NDArray[np.intp], classes: Sequence[Label], notes: Sequence[str] = ()
) -> Assignment:
    """Return the assignment, with notes on classes that are tested without having been learned, or never tested."""
    rare = _rare_classes(fold, folds, codes, classes) if len(classes) else []
    return Assignment(fold, folds, codes >= 0, (*notes, *rare))


def _rare_classes(fold: NDArray[np.int32], folds: int, codes: NDArray[np.intp], classes: Sequence[Label]) -> list[str]:
    K, tested = len(classes), fold >= 0
    rows = np.bincount(codes[codes >= 0], minlength=K)
    if tested.all():
        tests, of_folds = rows, _folds_of_classes(fold, folds, codes, K)
    else:
        tests = np.bincount(codes[tested], minlength=K)
        of_folds = _folds_of_classes(fold[tested], folds, codes[tested], K)
    # All its rows are tested in one fold: the model tested there was made without the class.
    unlearned = (tests == rows) & (of_folds == 1)
    notes = [
        (unlearned & (rows == 1), "{who} {has} 1 row: when {it_is} tested {it} cannot have been learned"),
        (unlearned & (rows > 1), "{who} {has} all rows in one test fold: there {it} cannot have been learned"),
        ((rows > 0) & (tests == 0), "{who} {has} no row that is tested"),
    ]
    return [note.format(**subject(np.flatnonzero(which), classes)) for which, note in notes if which.any()]


def unlearned(counts: NDArray[np.float64], classes: Sequence[Label]) -> list[str]:
    """Return a note on classes whose rows are all in one fold; `counts` has shape (folds, classes)."""
    alone = np.flatnonzero(np.count_nonzero(counts, axis=0) == 1)
    if len(alone) == 0:
        return []
    note = "{who} {has} all rows in one test fold: there {it} cannot have been learned"
    return [note.format(**subject(alone, classes))]


def _folds_of_classes(fold: NDArray[np.int32], folds: int, codes: NDArray[np.intp], K: int) -> NDArray[np.intp]:
    """Return the number of folds in which each class is tested."""
    if folds == len(fold):  # leave-one-out: as many as it has rows
        return np.bincount(codes, minlength=K)
    cells = np.bincount(codes * folds + fold, minlength=K * folds).reshape(K, folds)
    counts: NDArray[np.intp] = np.count_nonzero(cells, axis=1)
    return counts


def subject(codes: NDArray[np.intp], classes: Sequence[Label]) -> dict[str, str]:
    """Return the words of a note on some classes: one or several."""
    if len(codes) == 1:
        return {"who": f"class {named(codes, classes)}", "has": "has", "it_is": "it is", "it": "it", "them": "it"}
    return {"who": f"classes {named(codes, classes)}", "has": "have", "it_is": "they are", "it": "they", "them": "them"}


def named(codes: NDArray[np.intp], classes: Sequence[Label]) -> str:
    """Return the labels of some classes, the first few by name.

    >>> named(np.arange(7), "abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    names = ", ".join(repr(classes[code]) for code in codes[:MOST_NAMED])
    return names if len(codes) <= MOST_NAMED else f"{names} and {len(codes) - MOST_NAMED} more"


def whole_number(value: object, name: str, smallest: int) -> int:
    """Return a parameter that must be a whole number.

    >>> whole_number(1, "folds", 2)
    Traceback (most recent call last):
    crake.errors.CrakeError: folds = 1; expected a whole number, 2 or greater
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = smallest - 1
    if isinstance(value, bool) or number < smallest:
        raise CrakeError(f"{name} = {value!r}; expected a whole number, {smallest} or greater")
    return number
