"""The terms of additive models as operators: all columns of one kind are added by the same ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.export.forms import Additive, LevelTerm, NormalTerm, NumberTerm, StepTerm
from crake.export.onnx.graph import Graph


def additive(graph: Graph, form: Additive) -> str:
    """Return the constant and what each column adds, shape (rows, outputs)."""
    total = graph.filled(form.constant)
    added = [_level(graph, term) for term in form.terms if isinstance(term, LevelTerm)]
    added += [_step(graph, term) for term in form.terms if isinstance(term, StepTerm)]
    numbers = [term for term in form.terms if isinstance(term, NumberTerm)]
    normals = [term for term in form.terms if isinstance(term, NormalTerm)]
    if numbers:
        added.append(_numbers(graph, numbers))
    if normals:
        added.append(_normals(graph, normals))
    for each in added:
        total = graph.op("Add", total, each)
    return total


def _level(graph: Graph, term: LevelTerm) -> str:
    table = np.vstack([term.unseen, term.missing, term.values])
    return graph.op("Gather", graph.constant(table), graph.codes(term.feature), axis=0)


def _step(graph: Graph, term: StepTerm) -> str:
    """Return the line of the interval: the number of cuts below x, or the last line where x is missing."""
    x = graph.numbers([term.feature])
    cuts = term.cuts if len(term.cuts) else [np.inf]
    above = graph.op("Cast", graph.op("Greater", x, graph.constant(np.asarray(cuts)[None])), to=7)
    interval = graph.op("ReduceSum", above, graph.whole([1]), keepdims=0)
    gap = graph.op("Reshape", graph.op("IsNaN", x), graph.whole([-1]))
    place = graph.op("Where", gap, graph.whole(len(term.values)), interval)
    table = np.vstack([term.values, term.missing])
    return graph.op("Gather", graph.constant(table), place, axis=0)


def _numbers(graph: Graph, terms: Sequence[NumberTerm]) -> str:
    """Return Σ z × coefficient, z = ((x·unit − centre) − rest)·scale within ±farthest; `missing` for gaps."""
    x = graph.numbers([term.feature for term in terms])
    gap = graph.op("IsNaN", x)
    z = graph.op("Mul", x, _line(graph, [term.unit for term in terms]))
    for part in ([term.centre for term in terms], [term.rest for term in terms]):
        z = graph.op("Sub", z, _line(graph, part))
    z = graph.op("Mul", z, _line(graph, [term.scale for term in terms]))
    farthest = np.array([term.farthest for term in terms])
    z = graph.op("Max", graph.op("Min", z, _line(graph, farthest)), _line(graph, -farthest))
    z = graph.op("Where", gap, graph.constant(0.0), z)
    known = graph.op("MatMul", z, graph.constant(np.array([term.coefficient for term in terms])))
    missing = np.array([term.missing for term in terms])
    if not missing.any():
        return known
    return graph.op("Add", known, graph.op("MatMul", graph.double(gap), graph.constant(missing)))


def _normals(graph: Graph, terms: Sequence[NormalTerm]) -> str:
    """Return Σ max(−z²/2 − log_norm, log_floor), z = ((x·scale − mean) − rest)·precision, where x is known.

    The numbers have the shape (rows, columns, outputs).
    """
    x = graph.op("Unsqueeze", graph.numbers([term.feature for term in terms]), graph.whole([2]))
    z = graph.op("Mul", x, graph.constant([[[term.scale] for term in terms]]))
    z = graph.op("Sub", z, graph.constant([[term.mean for term in terms]]))
    z = graph.op("Sub", z, graph.constant([[term.rest for term in terms]]))
    precision = np.array([[term.precision for term in terms]])
    z = graph.op("Mul", z, graph.constant(precision))
    density = graph.op("Mul", graph.op("Mul", z, z), graph.constant(-0.5))
    density = graph.op("Sub", density, graph.constant([[term.log_norm for term in terms]]))
    density = graph.op("Max", density, graph.constant([[[term.log_floor] for term in terms]]))
    skipped = graph.op("Or", graph.op("IsNaN", x), graph.constant(~(precision > 0), np.bool_))
    density = graph.op("Where", skipped, graph.constant(0.0), density)
    return graph.op("ReduceSum", density, graph.whole([1]), keepdims=0)


def _line(graph: Graph, values: object) -> str:
    return graph.constant(np.asarray(values, np.float64)[None])
