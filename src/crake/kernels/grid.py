"""Numbers on a grid: sums that are exact, and so the same in any order.

Numbers whose absolute values add up to no more than 2^e are rounded to multiples of 2^(e − 51). A sum of such multiples
is one, too, and below 2^(e + 2), so it has at most 53 bits: no addition rounds. Whole numbers stay as they are below a
sum of 2^51. Near the anchor 3·2^e floats lie that far apart, so that adding and taking it off again rounds to the grid.
"""

from __future__ import annotations

import math

from crake.kernels import kernel
from crake.kernels.inlined import inlined

STEP = 2.0**-51 / 3.0
"""The step of a grid as a part of its anchor."""


@kernel
def anchor_of(limit: float) -> float:
    """Return 3·2^e of the grid for numbers whose absolute values add up to `limit`, which is at most 2^e."""
    return math.ldexp(3.0, math.frexp(limit)[1])


@inlined
def on_grid(number: float, anchor: float) -> float:
    """Return the multiple of the grid's step that is the nearest to a number."""
    return (number + anchor) - anchor


@inlined
def part_of(weight: float, share: float, anchor: float) -> float:
    """Return a part of a weight, on the grid; a part that is smaller than a step is one, so that no row vanishes."""
    part = on_grid(weight * share, anchor)
    return part if part != 0.0 or share == 0.0 else anchor * STEP
