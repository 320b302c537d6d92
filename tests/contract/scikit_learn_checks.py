"""The checks that scikit-learn has for estimators, all those of an estimator in one test."""

from __future__ import annotations

import traceback
from typing import Any

from sklearn.utils.estimator_checks import check_estimator


def broken_checks(estimator: Any, expected_failures: dict[str, str]) -> list[str]:
    """Run scikit-learn's checks, about 65; return a line for each that fails, or that holds against expectation.

    All checks of an estimator are one test: as a test each, 4,000 of them take as long again to list and to report.
    """
    lines = []
    for result in check_estimator(estimator, expected_failed_checks=expected_failures, on_skip=None, on_fail=None):
        name, error = result["check_name"], result["exception"]
        if result["status"] == "failed":
            lines.append(f"{name} failed: {''.join(traceback.format_exception(error))}")
        elif result["status"] == "passed" and result["expected_to_fail"]:
            lines.append(f"{name} holds, but is expected to fail: {result['expected_to_fail_reason']}")
    return lines
