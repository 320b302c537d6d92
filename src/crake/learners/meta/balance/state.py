"""The classes of a balanced model before and after, as arrays and back."""

from __future__ import annotations

import numpy as np

from crake.balance.facts import Balance
from crake.balance.prior import prior_factors
from crake.learners.base.state import Labels, State, StateReader
from crake.statistics.statistic import MOST
from crake.table.schema import Label

FARTHEST = 1e100
"""The ratio of a class's shares before and after that no balancing reaches."""


def balance_state(balance: Balance) -> State:
    """Return rows and weights by class, and the notes; made-up rows are counted and not stored."""
    return {
        "rows": np.stack([balance.rows_before, balance.rows_after, balance.made]).astype(np.int64),
        "weights": np.stack([balance.weight_before, balance.weight_after]),
        "notes": Labels(balance.notes),
    }


def balance_of(reader: StateReader, labels: tuple[Label, ...]) -> Balance:
    """Read the classes; raise unless some class has rows before and after, and shares before can be restored."""
    before, after, made = reader.integers("rows", np.int64, (3, len(labels)), 0, 2**62)
    weights = reader.floats("weights", (2, len(labels)), 0, MOST)
    if not np.all(weights.sum(axis=1) > 0) or np.any(made > after):
        raise reader.refusal("weights", "has no class with a weight", "rows of at least one class, before and after")
    factors = prior_factors(weights[0], weights[1])
    if not np.all((factors > 1 / FARTHEST) & (factors < FARTHEST)):
        raise reader.refusal("weights", f"has shares more than {FARTHEST:g} times apart", "shares that can be divided")
    return Balance(labels, before, after, weights[0], weights[1], made, reader.names("notes"))
