"""Plans by the short names of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

from crake.errors import CrakeError
from crake.plans.assignment import Plan
from crake.plans.bootstrap import Bootstrap
from crake.plans.cross_validation import CrossValidation
from crake.plans.forms import FORMS
from crake.plans.grouped import GroupedCrossValidation
from crake.plans.holdout import Holdout
from crake.plans.leave_one_out import LeaveOneOut
from crake.plans.random_subsampling import RandomSubsampling
from crake.plans.resubstitution import Resubstitution
from crake.plans.time_ordered import TimeOrdered


def from_text(text: str, random_state: int = 1) -> Plan:
    """Return the plan of a short name: cv10, 10xcv10, holdout, loo, bootstrap632+ and so on, see `crake.plans.forms`.

    >>> from_text("cv5").describe()
    'stratified 5-fold cross-validation, seed 1'
    >>> from_text("10xcv10").describe()
    'stratified 10-fold cross-validation, repeated 10 times, seed 1'
    >>> from_text("grouped5:customer").describe()
    '5-fold cross-validation, groups by customer, seed 1'
    >>> from_text("grouped").describe()
    '10-fold cross-validation, equal rows together, seed 1'
    """
    seed = random_state
    plans: dict[str, Callable[[re.Match[str]], Plan]] = {
        "holdout": lambda _: Holdout(random_state=seed),
        "loo": lambda _: LeaveOneOut(),
        "resubstitution": lambda _: Resubstitution(),
        "cv([0-9]{1,9})": lambda m: CrossValidation(int(m[1]), random_state=seed),
        "([0-9]{1,6})xcv([0-9]{1,9})": lambda m: CrossValidation(int(m[2]), repeats=int(m[1]), random_state=seed),
        "subsampling([0-9]{1,6})": lambda m: RandomSubsampling(int(m[1]), random_state=seed),
        r"bootstrap(632\+|632|632-lecture|)": lambda m: Bootstrap(estimate=m[1] or "out-of-bag", random_state=seed),  # type: ignore[arg-type]
        "grouped([0-9]{0,9})(?::(.+))?": lambda m: GroupedCrossValidation(
            m[2], folds=int(m[1] or 10), random_state=seed
        ),
        "time([0-9]{0,6})(?::(.+))?": lambda m: TimeOrdered(m[2], steps=int(m[1] or 5)),
    }
    for form, make in plans.items():
        # The name is read in any case; a column's name stays as it is.
        match = re.fullmatch(f"(?i:{form})", text.strip())
        if match is not None:
            try:
                return make(match)
            except CrakeError as error:
                raise CrakeError(f"there is no plan {text!r}: {error}") from None
    raise CrakeError(f"there is no plan {text!r}; expected {FORMS}")
