"""Names of the array types that crake works with: one alias per element type."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Values, weights, counts, probabilities."""
Ints = NDArray[np.int32]
"""Small whole numbers: groups, nodes, folds."""
Codes = NDArray[np.int32]
"""Positions of levels or classes; negative where there is none."""
Longs = NDArray[np.int64]
"""Offsets and large whole numbers."""
Rows = NDArray[np.intp]
"""Row numbers, or positions in an array."""
Flags = NDArray[np.bool_]
"""Truth values."""
