"""The learners of a comparison: those named or the usual ones, checked before any learning, and those that are left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from crake.errors import CrakeError
from crake.evaluation.protocol import scan_together
from crake.evaluation.protocol.arguments import has_numeric_target, learner_of, shape_of
from crake.evaluation.protocol.trials import Failure
from crake.learners.base.scikit_learn import clone
from crake.learners.registry import compared, title_of, too_slow


def named_learners(learners: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the learners, and the names that a mapping gives them."""
    if isinstance(learners, Mapping):
        return list(learners.values()), tuple(map(str, learners))
    return ([learners] if isinstance(learners, str) else learners), ()


def learners_for(learners: Iterable[Any] | None, table: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Return the learners, by default those of the target's kind, and notes on those that are left out."""
    numbers = has_numeric_target(table)
    if learners is not None:
        return [learner_of(each, numbers=numbers) for each in learners], ()
    shape = shape_of(table, scan_together.SAMPLE_ROWS)
    names, left_out = compared(shape, numbers=numbers), too_slow(shape, numbers=numbers)
    return [learner_of(name, numbers=numbers) for name in names], left_out


def refuse_none_and_duplicates(learners: list[Any], names: tuple[str, ...] = ()) -> None:
    """Raise for no learners, and for two that the leaderboard would call the same."""
    if not learners:
        raise CrakeError("learners is empty; expected names or learners, or None for the usual ones")
    titles = list(names) or [title_of(learner) for learner in learners]
    for title in titles:
        if titles.count(title) > 1:
            raise CrakeError(f"{title} is in the comparison twice; give learners with different parameters")


def check_parameters(learners: list[Any]) -> None:
    """Raise for parameters that no table suits, before any learning."""
    for learner in learners:
        if hasattr(learner, "checked"):
            clone(learner).checked()


def without_failed(
    learners: list[Any], names: tuple[str, ...], failures: Sequence[Failure]
) -> tuple[list[Any], tuple[str, ...], tuple[Failure, ...]]:
    """Return the learners that did not fail with the names given to them, and the failures under such a name."""
    failed = {each.place for each in failures}
    left = [k for k in range(len(learners)) if k not in failed]
    named = tuple(replace(each, name=names[each.place]) if names else each for each in failures)
    return [learners[k] for k in left], tuple(names[k] for k in left) if names else (), named
