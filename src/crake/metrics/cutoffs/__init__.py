"""Cutoffs: the value c from which on a score is called positive, chosen by costs, by a measure or by a share."""

from crake.metrics.cutoffs.choosing import choose_cutoff
from crake.metrics.cutoffs.cutoff import Cutoff, CutoffSpread, cutoff_spread
from crake.metrics.cutoffs.expected_cost import least_expected_cost
from crake.metrics.cutoffs.prior_shift import cutoff_for_prior, cutoff_of_costs, shift_prior

__all__ = [
    "Cutoff",
    "CutoffSpread",
    "choose_cutoff",
    "cutoff_for_prior",
    "cutoff_of_costs",
    "cutoff_spread",
    "least_expected_cost",
    "shift_prior",
]
