"""Balancing on the command line: the sampler by its name, around a learner and in the printed Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crake.balance.names import SAMPLERS, check_name, sampler_by_name
from crake.workbench.calls import Expression, call, public

if TYPE_CHECKING:
    from crake.balance.facts import Balance
    from crake.table.table import Table


def check_balance(name: str | None) -> None:
    """Raise an error for a way of balancing that there is not.

    >>> check_balance("smot")
    Traceback (most recent call last):
    crake.errors.CrakeError: --balance: expected one of under, over, weights..., got 'smot'...
    """
    if name is not None:
        check_name(name, "--balance")


def balance_of(name: str | None, table: Table) -> Balance | None:
    """Return the classes before and after balancing all rows; None without a name, and for rows that are scanned."""
    if name is None or not table.in_memory:
        return None
    from crake.balance.outlook import outlook  # noqa: PLC0415 (numpy only when there is work)
    from crake.learners.base.training_rows import present_rows  # noqa: PLC0415

    return outlook(sampler_by_name(name), present_rows(table))


def balance_within(learner: Any, table: Table) -> Balance | None:
    """Return the classes before and after balancing all rows, of a learner that is balanced or has such a one within.

    None for any other learner, for one that a search gives its sampler, and for rows that are scanned.
    """
    from crake.balance.foreign import as_sampler  # noqa: PLC0415 (numpy only when there is work)
    from crake.balance.outlook import outlook  # noqa: PLC0415
    from crake.balance.weights import Weights  # noqa: PLC0415
    from crake.learners.base.training_rows import present_rows  # noqa: PLC0415
    from crake.learners.meta.balance import Balanced  # noqa: PLC0415

    while learner is not None and not isinstance(learner, Balanced):
        if "sampler" in str(getattr(learner, "grid", "")):
            return None
        learner = getattr(learner, "estimator", None)
    if learner is None or not table.in_memory:
        return None
    return outlook(as_sampler(Weights() if learner.sampler is None else learner.sampler), present_rows(table))


def balance_note(balance: Balance | None) -> tuple[str, ...]:
    """Return the note on the shares before and after; none without balancing."""
    if balance is None:
        return ()
    return (
        f"each training part is balanced; of all rows that makes: {balance.sentence().replace('were made', 'made')}",
    )


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
