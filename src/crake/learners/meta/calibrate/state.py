"""The maps of a calibrated model as arrays, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.learners.base.sigmoid import Sigmoid
from crake.learners.base.state import State, StateReader
from crake.learners.meta.calibrate.isotonic import Isotonic


def maps_state(maps: Sequence[Any]) -> State:
    """Return sigmoids as a and b; ascending lines as their corners, and the number of corners of each."""
    if isinstance(maps[0], Sigmoid):
        return {"sigmoids": np.array([[each.a, each.b] for each in maps])}
    return {
        "corners": np.array([len(each.log_odds) for each in maps], np.int64),
        "log_odds": np.concatenate([each.log_odds for each in maps]),
        "probability": np.concatenate([each.probability for each in maps]),
    }


def maps_of(reader: StateReader, method: str, classes: int) -> tuple[Sigmoid | Isotonic, ...]:
    """Read one map for two classes, else one per class; corners ascend."""
    maps = 1 if classes == 2 else classes
    if method == "sigmoid":
        return tuple(Sigmoid(float(a), float(b)) for a, b in reader.floats("sigmoids", (maps, 2)))
    odds = reader.floats("log_odds", (None,))
    probability = reader.floats("probability", (len(odds),), 0.0, 1.0)
    corners = reader.integers("corners", np.int64, (maps,), 1, max(1, len(odds)))
    if corners.sum() != len(odds):
        raise reader.refusal("corners", "does not share out the log odds", f"{len(odds)} in all")
    places = np.cumsum(corners)[:-1]
    lines = tuple(Isotonic(x, y) for x, y in zip(np.split(odds, places), np.split(probability, places), strict=True))
    if any(np.any(np.diff(each.log_odds) < 0) or np.any(np.diff(each.probability) < 0) for each in lines):
        raise reader.refusal("log_odds", "or probability does not ascend", "ascending corners")
    return lines
