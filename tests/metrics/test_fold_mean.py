from __future__ import annotations

from crake.metrics.estimate import Estimate
from crake.metrics.fold_mean import mean_of_defined
from crake.metrics.intervals import corrected_interval


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


def test_with_the_ratio_of_rows_it_has_the_corrected_interval() -> None:
    folds = [Estimate(x) for x in (0.7, 0.8, 0.9)] + [Estimate.undefined("no row is positive")]
    mean = mean_of_defined(folds, test_to_train_ratio=1 / 2)
    assert mean.interval == corrected_interval([0.7, 0.8, 0.9], 1 / 2)
    assert mean.method == "mean of 3 of 4 folds; corrected resampled t 95 % (Nadeau and Bengio)"
    assert mean_of_defined(folds[:1], test_to_train_ratio=1 / 2) == Estimate(0.7, None, "mean of 1 folds")
