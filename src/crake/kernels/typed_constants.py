"""0 and 1 as one kernel hands them to another.

A plain 0 is a type of its own to numba, so that whatever is called with it is compiled once more.
"""

from __future__ import annotations

from typing import cast

import numpy as np

ZERO, ONE = cast("int", np.int64(0)), cast("int", np.int64(1))
