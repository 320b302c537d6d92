"""Costs of knowing a column: numbers of at least 0 by name, checked against a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crake.errors import CrakeError, did_you_mean
from crake.render.plain_text import visible


def checked_costs(costs: Mapping[Any, Any], names: Sequence[str]) -> dict[str, float]:
    """Return the costs by column; raise for a name that is no feature, and for a cost that is no number from 0 on.

    >>> checked_costs({"humidity": 5}, ["outlook", "humidity"])
    {'humidity': 5.0}
    >>> checked_costs({"humidty": 5}, ["outlook", "humidity"])
    Traceback (most recent call last):
    crake.errors.CrakeError: column_costs names 'humidty'; expected a feature of the table. Did you mean 'humidity'?
    """
    for name, cost in costs.items():
        if name not in names:
            hint = did_you_mean(str(name), names)
            raise CrakeError(f"column_costs names {visible(name)!r}; expected a feature of the table.{hint}")
        is_number = isinstance(cost, int | float | np.number) and not isinstance(cost, bool)
        if not is_number or not 0 <= float(cost) < 1e300:
            raise CrakeError(
                f"column_costs of {visible(name)!r} is {cost!r}; expected a number from 0 on, as in "
                '{"blood test": 20}'
            )
    return {str(name): float(cost) for name, cost in costs.items()}
