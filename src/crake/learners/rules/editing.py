"""Rules changed by hand: some of them left out or in another order, and their figures estimated again."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from crake.errors import CrakeError
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training


def places_of(numbers: Sequence[Any], rules: int) -> list[int]:
    """Return the places of rules by the numbers they are printed with, 1 for the first.

    >>> places_of([3, 1], 3)
    [2, 0]
    >>> places_of([4], 3)
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no rule 4; expected numbers from 1 to 3, as print(model) shows them
    """
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Integral) or not 1 <= int(number) <= rules:
            raise CrakeError(
                f"there is no rule {number!r}; expected numbers from 1 to {rules}, as print(model) shows them"
            )
    places = [int(number) - 1 for number in numbers]
    if len(set(places)) < len(places):
        twice = next(place for place in places if places.count(place) > 1)
        raise CrakeError(f"rule {twice + 1} is named twice; expected each rule once, or not at all")
    return places


def edited(rules: RuleList, places: Sequence[int], training: Training) -> RuleList:
    """Return the rules at these places, in this order, with the rows that each of them takes now.

    The class of each rule stays as it was.
    """
    return rules.reordered(places).recounted(training)
