"""Plans: which rows are learned from and which are tested. They know row numbers and class codes, no tables."""

from __future__ import annotations

from crake.plans.assignment import Assignment, Plan
from crake.plans.cross_validation import CrossValidation
from crake.plans.given_folds import GivenFolds
from crake.plans.hashed_folds import HashedFolds
from crake.plans.holdout import Holdout
from crake.plans.leave_one_out import LeaveOneOut
from crake.plans.text import from_text

__all__ = ["Assignment", "CrossValidation", "GivenFolds", "HashedFolds", "Holdout", "LeaveOneOut", "Plan", "from_text"]
