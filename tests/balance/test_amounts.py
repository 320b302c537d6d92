"""Amounts: a ratio, a number, numbers by class, "equal"; what cannot be is refused with the class and its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.balance.amounts import check_amount, rows_to_have
from crake.errors import CrakeError, DataError

COUNTS = np.array([900, 90, 10])
CLASSES = ("a", "b", "c")


def rows(amount: Any, direction: Any, counts: Any = COUNTS) -> list[int]:
    return rows_to_have(amount, np.asarray(counts), CLASSES, direction)[0].tolist()


@pytest.mark.parametrize(
    ("amount", "more", "fewer"),
    [
        ("equal", [900, 900, 900], [10, 10, 10]),
        (0.5, [900, 450, 450], [20, 20, 10]),
        (1.0, [900, 900, 900], [10, 10, 10]),
        (0.05, [900, 90, 45], [200, 90, 10]),
        (100, [900, 100, 100], [100, 90, 10]),
        (5000, [5000, 5000, 5000], [900, 90, 10]),
    ],
)
def test_the_rows_of_each_class(amount: Any, more: list[int], fewer: list[int]) -> None:
    assert rows(amount, "more") == more
    assert rows(amount, "fewer") == fewer


def test_amounts_by_class_leave_other_classes_alone() -> None:
    assert rows({"c": 50, "b": 0.5}, "more") == [900, 450, 50]
    assert rows({"a": 0.1}, "fewer") == [90, 90, 10]


def test_a_class_without_rows_stays_without_and_is_named() -> None:
    wanted, notes = rows_to_have("equal", np.array([9, 3, 0]), CLASSES, "more")
    assert wanted.tolist() == [9, 9, 0]
    assert notes == ("No training row has the class c: nothing can be balanced there.",)
    assert rows("equal", "fewer", [9, 3, 0]) == [3, 3, 0]


def test_an_amount_that_changes_nothing_is_said() -> None:
    _, notes = rows_to_have(0.001, COUNTS, CLASSES, "more")
    assert notes == ("Nothing is balanced: every class already has at least the 1 row that amount=0.001 asks for.",)


def test_few_rows_that_are_left_are_said() -> None:
    _, notes = rows_to_have(1, np.array([3000, 772]), ("no", "yes"), "fewer")
    lost = "2 of 3,772, and 1 of 3,000 of the class no"
    one = "amount=1 is one row; write 1.0 for a ratio."
    assert notes == (f"Few rows are left to learn from: {lost}. Weights() keeps every row. {one}",)
    assert not rows_to_have("equal", np.array([3000, 20]), ("no", "yes"), "fewer")[1]


def test_text_and_numbers_that_look_alike_are_told_apart() -> None:
    with pytest.raises(CrakeError, match="amount names the class '1', which is text; expected one of 0, 1, without"):
        rows_to_have({"1": 20}, np.array([9, 3]), (0, 1), "more")
    with pytest.raises(CrakeError, match="weights names the class 1, a number; expected one of '0', '1'"):
        crake.Weights({1: 20}).factors(np.array([9.0, 3.0]), ("0", "1"))


@pytest.mark.parametrize(
    ("amount", "direction", "message"),
    [
        ({"c": 5}, "more", "asks for 5 rows of the class 'c', which has 10; expected at least 10: Undersample takes"),
        ({"b": 91}, "fewer", "asks for 91 rows of the class 'b', which has 90; expected at most 90: Oversample adds"),
        ({"d": 5}, "more", "names the class 'd'; expected one of a, b, c"),
        (10**12, "more", "asks for 1,000,000,000,000 rows of a class; expected at most"),
        ({"a": 10**30}, "more", "rows of a class; expected at most"),
    ],
)
def test_what_no_sampler_can_do_is_refused(amount: Any, direction: Any, message: str) -> None:
    with pytest.raises(CrakeError, match=message):
        rows(amount, direction)


@pytest.mark.parametrize("amount", ["half", 0, -1, 0.0, 1.5, float("nan"), True, None, {"a": "equal"}, {"a": 0}, [5]])
def test_other_amounts_are_refused(amount: Any) -> None:
    with pytest.raises(CrakeError, match="amount"):
        check_amount(amount)


def test_no_row_at_all_is_refused() -> None:
    with pytest.raises(DataError, match="no class has a row"):
        rows("equal", "more", [0, 0, 0])
