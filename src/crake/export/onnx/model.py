"""A model as the bytes of an ONNX file."""

from __future__ import annotations

import json

from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.forms import Form
from crake.export.onnx import protobuf
from crake.export.onnx.conditions import unknown
from crake.export.onnx.forms import written
from crake.export.onnx.graph import OPSETS, Graph
from crake.export.ways import divides, without_mixing
from crake.table.schema import Kind


def to_onnx(model: Exported, *, missing_text: str = "") -> bytes:
    """Return the bytes of the file; a column of names that is missing holds `missing_text`."""
    if "\0" in missing_text:
        raise CrakeError("expected a missing_text without a character of code 0, got one")
    if not model.schema.features:
        raise CrakeError(f"{model.title} cannot be exported to ONNX: without a column, there are no rows to count")
    graph = Graph(model, missing_text)
    inputs = graph.inputs()
    out = _numbers(graph, model.form)
    answer = _free("prediction", graph)
    outputs = []
    if model.classes:
        shares = _free("probabilities", graph)
        graph.nodes.append(protobuf.node("Identity", [out], [shares], "", {}))
        labels, kind = graph.labels(model.classes)
        best = graph.op("ArgMax", out, axis=1, keepdims=0)
        graph.nodes.append(protobuf.node("Gather", [labels, best], [answer], "", {"axis": 0}))
        outputs = [
            protobuf.value_info(answer, kind, ("rows",)),
            protobuf.value_info(shares, protobuf.DOUBLE, ("rows", len(model.classes))),
        ]
    else:
        graph.nodes.append(protobuf.node("Reshape", [out, graph.whole([-1])], [answer], "", {}))
        outputs = [protobuf.value_info(answer, protobuf.DOUBLE, ("rows",))]
    own = protobuf.graph("model", graph.nodes, graph.constants, inputs, outputs, model.title)
    names = {column.name: missing_text for column in graph.columns if column.kind is Kind.NOMINAL}
    facts = {"missing": json.dumps(names), "classes": json.dumps(list(model.classes))}
    return protobuf.model(own, OPSETS, facts)


def _numbers(graph: Graph, form: Form) -> str:
    """Return the numbers of the form; rows that have no gap are not divided, which is computed more quickly."""
    if not divides(form):
        return written(graph, form)
    gaps = graph.op("Concat", *(unknown(graph, feature) for feature in graph.model.features), axis=1)
    is_any = graph.op("Greater", graph.op("ReduceSum", gaps, keepdims=0), graph.constant(0.0))
    return graph.either(is_any, lambda: written(graph, form), lambda: written(graph, without_mixing(form)))


def _free(name: str, graph: Graph) -> str:
    """Return the name of an output that no column has."""
    while name in graph.taken:
        name += "_"
    graph.taken.add(name)
    return name
