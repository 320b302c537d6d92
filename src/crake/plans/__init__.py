"""Plans: which rows are learned from and which are tested. They know row numbers and class codes, no tables.

Names are looked up when they are used, so that `crake.plans.forms` is read without numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crake.plans.assignment import Assignment, Plan
    from crake.plans.bootstrap import Bootstrap
    from crake.plans.cross_validation import CrossValidation
    from crake.plans.given_folds import GivenFolds
    from crake.plans.grouped import GroupedCrossValidation
    from crake.plans.hashed_folds import HashedFolds
    from crake.plans.holdout import Holdout
    from crake.plans.keyed_folds import KeyedFolds
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
    "KeyedFolds",
    "LeaveOneOut",
    "Plan",
    "RandomSubsampling",
    "Resubstitution",
    "TimeOrdered",
    "from_text",
]

_MODULES = {
    "Assignment": "assignment",
    "Bootstrap": "bootstrap",
    "CrossValidation": "cross_validation",
    "GivenFolds": "given_folds",
    "GroupedCrossValidation": "grouped",
    "HashedFolds": "hashed_folds",
    "Holdout": "holdout",
    "KeyedFolds": "keyed_folds",
    "LeaveOneOut": "leave_one_out",
    "Plan": "assignment",
    "RandomSubsampling": "random_subsampling",
    "Resubstitution": "resubstitution",
    "TimeOrdered": "time_ordered",
    "from_text": "short_names",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'crake.plans' has no attribute {name!r}")
    value = getattr(import_module(f"crake.plans.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
