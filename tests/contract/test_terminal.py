"""Names and labels of strangers' tables do not steer a terminal, whichever text of a model is printed."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.contract.estimators import REGRESSORS, VARIANTS, title

import crake

STEERING = "\x1b\x07\u202e"


def hostile() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    names = rng.choice(["u\x1b]0;x\x07", "v"], 40)
    labels = np.where(rng.random(40) > 0.5, "p\x1b[2J", "q")
    return pd.DataFrame({"a\x1b[31m": names, "b\u202e": rng.normal(size=40)}), labels


def texts(model: Any, row: pd.DataFrame) -> dict[str, str]:
    """What can be printed of a model and of its answer to a row."""
    found = {"str": str(model), "page": model._repr_html_()}
    for name in ("describe", "summary", "rules"):
        if hasattr(model, name):
            found[name] = str(getattr(model, name)())
    workings = model.explain(row)
    found |= {"explain": str(workings), "markdown": workings.markdown()}
    with contextlib.suppress(crake.CrakeError, AttributeError):
        found["changes"] = str(model.changes(row))
    return found


@pytest.mark.parametrize("estimator", [*VARIANTS, *REGRESSORS], ids=title)
def test_no_text_of_a_model_steers_a_terminal(estimator: Any) -> None:
    X, y = hostile()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=crake.CrakeWarning)
        model = clone(estimator).fit(X, y if estimator not in REGRESSORS else np.arange(40) / 7)
    raw = {name for name, text in texts(model, X.iloc[[0]]).items() if any(letter in text for letter in STEERING)}
    assert not raw
