"""The model of a file, for commands that predict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crake.errors import CrakeError


def predictor_of(file: Path) -> Any:
    """The classifier or regressor in a file; whatever else a file may hold (a Discretizer) predicts nothing."""
    from crake.learners.base.classifier import TableClassifier  # noqa: PLC0415 (numba and numpy only when there is work)
    from crake.learners.base.regressor import TableRegressor  # noqa: PLC0415
    from crake.modelfile import load  # noqa: PLC0415

    model = load(file)
    if not isinstance(model, TableClassifier | TableRegressor):
        raise CrakeError(
            f"{file} holds a {type(model).__name__}, and this command takes a classifier or a regressor; crake.load "
            "gives it to Python"
        )
    return model


def is_regressor(model: Any) -> bool:
    """Whether it predicts numbers."""
    from crake.learners.base.regressor import TableRegressor  # noqa: PLC0415

    return isinstance(model, TableRegressor)
