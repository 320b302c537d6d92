"""Saving and loading a model of a million levels, all of it checked; pickle, which checks nothing, beside it."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lines import HEADER, best_of, line
from crake import NaiveBayesClassifier, load, save

LEVELS = 1_000_000


def main() -> None:
    customers = np.array([[f"customer-{i:07d}"] for i in range(LEVELS)], dtype=object)
    model = NaiveBayesClassifier().fit(customers, np.where(np.arange(LEVELS) % 3, "no", "yes"))
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "model.crake", Path(folder) / "model.pickle"
        saving, pickling = best_of(3, lambda: save(model, ours), lambda: _pickled(model, theirs))
        loading, unpickling = best_of(3, lambda: load(ours), lambda: _unpickled(theirs))
        same = load(ours).predict_proba(customers[:1000]) == model.predict_proba(customers[:1000])
        sizes = ours.stat().st_size / theirs.stat().st_size
    assert same.all()
    print(HEADER)
    print(line("save, 1M levels × 2 classes; pickle", saving, pickling, saving / pickling, ""))
    print(line("load, everything checked; unpickle", loading, unpickling, loading / unpickling, ""))
    both, peer = saving + loading, pickling + unpickling
    print(line(f"save + load (file {sizes:.2f} × the pickle's size)", both, peer, both / peer, "≤ 1 s"))


def _pickled(model: Any, path: Path) -> None:
    with path.open("wb") as file:
        pickle.dump(model, file, protocol=5)
        file.flush()
        os.fsync(file.fileno())


def _unpickled(path: Path) -> Any:
    return pickle.loads(path.read_bytes())
