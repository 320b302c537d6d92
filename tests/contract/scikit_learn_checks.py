"""The checks that scikit-learn has for estimators, all those of an estimator in one test."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

OF_ANSWERS = (
    "check_estimator_cloneable", "check_do_not_raise_errors_in_init_or_set_params", "check_dont_overwrite_parameters",
    "check_estimators_overwrite_params", "check_dict_unchanged", "check_estimators_pickle", "check_fit_idempotent",
    "check_n_features_in_after_fitting", "check_classifiers_train", "check_classifiers_classes",
    "check_classifiers_one_label", "check_classifiers_one_label_sample_weights", "check_all_zero_sample_weights_error",
    "check_decision_proba_consistency", "check_class_weight_classifiers", "check_regressors_train",
    "check_transformer_general", "check_sample_weight_equivalence_on_dense_data",
    "check_methods_sample_order_invariance", "check_methods_subset_invariance", "check_fit2d_1sample",
    "check_fit2d_1feature", "check_fit1d",
)  # fmt: skip
"""Checks of what a learner answers and keeps, which depends on its options. The others look at how it reads X and y."""


@contextmanager
def _checks_alone(names: tuple[str, ...]) -> Iterator[None]:
    every = estimator_checks._yield_all_checks

    def some(*arguments: Any, **options: Any) -> Iterator[Any]:
        for check in every(*arguments, **options):
            if getattr(check, "func", check).__name__ in names:
                yield check

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimator_checks, "_yield_all_checks", some)
        yield


def broken_checks(estimator: Any, expected_failures: dict[str, str], *, of_answers_alone: bool = False) -> list[str]:
    """Run scikit-learn's checks, about 65; return a line for each that fails, or that holds against expectation.

    All checks of an estimator are one test: as a test each, 4,000 of them take as long again to list and to report.
    """
    if of_answers_alone:
        with _checks_alone(OF_ANSWERS):
            return broken_checks(estimator, expected_failures)
    lines = []
    for result in check_estimator(estimator, expected_failed_checks=expected_failures, on_skip=None, on_fail=None):
        name, error = result["check_name"], result["exception"]
        if result["status"] == "failed":
            lines.append(f"{name} failed: {''.join(traceback.format_exception(error))}")
        elif result["status"] == "passed" and result["expected_to_fail"]:
            lines.append(f"{name} holds, but is expected to fail: {result['expected_to_fail_reason']}")
    return lines
