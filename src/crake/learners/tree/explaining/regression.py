"""A regression tree's answer by hand: each question with its squared errors, and the mean where the row ends."""

from __future__ import annotations

from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.explaining.classification import LEAVES
from crake.learners.tree.explaining.path import walked
from crake.learners.tree.explaining.path_sections import Looked, part_written, questions
from crake.learners.tree.explaining.split_arithmetic import held
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table


def explain_mean(model: Looked, row: Table, answer: float) -> Workings:
    """From the root to the leaf, or to all leaves that a row with missing values may reach."""
    tree = model.tree_
    visits = walked(tree, model.schema_, row)
    asked = [visit for visit in visits if tree.kind[visit.node] != LEAF]
    ends = [visit for visit in visits if tree.kind[visit.node] == LEAF]
    shown = sorted(sorted(ends, key=lambda visit: -visit.part)[:LEAVES], key=lambda visit: visit.node)
    lines = tuple(f"node {visit.node}: {held(tree, model.schema_, visit.node)}" for visit in shown)
    terms = [
        f"{part_written(tree, visits, visit)} × {number(float(tree.responses[visit.node, 0]))}".removeprefix(" × ")
        for visit in shown
    ]
    rest = [visit.part * float(tree.responses[visit.node, 0]) for visit in ends if visit not in shown]
    if rest:
        terms.append(number(sum(rest)))
    leaves = "The leaf" if len(ends) == 1 else f"The {len(ends)} leaves: Σ part × mean"
    return Workings(
        "Regression tree: the questions on this row's way down, and the mean where it ends",
        (
            *questions(model, row, asked),
            Section(leaves, (Step("answer", "", " + ".join(terms), number(answer)),), lines),
        ),
        (("answer", answer),),
    )
