"""The shares of the classes before and after balancing, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats, Longs
from crake.balance.amounts import class_rows
from crake.balance.sample import Sample, mean_weights
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.table.schema import Label
from crake.table.table import Table

EXAMPLES = 5
"""Made-up rows that are kept to be shown beside real ones."""


@dataclass(frozen=True, eq=False)
class Balance:
    """Rows and weights of each class, before and after, and the number of rows that are made up.

    `examples` are a few made-up rows and, if known, the training rows that they were made from; a model file holds
    neither.

    >>> from crake.table.examples import load
    >>> table = load("golf")
    >>> print(Balance.of(table, Sample(np.flatnonzero(table.target == 0).repeat(2))))
    Classes before and after balancing
      class  rows   share  rows after  share after
      No        5  35.7 %          10      100.0 %
      Yes       9  64.3 %           0        0.0 %
    """

    labels: tuple[Label, ...]
    rows_before: Longs
    rows_after: Longs
    weight_before: Floats
    weight_after: Floats
    made: Longs
    notes: tuple[str, ...] = ()
    examples: tuple[Table, Table | None] | None = None

    @classmethod
    def of(cls, table: Table, sample: Sample) -> Balance:
        """Count the rows of a table and of a sample of it."""
        classes, target = len(table.schema.classes), table.target
        drawn = target.take(sample.rows)
        rows_before, rows_after = class_rows(target, classes), class_rows(drawn, classes)
        weight_before = rows_before if table.weights is None else np.bincount(target, table.weights, minlength=classes)
        made = np.zeros(classes, np.int64)
        weights = _weights_of(table, sample)
        weight_after = rows_after if weights is None else np.bincount(drawn, weights, minlength=classes)
        if sample.made is not None:
            made = np.bincount(sample.made.target, minlength=classes).astype(np.int64)
            given = sample.made.weights
            own_made = mean_weights(table)[sample.made.target] if given is None else given
            weight_after = weight_after + np.bincount(sample.made.target, own_made, minlength=classes)
        return cls(
            table.schema.classes,
            rows_before,
            rows_after + made,
            weight_before.astype(np.float64),
            weight_after.astype(np.float64),
            made,
            (
                *sample.notes,
                *sample.remarks,
                *_uneven_weights(table, sample, rows_before, weight_before.astype(np.float64)),
            ),
            _examples(table, sample),
        )

    @classmethod
    def of_weights(cls, labels: tuple[Label, ...], totals: Floats, factors: Floats) -> Balance:
        """Return classes of these weights in total, each multiplied by its factor; rows are counted by weight."""
        rows = np.rint(np.minimum(totals, 2.0**62)).astype(np.int64)
        return cls(labels, rows, rows, totals, totals * factors, np.zeros(len(labels), np.int64))

    @property
    def before(self) -> Floats:
        """The share of each class before, by weight."""
        shares: Floats = self.weight_before / self.weight_before.sum()
        return shares

    @property
    def after(self) -> Floats:
        """The share of each class after, by weight."""
        shares: Floats = self.weight_after / self.weight_after.sum()
        return shares

    def grid(self) -> Grid:
        """Return one line per class: rows and shares before and after, and the rows made up, if any."""
        has_made = bool(self.made.any())
        header = ("class", "rows", "share", "rows after", "share after", *(("made up",) if has_made else ()))
        rows = tuple(
            (
                shown(label, 40),
                f"{self.rows_before[k]:,}",
                _percent(self.before[k]),
                f"{self.rows_after[k]:,}",
                _percent(self.after[k]),
                *((f"{self.made[k]:,}",) if has_made else ()),
            )
            for k, label in enumerate(self.labels)
        )
        return Grid("Classes before and after balancing", header, rows)

    def sentence(self) -> str:
        """Return the change of the shares in one sentence; of many classes the rarest and the largest."""
        order = np.argsort(self.before, kind="stable")
        named = order if len(order) <= 4 else order[[0, -1]]
        parts = [
            f"{shown(self.labels[k], 40)} {_percent(self.before[k])} → {_percent(self.after[k])}"
            for k in named.tolist()
        ]
        made = int(self.made.sum())
        return f"{', '.join(parts)}{f'; {made:,} rows were made up' if made else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by class, for JSON."""
        return {
            "classes": [
                {
                    "class": label,
                    "rows_before": int(self.rows_before[k]),
                    "rows_after": int(self.rows_after[k]),
                    "share_before": float(self.before[k]),
                    "share_after": float(self.after[k]),
                    "made_up": int(self.made[k]),
                }
                for k, label in enumerate(self.labels)
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([str(self.grid()), *(f"  {note}" for note in self.notes)])


def _weights_of(table: Table, sample: Sample) -> Floats | None:
    """Return the weight of each row of the sample; None if all are 1."""
    if table.weights is None or sample.weights is None:
        return sample.weights if table.weights is None else table.weights[sample.rows]
    weights: Floats = table.weights[sample.rows] * sample.weights
    return weights


def _uneven_weights(table: Table, sample: Sample, rows: Longs, weights: Floats) -> tuple[str, ...]:
    """Return a note if rows of one class weigh more than those of another and the sample counts rows."""
    if table.weights is None or sample.weights is not None:
        return ()
    means = weights[rows > 0] / rows[rows > 0]
    light, heavy = int(means.argmin()), int(means.argmax())
    if means[heavy] <= 1.01 * means[light]:
        return ()
    labels = [shown(label, 40) for label, count in zip(table.schema.classes, rows.tolist(), strict=True) if count]
    of_heavy = f"a row of {labels[heavy]} weighs {means[heavy]:.4g}"
    of_light = f"one of {labels[light]} {means[light]:.4g}"
    counted = "Amounts count rows and shares are by weight"
    return (f"{counted}: {of_heavy} on average, {of_light}. Weights() balances the weights.",)


def _examples(table: Table, sample: Sample) -> tuple[Table, Table | None] | None:
    """Return made-up rows, spread over all of them, and the rows they were made from."""
    if not sample.made_rows or sample.made is None:
        return None
    chosen = np.unique(np.linspace(0, sample.made_rows - 1, min(EXAMPLES, sample.made_rows)).astype(np.intp))
    real = None if sample.origin is None else table.take(np.asarray(sample.origin, np.intp)[chosen])
    return sample.made.take(chosen), real


def _percent(share: float) -> str:
    """Return a share in percent: one decimal, more for rare classes.

    >>> _percent(0.5), _percent(0.001), _percent(0.00002)
    ('50.0 %', '0.1 %', '0.002 %')
    """
    return f"{share:.1%}".replace("%", " %") if share >= 0.001 or share == 0 else f"{100 * share:.1g} %"
