"""What is given to an evaluation, checked before any work: the learner or its name, and the plan."""

from __future__ import annotations

from typing import Any

from crake.errors import CrakeError
from crake.learners.registry import by_name


def learner_of(given: Any) -> Any:
    """The learner of a name, or the learner itself; what is neither is refused.

    >>> learner_of("1r")
    OneRuleClassifier()
    >>> learner_of(int)
    Traceback (most recent call last):
    crake.errors.CrakeError: <class 'int'> is no learner; expected a name, or an object with fit and get_params
    """
    if isinstance(given, str):
        return by_name(given)
    if isinstance(given, type) or not (hasattr(given, "get_params") and hasattr(given, "fit")):
        raise CrakeError(f"{given!r} is no learner; expected a name, or an object with fit and get_params")
    return given


def refuse_no_plan(plan: object) -> None:
    """A plan has `rounds`; the short names are those of the command line.

    >>> refuse_no_plan("cv10")
    Traceback (most recent call last):
    crake.errors.CrakeError: plan = 'cv10'; expected a plan such as crake.CrossValidation(10)
    """
    if isinstance(plan, type) or not all(hasattr(plan, name) for name in ("rounds", "describe")):
        raise CrakeError(f"plan = {plan!r}; expected a plan such as crake.CrossValidation(10)")
