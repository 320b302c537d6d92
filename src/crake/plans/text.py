"""Plans as the command line writes them."""

from __future__ import annotations

import re

from crake.errors import CrakeError
from crake.plans.assignment import Plan
from crake.plans.cross_validation import CrossValidation
from crake.plans.holdout import Holdout
from crake.plans.leave_one_out import LeaveOneOut


def from_text(text: str, random_state: int = 1) -> Plan:
    """The plan of a short name: cv10 (any number of folds), holdout, loo.

    >>> from_text("cv5").describe()
    'stratified 5-fold cross-validation, seed 1'
    >>> from_text("cv")
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no plan 'cv'; expected cv10 (or another number of folds), holdout or loo
    """
    name = text.strip().lower()
    if name == "holdout":
        return Holdout(random_state=random_state)
    if name == "loo":
        return LeaveOneOut()
    match = re.fullmatch("cv([0-9]{1,9})", name)
    if match is None or int(match[1]) < 2:
        raise CrakeError(f"there is no plan {text!r}; expected cv10 (or another number of folds), holdout or loo")
    return CrossValidation(int(match[1]), random_state=random_state)
