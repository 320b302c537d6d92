"""The calculation of a query as the lectures write it: factors, products, sums, and the division at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.learners.network.inference.elimination import eliminate, factor_of
from crake.learners.network.inference.logarithms import log2_of, sum_first_axis
from crake.learners.network.inference.plan import Elimination, Plan
from crake.learners.network.model import NetworkModel
from crake.render.workings import Section, Step, Workings, number

MOST_CELLS = 16
"""Cells of a factor that are worked one by one; of a larger one only the product and the sum are named."""
MOST_ANSWERS = 64
"""Cells of the answer, and of the last product, that are written."""
DIVIDED = ", divided by its largest cell"
SCALED_NOTE = (
    "factors are divided by their largest cell, as they are too small to write; the last division removes that"
)
MOST_TERMS = 8
"""Terms of a sum that are written out."""


def query_workings(
    model: NetworkModel,
    targets: tuple[int, ...],
    evidence: Mapping[int, int],
    title: str,
    answer: Sequence[tuple[Any, float]],
) -> Workings:
    """Return the calculation: one section per variable that is summed out, then the product, divided by its sum."""
    plan = model.plan(targets, evidence)
    run = _Run(model, plan, model.with_single(evidence))
    sections = [_formula(model, plan, run, title), *(run.summed(step) for step in plan.eliminations)]
    joint, product_section = run.last()
    total = float(joint.sum())
    shares = joint / total if total > 0 else joint
    steps = tuple(
        Step(
            f"P({run.cell(targets, key)}{_given(model, evidence)})",
            "",
            f"{number(value)} / {number(total)}",
            number(share),
        )
        for key, value, share in zip(
            islice(_cells(joint), MOST_ANSWERS),
            joint.ravel()[:MOST_ANSWERS],
            shares.ravel()[:MOST_ANSWERS],
            strict=True,
        )
    )
    notes = [SCALED_NOTE] if run.is_scaled else []
    unread = len(model.graph) - len(plan.readings)
    if unread:
        why = "because the answer does not depend on them"
        notes.append(f"tables that are not read, {why}: {unread} of {len(model.graph)}")
    labels = tuple((", ".join(map(str, key)) if isinstance(key, tuple) else str(key), value) for key, value in answer)
    left = joint.size - len(steps)
    normalised = Section("Divide by the sum", steps, (f"… ({left:,} more)",) if left else ())
    product_sections = (product_section,) if len(plan.last) > 1 or not plan.eliminations else ()
    return Workings(title, (*sections, *product_sections, normalised), labels, tuple(notes))


class _Run:
    """The factors of a plan with the names they have in the calculation.

    Where the product of all would underflow, `arrays` are logarithms, and each result is divided by its largest cell.
    """

    def __init__(self, model: NetworkModel, plan: Plan, evidence: Mapping[int, int]) -> None:
        self.model, self.plan, self.evidence = model, plan, evidence
        self.is_scaled = eliminate(plan, model.tables, evidence)[1] != 0
        read = [factor_of(reading, model.tables, evidence) for reading in plan.readings]
        self.arrays = [log2_of(factor) for factor in read] if self.is_scaled else read
        self.scopes = [reading.scope for reading in plan.readings]
        self.names = [_table_name(model, reading.variable, evidence) for reading in plan.readings]

    def summed(self, step: Elimination) -> Section:
        """Multiply the parts of a step, sum out its variable, and give the result the next name."""
        name = self.model.graph.names[step.variable]
        parts = [self.arrays[part].reshape(shape) for part, shape in zip(step.parts, step.shapes, strict=True)]
        joint = self._multiplied(parts)
        result = self._divided(sum_first_axis(joint)[0]) if self.is_scaled else joint.sum(axis=0)
        self.arrays.append(result)
        result, parts = self._shown(result), [self._shown(part) for part in parts]
        own = f"f{len(self.arrays) - len(self.plan.readings)}"
        scope = ", ".join(self.model.graph.names[at] for at in step.scope)
        factors = " × ".join(self.names[part] for part in step.parts)
        statement = f"{own}({scope})" if scope else own
        steps = [Step(statement, f"Σ_{name} {factors}{DIVIDED if self.is_scaled else ''}")]
        if result.size <= MOST_CELLS:
            steps += [
                Step(
                    f"{own}({self.cell(step.scope, key)})" if step.scope else own,
                    "",
                    self._written(_terms(parts, key, joint.shape)),
                    number(float(result[key])),
                )
                for key in _cells(result)
            ]
        self.scopes.append(step.scope)
        self.names.append(statement)
        lines = () if result.size <= MOST_CELLS else (f"{result.size:,} cells",)
        return Section(f"Sum out {name}", tuple(steps), lines)

    def last(self) -> tuple[Floats, Section]:
        """Multiply what is left: P(targets and evidence), up to a factor that the division removes."""
        parts = [
            self.arrays[at].reshape(shape) for at, shape in zip(self.plan.last, self.plan.last_shapes, strict=True)
        ]
        joint = self._multiplied(parts)
        joint = self._shown(self._divided(joint) if self.is_scaled else joint)
        parts = [self._shown(part) for part in parts]
        factors = " × ".join(self.names[part] for part in self.plan.last)
        names = ", ".join(self.model.graph.names[at] for at in self.plan.targets)
        steps = [Step(f"f({names})", f"{factors}{DIVIDED if self.is_scaled else ''}")]
        if joint.size <= MOST_ANSWERS and len(parts) > 1:
            steps += [
                Step(
                    f"f({self.cell(self.plan.targets, key)})",
                    "",
                    self._written(" × ".join(number(_at(part, key)) for part in parts)),
                    number(float(joint[key])),
                )
                for key in _cells(joint)
            ]
        return joint, Section("Multiply what is left", tuple(steps))

    def _multiplied(self, parts: Sequence[Floats]) -> Floats:
        joint: Floats = np.zeros(()) if self.is_scaled else np.ones(())
        for part in parts:
            joint = joint + part if self.is_scaled else joint * part
        return joint

    def _divided(self, logs: Floats) -> Floats:
        top = logs.max()
        return logs - top if top > -np.inf else logs

    def _written(self, terms: str) -> str:
        return f"({terms}) / largest cell" if self.is_scaled else terms

    def _shown(self, array: Floats) -> Floats:
        return np.exp2(array) if self.is_scaled else array

    def cell(self, scope: Sequence[int], key: Sequence[int]) -> str:
        """Return the levels of a cell: Storm = True, Bus = False."""
        columns = self.model.columns
        return ", ".join(f"{columns[at].name} = {columns[at].levels[k]}" for at, k in zip(scope, key, strict=True))


def _formula(model: NetworkModel, plan: Plan, run: _Run, title: str) -> Section:
    """Return the whole query in one line: the sums, then all tables that are read."""
    sums = "".join(f"Σ_{model.graph.names[step.variable]} " for step in plan.eliminations)
    return Section("The tables that are read", (Step(f"{title} ∝ {sums}{' × '.join(run.names)}"),))


def _table_name(model: NetworkModel, at: int, evidence: Mapping[int, int]) -> str:
    def one(place: int) -> str:
        column = model.columns[place]
        return f"{column.name} = {column.levels[evidence[place]]}" if place in evidence else column.name

    parents = ", ".join(map(one, model.graph.parents[at]))
    return f"P({one(at)}{' | ' if parents else ''}{parents})"


def _given(model: NetworkModel, evidence: Mapping[int, int]) -> str:
    given = ", ".join(f"{model.columns[at].name} = {model.columns[at].levels[k]}" for at, k in evidence.items())
    return f" | {given}" if given else ""


def _terms(parts: Sequence[Floats], key: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Return Σ of products for one cell of the result: 0.5 × 0.4 + 0.5 × 0.1."""
    terms = [" × ".join(number(_at(part, (k, *key))) for part in parts) for k in range(shape[0])]
    return " + ".join(terms if len(terms) <= MOST_TERMS else [*terms[: MOST_TERMS - 2], "…", terms[-1]])


def _at(part: Floats, key: Sequence[int]) -> float:
    """Return the cell of a factor that is broadcast: an axis of length 1 is the same everywhere."""
    return float(part[tuple(k if n > 1 else 0 for k, n in zip(key, part.shape, strict=True))])


def _cells(array: Floats) -> Iterator[tuple[int, ...]]:
    return product(*(range(n) for n in array.shape))
