"""The forms of a model as operators; each gives a matrix of (rows, outputs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.export.forms import (
    Additive,
    Form,
    Levels,
    Logistic,
    LogSum,
    Mixture,
    PairVotes,
    Part,
    Placed,
    Rules,
    Shares,
    Softmax,
    Sum,
    Tree,
)  # fmt: skip
from crake.export.onnx import protobuf
from crake.export.onnx.conditions import Columns, level_columns, unknown
from crake.export.onnx.graph import Graph
from crake.export.onnx.terms import additive
from crake.export.onnx.trees import divided, is_walked, walked
from crake.export.ways import counted
from crake.kernels.tree.impurity import NOTHING


def written(graph: Graph, form: Form) -> str:
    """Add a form to the graph and return the name of its numbers."""
    ways: dict[type, Callable[[Graph, Any], str]] = {
        Tree: _tree,
        Rules: _rules,
        Additive: additive,
        Sum: _sum,
        Softmax: _softmax,
        Logistic: _logistic,
        Shares: _shares,
        PairVotes: _pair_votes,
        Placed: _placed,
        Levels: _levels,
        LogSum: _log_sum,
        Mixture: _mixture,
    }
    return graph.once(("form", form), lambda: ways[type(form)](graph, form))


def _tree(graph: Graph, tree: Tree) -> str:
    return _sum(graph, Sum(np.zeros(tree.width), (Part(tree),)))


def _sum(graph: Graph, form: Sum) -> str:
    """Return the constant and what the members add; trees in which a row takes one path are one operator."""
    constant = np.array(form.constant, np.float64)
    trees: list[tuple[Tree, Floats]] = []
    added = []
    for part in form.parts:
        if isinstance(part.form, Tree) and (len(part.form.nodes) == 1 or is_walked(part.form)):
            own = counted(part, part.form.answers[part.form.leaves], form.width)
            if len(own) == 1:
                constant += own[0]
            else:
                trees.append((part.form, own))
        else:
            added.append(_member(graph, part, form.width))
    if trees:
        added.insert(0, walked(graph, [tree for tree, _ in trees], [own for _, own in trees]))
    total = added.pop(0) if added and not constant.any() else graph.filled(constant)
    for each in added:
        total = graph.op("Add", total, each)
    return total


def _member(graph: Graph, part: Part, width: int) -> str:
    if isinstance(part.form, Tree) and not part.is_vote:
        return divided(graph, part.form, counted(part, part.form.answers[part.form.leaves], width))
    own = divided(graph, part.form, part.form.answers[part.form.leaves]) if isinstance(part.form, Tree) else ""
    own = own or written(graph, part.form)
    if part.is_vote:
        least = graph.op("Sub", _row_max(graph, own), graph.constant(part.tie))
        first = graph.op("ArgMax", graph.double(graph.op("GreaterOrEqual", own, least)), axis=1, keepdims=0)
        return graph.op("Gather", graph.constant(np.eye(width) * part.weight), first, axis=0)
    if part.output is None:
        return graph.op("Mul", own, graph.constant(part.weight))
    line = np.zeros((1, width))
    line[0, part.output] = part.weight
    return graph.op("Mul", own, graph.constant(line))


def _row_max(graph: Graph, values: str) -> str:
    return graph.op("ReduceMax", values, axes=[1], keepdims=1)


def _row_sum(graph: Graph, values: str) -> str:
    return graph.op("ReduceSum", values, graph.whole([1]), keepdims=1)


def _rules(graph: Graph, rules: Rules) -> str:
    """Return the answers times what each rule takes of the row, one rule after another."""
    if not rules.rules:
        return graph.filled(rules.answers[0])
    conditions = list(dict.fromkeys(each.condition for rule in rules.rules for each in rule))
    columns = Columns(graph, conditions)
    features = list(dict.fromkeys(each.condition.feature for rule in rules.rules for each in rule if each.share))
    gaps = graph.op("Concat", *(unknown(graph, feature) for feature in features), axis=1) if features else ""
    part = ""
    for at in range(max(len(rule) for rule in rules.rules)):
        asked = [rule[at] if at < len(rule) else None for rule in rules.rules]
        own = graph.take(
            columns.matrix, [columns.one if each is None else columns.place[each.condition] for each in asked]
        )
        if any(each is not None and each.share for each in asked):
            share = np.array([[0.0 if each is None else each.share for each in asked]])
            places = [
                features.index(each.condition.feature) if each is not None and each.share else 0 for each in asked
            ]
            own = graph.op("Add", own, graph.op("Mul", graph.take(gaps, places), graph.constant(share)))
        part = graph.op("Mul", part, own) if part else own
    everything = graph.op("Concat", part, graph.filled([1.0]), axis=1)
    taken = _taken(graph, everything)
    return graph.op("MatMul", taken, graph.constant(rules.answers))


def _taken(graph: Graph, parts: str) -> str:
    """Return what each rule takes of what the rules before it left, shape (rows, rules).

    Less than NOTHING is not divided further: the rule takes all or nothing.
    """
    nothing, none, one = graph.constant(NOTHING), graph.constant(0.0), graph.constant(1.0)
    before, graph.nodes = graph.nodes, []
    left, part, after = graph.name("left"), graph.name("part"), graph.name("after")
    rest = graph.op("Mul", left, graph.op("Sub", one, part))
    taken = graph.op("Where", graph.op("LessOrEqual", rest, nothing), left, graph.op("Mul", left, part))
    is_over = graph.op("Or", graph.op("LessOrEqual", part, nothing), graph.op("LessOrEqual", left, nothing))
    taken = graph.op("Where", is_over, none, taken)
    graph.nodes.append(protobuf.node("Sub", [left, taken], [after], "", {}))
    info = [protobuf.value_info(name, protobuf.DOUBLE, None) for name in (left, part, after, taken)]
    body = protobuf.graph("take", graph.nodes, (), info[:2], info[2:])
    graph.nodes = before
    all_left = graph.op("Reshape", graph.filled([1.0]), graph.whole([-1]))
    last, each = graph.name("last"), graph.name("taken")
    inputs = [all_left, graph.op("Transpose", parts, perm=[1, 0])]
    graph.nodes.append(protobuf.node("Scan", inputs, [last, each], "", {"body": body, "num_scan_inputs": 1}))
    return graph.op("Transpose", each, perm=[1, 0])


def _softmax(graph: Graph, form: Softmax) -> str:
    scores = written(graph, form.form)
    top = _row_max(graph, scores)
    below = graph.op("Where", graph.op("Equal", scores, top), graph.constant(0.0), graph.op("Sub", scores, top))
    power = graph.op("Exp", below)
    shares = graph.op("Div", power, _row_sum(graph, power))
    fallback = np.full(form.width, 1.0 / form.width) if form.fallback is None else form.fallback
    is_nowhere = graph.op("Equal", top, graph.constant(-np.inf))
    return graph.op("Where", is_nowhere, graph.constant(fallback[None]), shares)


def _logistic(graph: Graph, form: Logistic) -> str:
    score = graph.op("Add", graph.op("Mul", written(graph, form.form), graph.constant(form.a)), graph.constant(form.b))
    power = graph.op("Exp", graph.op("Neg", score))
    one = graph.constant(1.0)
    p = graph.op("Div", one, graph.op("Add", one, power))
    if form.least:
        p = graph.op("Max", graph.op("Min", p, graph.constant(1.0 - form.least)), graph.constant(form.least))
    return graph.op("Concat", graph.op("Sub", one, p), p, axis=1)


def _shares(graph: Graph, form: Shares) -> str:
    own = written(graph, form.form)
    shares = graph.op("Div", own, _row_sum(graph, own))
    if form.factor != 1.0:
        shares = graph.op("Mul", shares, graph.constant(form.factor))
    return graph.op("Add", shares, graph.constant(form.constant)) if form.constant else shares


def _pair_votes(graph: Graph, form: PairVotes) -> str:
    """Return the share of pairs that each class wins."""
    wins = graph.double(graph.op("Greater", written(graph, form.form), graph.constant(0.0)))
    first, change = np.zeros(form.width), np.zeros((len(form.pairs), form.width))
    for at, (i, j) in enumerate(form.pairs):
        first[i] += 1.0
        change[at, i], change[at, j] = -1.0, 1.0
    votes = graph.op("Add", graph.op("MatMul", wins, graph.constant(change)), graph.constant(first[None]))
    return graph.op("Mul", votes, graph.constant(1.0 / len(form.pairs)))


def _placed(graph: Graph, form: Placed) -> str:
    own = graph.op("Concat", written(graph, form.form), graph.filled([0.0]), axis=1)
    places = np.full(form.width, len(form.places))
    places[list(form.places)] = np.arange(len(form.places))
    return graph.take(own, places)


def _levels(graph: Graph, form: Levels) -> str:
    """Return the numbers of the case of each row's level, or what stands for one that is not known."""
    held = level_columns(graph, form.level)
    cases = [written(graph, case) for case in form.cases]
    if form.unknown < 0:
        counted_in = graph.op("Or", held, graph.op("Not", _any(graph, held)))
        return _log_added(graph, counted_in, cases)
    found = cases[form.unknown]
    for at, case in enumerate(cases):
        found = graph.op("Where", graph.take(held, [at]), case, found)
    return found


def _log_sum(graph: Graph, form: LogSum) -> str:
    """Return log Σ exp over the cases of all columns whose level is known."""
    places = [(level, [at for at, case in enumerate(own) if case is not None]) for level, own in form.parents]
    held = [graph.take(level_columns(graph, level), own) for level, own in places if own]
    if not held:
        return written(graph, form.otherwise)
    joined = graph.op("Concat", *held, axis=1) if len(held) > 1 else held[0]
    cases = [written(graph, case) for _, own in form.parents for case in own if case is not None]
    return graph.op("Where", _any(graph, joined), _log_added(graph, joined, cases), written(graph, form.otherwise))


def _any(graph: Graph, held: str) -> str:
    """Return True where a condition of the row holds, shape (rows, 1)."""
    return graph.op("Greater", _row_sum(graph, graph.double(held)), graph.constant(0.0))


def _log_added(graph: Graph, held: str, cases: Sequence[str]) -> str:
    """Return log Σ exp of the cases that count, shape (rows, outputs); −∞ without one."""
    apart = [graph.op("Unsqueeze", case, graph.whole([1])) for case in cases]
    stacked = graph.op("Concat", *apart, axis=1) if len(apart) > 1 else apart[0]
    which = graph.op("Unsqueeze", held, graph.whole([2]))
    own = graph.op("Where", which, stacked, graph.constant(-np.inf))
    top = graph.op("ReduceMax", own, axes=[1], keepdims=1)
    base = graph.op("Where", graph.op("Equal", top, graph.constant(-np.inf)), graph.constant(0.0), top)
    power = graph.op("Exp", graph.op("Sub", own, base))
    total = graph.op("Log", graph.op("ReduceSum", power, graph.whole([1]), keepdims=1))
    return graph.op("Squeeze", graph.op("Add", total, base), graph.whole([1]))


def _mixture(graph: Graph, form: Mixture) -> str:
    """Return the answers of all forms times the shares that the tree gives them."""
    shares, total = written(graph, form.tree), ""
    for at, each in enumerate(form.forms):
        own = graph.op("Mul", graph.take(shares, [at]), written(graph, each))
        total = graph.op("Add", total, own) if total else own
    return total
