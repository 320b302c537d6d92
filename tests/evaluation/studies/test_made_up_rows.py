"""The study of made-up rows: the class that it is about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import crake
from crake.errors import DataError
from crake.evaluation.studies.made_up_rows import made_up_quality


def three_classes() -> crake.Table:
    """Return 12 rows of a, 24 of b and 30 of c; b lies apart from the others."""
    rng = np.random.default_rng(0)
    target = np.repeat(["a", "b", "c"], [12, 24, 30])
    return crake.read(pa.table({"x": rng.normal(5.0 * (target == "b")), "class": target}), target="class")


def test_it_is_about_the_rarest_class_that_gets_made_up_rows() -> None:
    """Rows of another class once stood in for those of a, of which none is made up."""
    study = made_up_quality(crake.SMOTE({"b": 30}), three_classes(), learner="naive_bayes")
    assert study.label == "b"
    assert [quality.label for quality in study.qualities] == ["b"]
    assert min(study.learned_from[1][1]) > 0.9
    assert made_up_quality(crake.SMOTE(), three_classes(), learner="naive_bayes").label == "a"


def test_the_gain_is_that_of_the_corrected_t_test_and_the_advice_follows() -> None:
    study = made_up_quality(crake.SMOTE(), three_classes(), learner="naive_bayes")
    folds = dict(study.learned_from)
    assert study.fold_rows == ((44, 22), (44, 22), (44, 22))
    gain = study.gain("weights")
    d = np.subtract(folds["real and made-up rows"], folds["weights"])
    assert gain.difference == pytest.approx(d.mean())
    half = stats.t.ppf(0.975, 2) * d.std(ddof=1) * np.sqrt(1 / 3 + 1 / 2)
    assert gain.interval == pytest.approx((d.mean() - half, d.mean() + half))
    assert gain.p_value > 0.05
    assert "does no better than weights, as far as these folds can tell" in study.advice
    lifted = tuple((name, tuple(np.array(auc) - 0.2 * (name == "weights"))) for name, auc in study.learned_from)
    same = replace(
        study, learned_from=tuple((n, (0.7, 0.7, 0.7)) if n == "weights" else (n, (0.9, 0.9, 0.9)) for n, _ in lifted)
    )
    assert "within all limits and better than weights: AUC 0.900 against 0.700, gain +0.200" in same.advice
    one = made_up_quality(crake.SMOTE(), three_classes(), learner="naive_bayes", plan=crake.Holdout(0.4))
    assert one.gain("weights") is None
    assert "does no better than weights" in one.advice


def test_a_fold_without_made_up_rows_of_the_class_is_an_error() -> None:
    """Class a has 10 rows in the last training part, class b has 4: a sampler that asks for 8 makes rows of b only."""
    fold = np.r_[[0] * 5, [1] * 5, [2] * 2, [0] * 2, [1] * 2, [2] * 20, np.arange(30) % 3]
    with pytest.raises(DataError, match="made no row of a up in one of the folds"):
        made_up_quality(crake.SMOTE(8), three_classes(), learner="naive_bayes", plan=crake.GivenFolds(fold))
