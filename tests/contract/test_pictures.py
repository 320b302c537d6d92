"""Every learner is drawn, on real tables and on awkward ones: a whole SVG, or an error that says why not."""

from __future__ import annotations

import contextlib
import re
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.contract.estimators import REGRESSORS, VARIANTS, title
from tests.contract.test_rows_explained import fitted

import crake
from crake.errors import CrakeError
from crake.table.examples import load

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert(1)</script>\x1b\u202e"
every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)
# What is drawn follows from the class and, for naive Bayes, from what it makes of numbers.
DRAWN = {(type(each), getattr(each, "numeric", None)): each for each in reversed(VARIANTS)}
every_drawing = pytest.mark.parametrize("estimator", [*DRAWN.values()][::-1], ids=title)


def assert_whole(drawing: Any) -> None:
    """Named for those who cannot see it, well-formed, and no place in it that is no number."""
    root = ET.fromstring(drawing.svg(styled=False))
    # A keyboard reaches nothing inside an image.
    assert root.get("role") == ("group" if any(root.iter(f"{SVG}a")) else "img")
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    places = [value for each in root.iter() for name, value in each.items() if name not in ("id", "aria-labelledby")]
    assert not [value for value in places if re.search(r"\b(nan|inf)\b", value)]
    assert not list(root.iter(f"{SVG}script"))


@every
@pytest.mark.parametrize("name", ["iris", "weather", "breast-cancer"])
def test_every_learner_is_drawn(estimator: Any, name: str) -> None:
    model, examples = fitted(estimator, name)
    for table in (None, examples):
        drawings = model.pictures(table)
        assert drawings
        for drawing in drawings:
            assert_whole(drawing)


def awkward(kind: str) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=24), "c": ["a", "b"] * 12, "y": ["p", "q", "q"] * 8})
    changed = {
        "hostile": lambda: frame.rename(columns={"x": EVIL}).assign(c=[EVIL, "b"] * 12, y=[EVIL, "q" * 1000] * 12),
        "constant": lambda: frame.assign(x=1.0, c="a"),
        "huge": lambda: frame.assign(x=frame["x"] * 1e300),
        "tiny": lambda: frame.assign(x=frame["x"] * 1e-300),
        "missing": lambda: frame.assign(x=np.where(frame.index % 3 == 0, np.nan, frame["x"])),
        "two rows": lambda: frame[:2],
        "one class": lambda: frame.assign(y="p"),
        "thirty classes": lambda: pd.concat([frame] * 5).assign(y=[f"class {k % 30}" for k in range(120)]),
    }
    return changed[kind]()


@every_drawing
@pytest.mark.parametrize(
    "kind", ["hostile", "constant", "huge", "tiny", "missing", "two rows", "one class", "thirty classes"]
)
@pytest.mark.filterwarnings("ignore")
def test_awkward_tables_are_drawn_or_refused_in_words(estimator: Any, kind: str) -> None:
    table = crake.read(awkward(kind), target="y", nominal=["c", "y"])
    try:
        model = clone(estimator).fit(table)
    except CrakeError:
        return
    for rows in (None, table):
        with contextlib.suppress(CrakeError):  # nothing to draw, said in words; no other error is let through
            for drawing in model.pictures(rows):
                assert_whole(drawing)


@pytest.mark.parametrize("estimator", REGRESSORS, ids=title)
@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
def test_regressors_are_drawn(estimator: Any, scale: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = clone(estimator).fit(X, scale * (X[:, 0] + rng.normal(0, 0.1, 40)))
    for drawing in model.pictures():
        assert_whole(drawing)


def test_a_table_of_other_columns_is_refused_in_words() -> None:
    for model in (crake.NaiveBayesClassifier(), crake.LogisticClassifier(), crake.SVMClassifier("rbf")):
        model.fit(load("iris"))
        with pytest.raises(CrakeError):
            model.pictures(load("weather"))
