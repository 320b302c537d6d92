from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from crake.errors import UndefinedMeasure
from crake.metrics.estimate import Estimate


class Counted:
    """Makes an interval and counts how often it was asked to."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> tuple[float, float]:
        self.calls += 1
        return 0.25, 0.75


def test_an_interval_is_made_once_and_only_when_asked_for() -> None:
    make = Counted()
    estimate = Estimate(0.5, make, "drawn")
    assert (float(estimate), f"{estimate:.1f}", estimate.is_defined, estimate.method) == (0.5, "0.5", True, "drawn")
    assert make.calls == 0
    assert estimate.interval == (0.25, 0.75)
    assert str(estimate) == "0.500 [0.250, 0.750]"
    assert make.calls == 1


def test_made_later_or_given_it_is_the_same_estimate() -> None:
    later, given = Estimate(0.5, Counted(), "drawn"), Estimate(0.5, (0.25, 0.75), "drawn")
    assert later == given
    assert hash(later) == hash(given)
    assert repr(Estimate(0.5, Counted(), "drawn")) == repr(given)
    assert Estimate(0.5, Counted(), "drawn").to_dict() == given.to_dict()
    assert dataclasses.replace(Estimate(0.5, Counted(), "drawn"), method="other").interval == (0.25, 0.75)
    assert dataclasses.asdict(Estimate(0.5, Counted(), "drawn")) == dataclasses.asdict(given)
    assert later != Estimate(0.5, (0.25, 0.76), "drawn")


def test_a_copy_leaves_the_function_behind() -> None:
    make = Counted()
    estimate = copy.deepcopy(Estimate(0.5, make, "drawn"))
    assert estimate.interval == (0.25, 0.75)
    assert make.calls == 1


def test_a_maker_may_find_none() -> None:
    estimate = Estimate(0.5, lambda: None, "one row")
    assert str(estimate) == "0.500"
    assert json.loads(json.dumps(estimate.to_dict())) == {"value": 0.5, "interval": None, "method": "one row"}


def test_nothing_can_be_assigned() -> None:
    estimate = Estimate(0.5)
    assert estimate.interval is None
    for name in ("value", "interval", "method"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(estimate, name, None)


def test_without_a_value_it_says_why() -> None:
    nothing = Estimate.undefined("one class only")
    with pytest.raises(UndefinedMeasure, match="undefined: one class only"):
        float(nothing)
    assert (str(nothing), f"{nothing:.3f}") == ("undefined (one class only)", "undefined")
    assert nothing.to_dict() == {"value": None, "interval": None, "method": None, "reason": "one class only"}


def test_estimates_are_numbers_in_arithmetic() -> None:
    one, other = Estimate(0.75, (0.5, 0.9)), Estimate(0.5)
    assert (one.low, one.high, other.low, other.high) == (0.5, 0.9, None, None)
    assert (one - other, one + 1, 1 - one, 2 * one, one / other, 3 / one) == (0.25, 1.75, 0.25, 1.5, 1.5, 4.0)
    assert type(one - other) is float
    assert one > other
    assert one >= 0.75
    assert other < 0.6
    assert other >= 0.5
    assert max([other, one]) is one
    assert (-one, abs(one), round(one, 1)) == (-0.75, 0.75, 0.8)
    with pytest.raises(UndefinedMeasure, match="one class only"):
        Estimate.undefined("one class only") - one
