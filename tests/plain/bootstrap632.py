"""The .632 estimates as the papers write them: one loop over replicates, one over rows."""

from __future__ import annotations

from collections.abc import Sequence

Replicate = tuple[list[bool], list[bool]]
"""Of each row: was it left out of the sample, and did that sample's model err on it?"""


def leave_one_out_bootstrap(replicates: Sequence[Replicate]) -> float:
    """Err(1): of each row the share of errors among the replicates that left it out; then the mean over rows."""
    rows = []
    for i in range(len(replicates[0][0])):
        errors = [wrong[i] for left_out, wrong in replicates if left_out[i]]
        if errors:
            rows.append(sum(errors) / len(errors))
    return sum(rows) / len(rows)


def lecture(replicates: Sequence[Replicate]) -> float:
    """(1/k) Σ (0.632·acc_test + 0.368·acc_train): test on the rows left out, train on all rows, by the same model."""
    total = 0.0
    for left_out, wrong in replicates:
        out_of_bag = [w for gone, w in zip(left_out, wrong, strict=True) if gone]
        total += 0.632 * (1 - sum(out_of_bag) / len(out_of_bag)) + 0.368 * (1 - sum(wrong) / len(wrong))
    return total / len(replicates)


def plus(err1: float, err: float, actual: Sequence[int], answered: Sequence[int]) -> float:
    """Efron and Tibshirani's (29) to (32)."""
    n = len(actual)
    classes = set(actual) | set(answered)
    gamma = sum((actual.count(c) / n) * (1 - answered.count(c) / n) for c in classes)
    err1_cut = min(err1, gamma)
    R = (err1_cut - err) / (gamma - err) if err1_cut > err and gamma > err else 0.0
    err632 = 0.368 * err + 0.632 * err1
    return err632 + (err1_cut - err) * 0.368 * 0.632 * R / (1 - 0.368 * R) + 0.632 * (err1_cut - err1)
