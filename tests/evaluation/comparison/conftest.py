"""Tables that several tests of comparisons read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import crake


def rare_frame(rows: int = 500, share: float = 0.08, gap: float = 1.3, seed: int = 3) -> pa.Table:
    """Return columns of which two tell a rare class, a little, and one says nothing."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < share * rows
    columns = {
        "a": (gap * y + rng.normal(size=rows)).round(3),
        "b": (gap * y + rng.normal(size=rows)).round(3),
        "noise": rng.normal(size=rows).round(3),
        "default": np.where(y, "yes", "no"),
    }
    return pa.table(columns)


@pytest.fixture(scope="session")
def imbalanced() -> crake.Comparison:
    """A comparison on 500 rows, 40 of them of the class to find."""
    return crake.compare(
        rare_frame(), target="default", learners=["majority", "1r", "naive-bayes", "logistic", "c4.5"], plan="cv5"
    )
