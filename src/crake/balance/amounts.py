"""Amounts of rows: a ratio, a number, numbers by class, or "equal", turned into the rows of each class."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from crake.arrays import Codes, Longs
from crake.errors import CrakeError, DataError
from crake.learners.base.class_weights import unknown_class
from crake.render.plain_text import visible
from crake.table.schema import Label

EQUAL = "equal"
Direction = Literal["more", "fewer"]
EXPECTED = 'expected "equal", a ratio such as 0.5, a number of rows such as 500, or one of these by class: {"yes": 500}'

FEW = 20
"""Rows of a class, fewer of which are hardly enough to learn from."""
FEW_CLASSES = 8
"""Classes up to which comparing codes counts them in less time than sorting them into bins."""
MOST = 1_000_000_000
"""The most rows of a class that can be asked for."""

CONSTRAINT: list[Any] = [str, Real, dict]
"""Constraints on the parameter `amount`; `check_amount` looks closer."""


def check_amount(amount: Any) -> None:
    """Raise if an amount is none of the accepted forms.

    >>> check_amount(0.5), check_amount({"yes": 500})
    (None, None)
    >>> check_amount(1.5)
    Traceback (most recent call last):
    crake.errors.CrakeError: amount is 1.5; a ratio is above 0 and at most 1: the smallest class to the largest
    """
    if isinstance(amount, str) and amount == EQUAL:
        return
    if isinstance(amount, Mapping):
        for label, each in amount.items():
            if isinstance(each, str) or not _is_number(each):
                raise CrakeError(
                    f"amount of {visible(label)!r} is {each!r}; expected a number of rows, or a ratio to the largest "
                    "class, above 0 and at most 1"
                )
            _check_number(each, f"amount of {visible(label)!r}")
        return
    if not _is_number(amount):
        raise CrakeError(f"amount is {amount!r}; {EXPECTED}")
    _check_number(amount, "amount")


def class_rows(target: Codes, classes: int) -> Longs:
    """Return the number of rows of each class.

    >>> class_rows(np.array([0, 1, 1], np.int32), 3).tolist()
    [1, 2, 0]
    """
    if classes > FEW_CLASSES:
        return np.bincount(target, minlength=classes).astype(np.int64)
    return np.array([np.count_nonzero(target == code) for code in range(classes)], np.int64)


def rows_to_have(
    amount: Any, counts: Longs, classes: tuple[Label, ...], direction: Direction
) -> tuple[Longs, tuple[str, ...]]:
    """Return the rows that each class is to have, and notes; a class without rows stays without.

    "more": no class loses rows. "equal" raises every class to the largest, a ratio r to r times the largest, a number
    to that number. "fewer": no class gains rows. "equal" lowers every class to the smallest, a ratio r to the smallest
    divided by r, a number to that number. By class, a number is the rows of that class and a ratio is one to the rows
    of the largest class; other classes stay as they are.

    >>> counts, classes = np.array([900, 100]), ("no", "yes")
    >>> [rows_to_have(amount, counts, classes, "more")[0].tolist() for amount in ("equal", 0.5, 300, {"yes": 200})]
    [[900, 900], [900, 450], [900, 300], [900, 200]]
    >>> [rows_to_have(amount, counts, classes, "fewer")[0].tolist() for amount in ("equal", 0.5, 300, {"no": 200})]
    [[100, 100], [200, 100], [300, 100], [200, 100]]
    """
    check_amount(amount)
    counts = np.asarray(counts, np.int64)
    present = counts > 0
    if not present.any():
        raise DataError("no class has a row; there is nothing to balance")
    if isinstance(amount, Mapping):
        return _by_class(amount, counts, classes, direction)
    largest, smallest = int(counts.max()), int(counts[present].min())
    if amount == EQUAL:
        aim = largest if direction == "more" else smallest
    elif isinstance(amount, Integral):
        aim = _rows_asked(amount, direction)
    else:
        aim = max(1, _rounded(float(amount) * largest if direction == "more" else smallest / float(amount)))
    chosen = np.maximum(counts, aim) if direction == "more" else np.minimum(counts, aim)
    wanted = np.where(present, chosen, 0).astype(np.int64)
    notes = (*_of_absent(counts, classes), *_of_nothing(wanted, counts, amount, aim, direction))
    return wanted, (*notes, *_of_few(wanted, counts, amount, classes))


def _by_class(
    amount: Mapping[Any, Any], counts: Longs, classes: tuple[Label, ...], direction: Direction
) -> tuple[Longs, tuple[str, ...]]:
    wanted = counts.copy()
    for label, each in amount.items():
        if label not in classes:
            raise unknown_class("amount", label, classes)
        code = classes.index(label)
        own = int(counts[code])
        aim = _rows_asked(each, direction) if isinstance(each, Integral) else _rows_of_ratio(each, counts)
        if own == 0:
            continue  # said below
        if (aim < own) if direction == "more" else (aim > own):
            other = "Undersample takes rows away" if direction == "more" else "Oversample adds rows"
            raise DataError(
                f"amount asks for {aim:,} rows of the class {visible(label)!r}, which has {own:,}; expected "
                f"{'at least' if direction == 'more' else 'at most'} {own:,}: {other}"
            )
        wanted[code] = aim
    return wanted, (*_of_absent(counts, classes), *_of_few(wanted, counts, amount, classes))


def _of_absent(counts: Longs, classes: tuple[Label, ...]) -> tuple[str, ...]:
    absent = [visible(label) for label, count in zip(classes, counts.tolist(), strict=True) if count == 0]
    if not absent:
        return ()
    many = "classes" if len(absent) > 1 else "class"
    return (f"No training row has the {many} {', '.join(absent[:12])}: nothing can be balanced there.",)


def _of_nothing(wanted: Longs, counts: Longs, amount: Any, aim: int, direction: Direction) -> tuple[str, ...]:
    """Return a note if the amount changes no class although it was no request for equal classes."""
    if amount == EQUAL or not np.array_equal(wanted, counts):
        return ()
    side = "already has at least" if direction == "more" else "has at most"
    rows = "1 row" if aim == 1 else f"{aim:,} rows"
    return (f"Nothing is balanced: every class {side} the {rows} that amount={amount!r} asks for.",)


def _of_few(wanted: Longs, counts: Longs, amount: Any, classes: tuple[Label, ...]) -> tuple[str, ...]:
    """Return a note if hardly a row is left: fewer than 20 of a class, and less than a tenth of all."""
    left, rows = int(wanted.sum()), int(counts.sum())
    lowered = np.where(wanted < counts, wanted, FEW)
    least = int(lowered.argmin())
    if lowered[least] >= FEW or left >= rows / 10:
        return ()
    lost = f"{left:,} of {rows:,}, and {wanted[least]:,} of {counts[least]:,} of the class {visible(classes[least])}"
    one = " amount=1 is one row; write 1.0 for a ratio." if isinstance(amount, Integral) and int(amount) == 1 else ""
    return (f"Few rows are left to learn from: {lost}. Weights() keeps every row.{one}",)


def _rows_asked(number: Any, direction: Direction) -> int:
    """Return a number of rows; raise if no memory could hold them."""
    if direction == "more" and int(number) > MOST:
        raise DataError(
            f"amount asks for {int(number):,} rows of a class; expected at most {MOST:,}: Weights() makes a class "
            "count more without a row"
        )
    return min(int(number), 2**62)


def _is_number(amount: Any) -> bool:
    return isinstance(amount, Real) and not isinstance(amount, bool | np.bool_)


def _check_number(amount: Any, name: str) -> None:
    if isinstance(amount, Integral):
        if int(amount) < 1:
            raise CrakeError(f"{name} is {amount}; expected at least 1 row")
    elif not 0 < float(amount) <= 1:
        raise CrakeError(f"{name} is {amount:g}; a ratio is above 0 and at most 1: the smallest class to the largest")


def _rows_of_ratio(ratio: Any, counts: Longs) -> int:
    return max(1, _rounded(float(ratio) * int(counts.max())))


def _rounded(number: float) -> int:
    """Return the nearest whole number, halves upwards."""
    return int(np.floor(number + 0.5))
