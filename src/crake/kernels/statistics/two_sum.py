"""The sum of two floats as two floats."""

from __future__ import annotations

from crake.kernels import kernel


@kernel
def sum_and_rest(a: float, b: float) -> tuple[float, float]:
    """The rounded sum a + b and what rounding took from it (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
