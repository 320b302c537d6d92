"""Warnings that point at the user's line, not at crake's."""

from __future__ import annotations

import inspect
import warnings

from crake.errors import CrakeWarning


def warn(message: str) -> None:
    """Warn at the line that called crake."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("crake."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CrakeWarning, stacklevel=level)
