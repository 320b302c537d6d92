"""The shares of the classes that a sampler will give, counted before a row is drawn or made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.balance.amounts import Direction, rows_to_have
from crake.balance.facts import Balance
from crake.balance.random_rows import Undersample
from crake.balance.sample import mean_weights
from crake.balance.sampler import Sampler
from crake.balance.weights import Weights
from crake.table.table import Table


def outlook(sampler: Sampler, table: Table) -> Balance | None:
    """Return the classes before and after a sampler, for rows that all have a class; None for a foreign sampler.

    Amounts are met exactly, so that nothing needs to be drawn. Rows that are drawn count as the mean of their class.

    >>> from crake.table.examples import load
    >>> from crake.balance.smote import SMOTE
    >>> print(outlook(SMOTE(), load("golf")).sentence())
    No 35.7 % → 50.0 %, Yes 64.3 % → 50.0 %; 4 rows were made up
    """
    classes = table.schema.classes
    rows = np.bincount(table.target, minlength=len(classes)).astype(np.int64)
    totals = np.bincount(table.target, table.weights, minlength=len(classes)).astype(np.float64)
    if isinstance(sampler, Weights):
        weighted = Balance.of_weights(classes, totals, sampler.factors(totals, classes))
        return replace(weighted, rows_before=rows, rows_after=rows)
    if not hasattr(sampler, "amount"):
        return None
    direction: Direction = "fewer" if isinstance(sampler, Undersample) else "more"
    wanted, notes = rows_to_have(sampler.amount, rows, classes, direction)
    made = wanted - rows if sampler.makes_rows else np.zeros_like(rows)
    return Balance(classes, rows, wanted, totals, wanted * mean_weights(table), made, notes)
