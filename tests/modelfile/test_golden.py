"""Files that older versions wrote load for ever, and predict what they predicted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.modelfile.repaired import parts

import crake
from crake.learners import registry
from crake.modelfile import describe
from crake.modelfile.writing import model_bytes

EXACT = (
    "c45", "calibrated", "cart", "chaid", "id3", "majority", "neighbors", "one_rule", "stump", "tuned", "with_cutoff",
)  # fmt: skip
"""The models whose probabilities are the same bits everywhere."""
FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.crake"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_file_predicts_what_it_predicted(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text())
    model, table = crake.load(path), crake.read(expected["table"])
    if "queries" in expected:
        assert {name: model.query(name).values() for name in model.graph.names} == expected["queries"]
        return
    if "intervals" in expected:
        assert model.transform(table).to_arrow().to_pylist() == expected["intervals"]
        return
    if "answers" in expected:
        assert model.predict(table).tolist() == expected["answers"]
        return
    found = model.predict_proba(table)
    # Counts are divided, which is exact anywhere; logarithms differ in the last bits from processor to processor.
    tolerance = 0 if path.stem.startswith(EXACT) else 1e-12
    np.testing.assert_allclose(found, expected["probabilities"], rtol=tolerance, atol=0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_file_is_written_again_as_it_was(path: Path, tmp_path: Path) -> None:
    document, tensors = parts(path.read_bytes())
    written = model_bytes(crake.load(path))
    again, found = parts(written)
    assert again["format"] == document["format"]  # the oldest that has all parts
    if any(name.endswith("statistics/moments") for name in tensors):
        copy = tmp_path / path.name  # rounded moments are written as exact sums, which give the same moments
        copy.write_bytes(written)
        assert model_bytes(crake.load(copy)) == written
        return
    shown = _as_of(document["model"], again["model"])
    assert shown["state"] == document["model"]["state"]
    assert {name: array.tobytes() for name, array in found.items()} == {n: a.tobytes() for n, a in tensors.items()}
    # A learner may have got parameters since then; those of the file are as they were.
    assert shown["parameters"] == document["model"]["parameters"]


def _as_of(old: Any, new: Any) -> Any:
    """The new document without the parameters that learners, also inner ones, have got since the old one."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    is_learner = {"learner", "parameters"} <= set(old)
    shown = dict(new)
    if is_learner:
        shown["parameters"] = {name: value for name, value in new["parameters"].items() if name in old["parameters"]}
    return {name: _as_of(old.get(name), value) for name, value in shown.items()}


def test_every_learner_has_a_golden_file() -> None:
    assert {describe(path).learner for path in FILES} == set(registry.in_files())
