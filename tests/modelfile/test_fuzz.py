"""Model files changed at random where their structure allows it, with a right checksum: an error or a sound model.

What this finds is kept as a fixed case in `test_structure.py` and `test_bounds.py`.
"""

from __future__ import annotations

import copy
import time
import warnings
from typing import Any

import numpy as np
import pytest
from tests.modelfile.models import LEARNERS, TAX, fitted, gappy
from tests.modelfile.repaired import Document, Tensors, packed, parts, written

import crake
from crake.modelfile.reading import Reader
from crake.modelfile.store import opened
from crake.modelfile.writing import model_bytes

NUMBERS = (0.0, -1.0, 1.0, 0.5, 2.0, 1e-320, 1e-9, 1e15, 1e30, 1e127, 1e300, -1e300, np.nan, np.inf, -np.inf, 2.0**62)
WORDS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, 10**40, -(10**40), 0.5, -0.5, 1e300, "", "auto", "x" * 50, [], {},
    [1, 2], ["a"], [[0, 1], [1, 0]], {"float": "nan"}, {"float": "inf"}, {"tuple": [1, "a"]}, {"array": [0.5, 0.5]},
    {"array": ["a", "bb"]}, {"mapping": [["a", 1]]}, {"mapping": [["min_bucket", [1, 2]]]},
    {"learner": {"learner": "MajorityClassifier", "parameters": {}}}, {"plan": ["CrossValidation", ["folds", 3]]},
    {"plan": ["LeaveOneOut"]}, {"costs": [["No", "Yes"], [[0, 1], [1, 0]]]}, {"costs": [["No"], [[0]]]},
)  # fmt: skip
MOST_SECONDS = 20
"""Processor time of one file, on a machine that does other things too."""


class Fuzzer:
    """Changes to a document and its tensors, a few at a time, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def pick(self, among: Any) -> Any:
        return among[int(self.random.integers(len(among)))]

    def change(self, document: Document, tensors: Tensors, other: tuple[Document, Tensors]) -> None:
        for _ in range(int(self.random.integers(1, 4))):
            kind = self.pick(("cell", "cell", "cells", "shape", "tensor", "word", "word", "part", "part"))
            with np.errstate(all="ignore"):
                getattr(self, f"_{kind}")(document, tensors, other)

    def _cell(self, document: Document, tensors: Tensors, other: Any) -> None:
        """One number becomes another."""
        name = self._name(tensors)
        if name:
            array = tensors[name]
            place = int(self.random.integers(array.size))
            array.flat[place] = np.array([self.pick(NUMBERS)]).astype(array.dtype, casting="unsafe")[0]

    def _cells(self, document: Document, tensors: Tensors, other: Any) -> None:
        """Numbers of an array change their places, or are all a little larger or smaller."""
        name = self._name(tensors)
        if name:
            array = tensors[name]
            shift = np.array(self.pick((-1, 1, 2))).astype(array.dtype)
            moved = self.random.permutation(array.ravel()) if self.random.random() < 0.5 else array.ravel() + shift
            tensors[name] = moved.astype(array.dtype).reshape(array.shape)

    def _shape(self, document: Document, tensors: Tensors, other: Any) -> None:
        """An array becomes longer, shorter, empty, or of another shape."""
        name = self._name(tensors)
        if name:
            array = tensors[name]
            length = self.pick((0, 1, len(array) - 1, len(array) + 1, 2 * len(array)))
            tensors[name] = np.resize(array, (max(0, length), *array.shape[1:])) if array.ndim else array

    def _tensor(self, document: Document, tensors: Tensors, other: tuple[Document, Tensors]) -> None:
        """An array is taken from another place or another model, or is missing."""
        name, source = self._name(tensors), self.pick((tensors, other[1]))
        if name and self.random.random() < 0.2:
            del tensors[name]
        elif name and (found := self._name(source)):
            tensors[name] = source[found].copy()

    def _word(self, document: Document, tensors: Tensors, other: Any) -> None:
        """A value of the description becomes another, or is missing."""
        holder, key = self.pick(places(document["model"]))
        if self.random.random() < 0.1:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(self.pick(WORDS))

    def _part(self, document: Document, tensors: Tensors, other: tuple[Document, Tensors]) -> None:
        """A part of the description is that of another place or another model."""
        holder, key = self.pick(places(document["model"]))
        source, name = self.pick(places(self.pick((document, other[0]))["model"]))
        holder[key] = copy.deepcopy(source[name])

    def _name(self, tensors: Tensors) -> str | None:
        names = sorted(name for name in tensors if tensors[name].size)
        return self.pick(names) if names else None


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every value of a description as its container and its key."""
    found: list[tuple[Any, Any]] = []
    for holder in [node, *containers(node)]:
        found += [(holder, key) for key in (sorted(holder) if isinstance(holder, dict) else range(len(holder)))]
    return found


def containers(node: Any) -> list[Any]:
    values = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    inner = [value for value in values if isinstance(value, dict | list)]
    return [*inner, *(deeper for value in inner for deeper in containers(value))]


def check(data: bytes) -> bool:
    """Whether the file loads; if so, the model gives probabilities and text."""
    start = time.process_time()
    try:
        document, tensors = opened(data)
        reader = Reader(tensors)
        model = reader.model(document["model"])
        reader.done()
    except crake.CrakeError:
        assert time.process_time() - start < MOST_SECONDS
        return False
    str(model), repr(model)
    if not hasattr(model, "predict_proba") or model.schema_.names != TAX.schema.names:
        return True
    rows = np.array([*gappy(TAX), ["Yes", "Single", 120.0]], dtype=object)
    try:
        shares = model.predict_proba(rows)
        model.predict(rows)
    except crake.CrakeError:
        return True
    assert np.isfinite(shares).all()
    assert shares.min() >= 0
    assert np.allclose(shares.sum(axis=1), 1)
    assert time.process_time() - start < MOST_SECONDS
    return True


def fuzz(names: list[str], cases: int, seed: int) -> int:
    """Try this many files of each of these learners; the number of those that load."""
    loaded = 0
    files = {name: model_bytes(fitted(name)) for name in names}
    for number, name in enumerate(names):
        fuzzer = Fuzzer(seed + number)
        for case in range(cases):
            document, tensors = parts(files[name])
            fuzzer.change(document, tensors, parts(files[fuzzer.pick(names)]))
            data = packed(written(document), tensors)
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    loaded += check(data)
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed + number}, case {case}: {error!r}") from error
    return loaded


def test_files_changed_at_random_give_an_error_or_a_sound_model() -> None:
    names = sorted(LEARNERS)
    assert fuzz(names, cases=20, seed=1) > 0


@pytest.mark.long
def test_a_hundred_thousand_files_changed_at_random() -> None:
    names = sorted(LEARNERS)
    seed = int(np.random.default_rng().integers(2**31))  # named by the message of a failure
    fuzz(names, cases=100_000 // len(names) + 1, seed=seed)
