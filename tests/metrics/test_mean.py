from __future__ import annotations

from crake.metrics.estimate import Estimate
from crake.metrics.mean import mean_of_defined


def test_folds_without_a_value_are_left_out_and_counted() -> None:
    folds = [Estimate(0.5)] * 9 + [Estimate.undefined("no row is positive")]
    mean = mean_of_defined(folds)
    assert mean.value == 0.5
    assert mean.method == "mean of 9 of 10 folds"


def test_all_defined() -> None:
    assert mean_of_defined([Estimate(0.1), Estimate(0.2)] * 5).method == "mean of 10 folds"
    assert mean_of_defined([Estimate(0.1)] * 10).value == 0.1


def test_none_defined() -> None:
    nothing = mean_of_defined([Estimate.undefined("no row is positive")] * 3)
    assert nothing.reason == "undefined in all 3 folds: no row is positive"
    assert mean_of_defined([]).reason == "no folds"
