"""Learners within a learner: estimator=cart names an ensemble's members, estimator.max_depth=3 a parameter of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crake.errors import CrakeError


def parted(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return a learner's own parameters, and those of the learners within it, by the parameter that holds each.

    >>> parted({"n_estimators": 5, "estimator": "cart", "estimator.max_depth": 3})
    ({'n_estimators': 5, 'estimator': 'cart'}, {'estimator': {'max_depth': 3}})
    """
    own: dict[str, Any] = {}
    within: dict[str, dict[str, Any]] = {}
    for path, value in parameters.items():
        name, dot, rest = path.partition(".")
        if dot:
            within.setdefault(name, {})[rest] = value
        else:
            own[name] = value
    return own, within


def named_within(learner: Any, name: str, parameters: Mapping[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the name and the parameters of each learner within, by the parameter of the learner that holds it.

    `name` is that of the learner, for errors. A member that is not named is the usual one of the ensemble, with its
    parameters.

    >>> from crake.learners.registry import by_name
    >>> named_within(by_name("bagging"), "bagging", {"estimator.confidence": 0.1})
    {'estimator': ('c4.5', {'confidence': 0.1})}
    >>> named_within(by_name("cart"), "cart", {"max_depth.most": 3})
    Traceback (most recent call last):
    crake.errors.CrakeError: --set max_depth.most: max_depth of cart holds no learner; expected max_depth=VALUE
    """
    own, within = parted(parameters)
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for parameter in dict.fromkeys([*own, *within]):
        if not _holds_learner(learner, parameter):
            if parameter in within:
                raise CrakeError(
                    f"--set {parameter}.{next(iter(within[parameter]))}: {parameter} of {name} holds no learner; "
                    f"expected {parameter}=VALUE"
                )
        elif isinstance(own.get(parameter), str):
            found[parameter] = own[parameter], within.get(parameter, {})
        elif parameter in within:
            found[parameter] = _usual(learner, parameter, within[parameter])
    return found


def _holds_learner(learner: Any, parameter: str) -> bool:
    """Return True if the parameter takes an object that learns."""
    from crake.learners.base.parameters import HasMethods  # noqa: PLC0415 (numpy only when there is work)

    constraints = getattr(learner, "_parameter_constraints", {}).get(parameter, ())
    return any(isinstance(each, HasMethods) for each in constraints)


def _usual(learner: Any, parameter: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of the usual member, and its parameters with these among them."""
    from crake.learners.registry import name_of  # noqa: PLC0415

    if parameter != "estimator":
        raise CrakeError(
            f"--set {parameter}.{next(iter(parameters))}: expected {parameter}=NAME as well, such as {parameter}=c4.5"
        )
    usual = learner._inner_learner()  # noqa: SLF001 (an ensemble's own hook; there is no public one without a fit)
    plain = type(usual)().get_params(deep=False)
    changed = {each: value for each, value in usual.get_params(deep=False).items() if value != plain[each]}
    return str(name_of(usual)), {**changed, **parameters}
