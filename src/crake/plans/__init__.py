"""Plans: which rows are learned from and which are tested. They know row numbers and class codes, no tables."""

from __future__ import annotations

from crake.plans.assignment import Assignment, Plan
from crake.plans.bootstrap import Bootstrap
from crake.plans.cross_validation import CrossValidation
from crake.plans.given_folds import GivenFolds
from crake.plans.grouped import GroupedCrossValidation
from crake.plans.hashed_folds import HashedFolds
from crake.plans.holdout import Holdout
from crake.plans.leave_one_out import LeaveOneOut
from crake.plans.random_subsampling import RandomSubsampling
from crake.plans.resubstitution import Resubstitution
from crake.plans.short_names import from_text
from crake.plans.time_ordered import TimeOrdered

__all__ = [
    "Assignment",
    "Bootstrap",
    "CrossValidation",
    "GivenFolds",
    "GroupedCrossValidation",
    "HashedFolds",
    "Holdout",
    "LeaveOneOut",
    "Plan",
    "RandomSubsampling",
    "Resubstitution",
    "TimeOrdered",
    "from_text",
]
