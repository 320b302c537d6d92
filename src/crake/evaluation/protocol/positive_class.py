"""The positive class: the one that curves, cutoffs and measures of a single class speak of."""

from __future__ import annotations

from collections.abc import Sequence

from crake.errors import CrakeError
from crake.table.schema import Label


def refuse_unknown_class(positive: Label | None, classes: Sequence[Label]) -> None:
    """The positive class, where one is named, must be one of these.

    >>> refuse_unknown_class("maybe", ["no", "yes"])
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no class 'maybe' to call positive; classes: ['no', 'yes']
    """
    if positive is not None and positive not in classes:
        raise CrakeError(f"there is no class {positive!r} to call positive; classes: {list(classes)}")
