"""Names of a learner that tab completion leaves out: hooks between parts of crake, and parts of fitted models."""

from __future__ import annotations

from collections.abc import Iterable

HOOKS = frozenset({
    "answer_by_fold", "answer_together", "answers", "answers_together", "candidates", "card", "check_stored", "checked",
    "cutoff_dict", "decide", "estimate", "estimate_folds", "estimate_together", "first_votes", "folds_together",
    "gather", "has_closed_leave_one_out",
    "draws_rows", "inner_plan",
    "learn_from", "learns_from", "leave_one_out", "merged_attributes", "narrow_codes", "one_pass",
    "only_estimate", "pictures", "probabilities", "read_statistics", "reads_columns", "reads_tables",
    "reads_text", "restore", "scans_rows", "state", "stored_statistics", "texts_of", "tokeniser",
})  # fmt: skip
"""Methods and settings that evaluations, model files and reports call; they may change."""

PARTS = frozenset({
    "closed_form_", "coefficient_", "condition_", "counts_", "design_", "edges_", "error_", "features_", "free_",
    "gaussians_", "interval_likelihood_", "is_bitwise_", "kernel_", "likelihood_", "machines_", "missing_",
    "node_counts_", "numeric_", "outputs_", "passed_by_", "poll_",
    "present_", "probability_", "refusal_", "role_", "rows_", "schema_", "sigmoids_", "space_", "squares_",
    "statistics_", "tables_", "total_", "tree_", "unscaled_error_", "variables_", "weight_", "words_",
})  # fmt: skip
"""Fitted attributes in a form that suits the arithmetic; what they mean stands under other names."""

SETTINGS = frozenset({
    "class_weight", "criterion", "ddof", "floor", "laplace", "m", "min_variance", "nominal", "numeric", "p",
    "precision", "pruning", "random_state", "smoothing", "validation_fraction", "variant", "zero",
})  # fmt: skip
"""Parameters of some learners that are fixed for others."""


def completed(names: Iterable[str], parameters: Iterable[str]) -> list[str]:
    """Return the names that tab completion shows.

    >>> completed(["fit", "gather", "laplace", "tree_"], ["laplace"])
    ['fit', 'laplace']
    """
    hidden = (HOOKS | PARTS | SETTINGS) - set(parameters)
    return [name for name in names if name not in hidden]
