"""Files of learners that hold rows or support vectors, changed by an enemy: refused, or good probabilities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.modelfile.repaired import Document, Tensors, changed

import crake
from crake.modelfile.reading import Reader
from crake.modelfile.store import opened
from crake.table.convert.frames import encode

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted([*GOLDEN.glob("neighbors_*.crake"), *GOLDEN.glob("svm_*.crake")])
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**62, 1e308, -1e308, 5e-324, np.nan, np.inf, 1e100, 0.5]
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@settings(max_examples=60)
@given(st.data())
def test_any_numbers_in_the_place_of_others(path: Path, draw: st.DataObject) -> None:
    def change(document: Document, tensors: Tensors) -> None:
        for _ in range(draw.draw(st.integers(1, 3))):
            array = tensors[draw.draw(st.sampled_from(sorted(name for name in tensors if tensors[name].size)))]
            place = draw.draw(st.integers(0, array.size - 1))
            with np.errstate(all="ignore"):
                array.flat[place] = np.array([draw.draw(NUMBERS)]).astype(array.dtype, casting="unsafe")[0]

    attack = changed(path.read_bytes(), change)
    try:
        document, found = opened(attack)
        model = Reader(found).model(document["model"])
    except crake.CrakeError:
        return
    answers = _answers(model)
    assert np.isfinite(answers).all()
    if answers.ndim == 2:
        np.testing.assert_allclose(answers.sum(axis=1), 1)


def _answers(model: Any) -> np.ndarray:
    features = model.schema_.features
    strange = [[column.levels[0] if column.levels else sign * 1e300 for column in features] for sign in (1, -1)]
    rows = encode(np.array([*strange, [None] * len(features)], object), model.schema_)
    with np.errstate(all="ignore"):
        return model.answers(rows) if hasattr(model, "answers") else model.probabilities(rows)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_files_themselves_are_answered(path: Path) -> None:
    """So that the test above does not pass by refusing everything."""
    assert np.isfinite(_answers(crake.load(path))).all()
    assert json.loads(path.with_suffix(".json").read_text())["table"]
