"""Machines as arrays, and back. Planes where the kernel has them; otherwise the support vectors, which are rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.errors import CrakeError
from crake.learners.base.sigmoid import Sigmoid
from crake.learners.base.state import State, StateReader
from crake.learners.encoding.state import design_of_state, design_state
from crake.learners.svm import precomputed
from crake.learners.svm.features import Features, farthest
from crake.learners.svm.kernels import Kernel
from crake.learners.svm.machines import Machines
from crake.table.convert.export import label_array

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier

LARGEST = 1e290


def machine_state(model: SVMClassifier) -> State:
    """Coordinates, classes with rows, machines, sigmoids, and the numbers of the support vectors' rows."""
    if callable(model.kernel):
        raise CrakeError("this model's kernel is a function, and a model file holds no code; take a kernel by its name")
    state: State = {
        "design": design_state(model.features_.design),
        "fill": model.features_.fill,
        "present": model.present_.astype(np.int64),
        "gamma": np.array([model.kernel_.gamma]),
        "platt": model.probability_ == "platt",
        "machines": None,
    }
    if model.machines_ is None:
        return state
    machines = model.machines_
    sigmoids = np.array([[each.a, each.b] for each in model.sigmoids_]).reshape(-1, 2)
    part: State = {
        "counts": machines.counts,
        "b": machines.b,
        "width": machines.width,
        "sigmoids": sigmoids,
        "steps": int(model.n_iter_),
        "converged": bool(model.converged_),
    }
    if machines.w is not None:
        part |= {"w": np.ascontiguousarray(machines.w), "numbers": model.support_}
    else:
        part["dual"] = np.ascontiguousarray(machines.dual)
        part["training_rows"] = {"vectors": np.ascontiguousarray(machines.vectors), "numbers": model.support_}
    return {**state, "machines": part}


def restore_machine(model: SVMClassifier, reader: StateReader) -> None:
    """Take it all back, checked: as many machines as pairs, coefficients for every vector."""
    model.classes_ = label_array(model.schema_.classes)
    is_given = model.kernel == precomputed.NAME
    design = design_of_state(reader.part("design"), model.schema_, "error" if is_given else model.missing)
    fill = reader.floats("fill", (design.numbers,), -1e110, 1e110)
    model.features_ = Features(design, fill, farthest(scale=False if is_given else model.scale))
    model.present_ = reader.integers("present", np.int64, (None,), 0, len(model.classes_) - 1)
    if len(model.present_) == 0 or np.any(np.diff(model.present_) <= 0):
        raise reader.refusal("present", "does not ascend", "the classes that had rows, in order")
    (gamma,) = reader.floats("gamma", (1,), 0, LARGEST).tolist()
    model.kernel_ = Kernel(model.kernel, gamma, model.degree, float(model.coef0))
    model.probability_ = "platt" if reader.flag("platt") else "votes"
    model.machines_, model.sigmoids_, model.support_ = None, [], np.zeros(0, np.int64)
    model.n_iter_, model.converged_ = 0, True
    if len(model.present_) == 1:
        if "machines" in reader:
            raise reader.refusal("machines", "are there for one class", "none")
        return
    part = reader.part("machines")
    rows = part if model.kernel_.has_planes else part.part("training_rows")
    model.machines_ = _machines(part, rows, model.kernel_, len(model.present_), len(design) - 1)
    model.n_iter_, model.converged_ = part.whole("steps"), part.flag("converged")
    pairs = len(model.machines_.pairs)
    sigmoids = part.floats("sigmoids", (pairs if model.probability_ == "platt" else 0, 2), -LARGEST, LARGEST)
    model.sigmoids_ = [Sigmoid(float(a), float(b)) for a, b in sigmoids]
    model.support_ = rows.integers("numbers", np.int64, (int(model.machines_.counts.sum()),), 0, 2**63 - 1)


def _machines(part: StateReader, rows: StateReader, kernel: Kernel, K: int, coordinates: int) -> Machines:
    pairs = K * (K - 1) // 2
    counts = part.integers("counts", np.int64, (K,), 0, 2**40)
    b = part.floats("b", (pairs,), -LARGEST, LARGEST)
    width = part.floats("width", (pairs,), 0, 1e305)
    if kernel.has_planes:
        w = part.floats("w", (pairs, coordinates), -1e150, 1e150)
        return Machines(kernel, counts, np.zeros((0, coordinates)), np.zeros((K - 1, 0)), b, w, width)
    S = int(counts.sum())
    vectors = rows.floats("vectors", (S, coordinates), -1e100, 1e100)
    return Machines(kernel, counts, vectors, part.floats("dual", (K - 1, S), -1e80, 1e80), b, None, width)
