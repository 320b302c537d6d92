"""Balancing on the command line: the sampler by its name, around a learner and in the printed Python."""

from __future__ import annotations

from typing import Any

from crake.balance.names import SAMPLERS, check_name
from crake.workbench.calls import Expression, call, public


def check_balance(name: str | None) -> None:
    """Raise an error for a way of balancing that there is not.

    >>> check_balance("smot")
    Traceback (most recent call last):
    crake.errors.CrakeError: --balance: expected one of under, over, weights..., got 'smot'...
    """
    if name is not None:
        check_name(name, "--balance")


def balanced_learner(learner: Any, name: str | None, seed: int) -> Any:
    """Return the learner so that it learns from balanced classes; as it is without a name."""
    if name is None:
        return learner
    from crake.evaluation.protocol.wrapped import balancing  # noqa: PLC0415 (numba and numpy only when there is work)

    return balancing(learner, name, seed).checked()


def balanced_call(learner: Expression, name: str | None, seed: int) -> Expression:
    """Return the call that puts a Balanced around a learner; the seed stands there if it is not the usual one.

    >>> print(balanced_call(call(public("C45Classifier")), "under", 1))
    crake.Balanced(crake.C45Classifier(), crake.Undersample())
    """
    if name is None:
        return learner
    kind = SAMPLERS[name.lower()].partition(":")[2]
    is_seeded = seed != 1 and name.lower() != "weights"
    return call(public("Balanced"), learner, call(public(kind), random_state=seed if is_seeded else None))
