"""The hand calculation of a boosted prediction: the score without trees, what each tree adds, and their sum."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.ensemble.boosting.predicting import answers_of_trees
from crake.learners.ensemble.shapley import columns_section
from crake.learners.tree.conditions import Condition, condition_of
from crake.learners.tree.explaining.path import path_of
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, number
from crake.table.schema import Kind, Schema
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.ensemble.boosting.base import Boosting
    from crake.learners.ensemble.boosting.learner import BoostedTreesClassifier
    from crake.learners.ensemble.boosting.regressor import BoostedTreesRegressor

IN_FULL = 6
"""Trees that are written one by one; the others are added up."""


def explained_class(model: BoostedTreesClassifier, row: Table, probabilities: Floats) -> Workings:
    """Return the scores of a row by class, and the probabilities made of them."""
    labels = [visible(label) for label in model.classes_.tolist()]
    answer = tuple(zip(labels, map(float, probabilities), strict=True))
    if len(labels) == 1:
        return Workings("Boosted trees: there is one class", (), answer)
    score = model._scores(row)[:, 0]  # noqa: SLF001 (a part of the learner)
    names = [f"log odds of {labels[1]}"] if len(labels) == 2 else [f"score of {label}" for label in labels]
    sections = _scores(model, row, names, score)
    if len(labels) == 2:
        steps = [
            Step(
                f"P({labels[1]})", "1/(1 + exp(−f))", f"1/(1 + exp(−({number(float(score[0]))})))", number(answer[1][1])
            )
        ]
        steps.append(Step(f"P({labels[0]})", f"1 − P({labels[1]})", "", number(answer[0][1])))
    else:
        steps = [Step(f"P({label})", "exp(f) / Σ exp(f)", "", number(p)) for label, p in answer]
    return Workings(_title(model), (*sections, Section("Probabilities", tuple(steps))), answer)


def explained_number(model: BoostedTreesRegressor, row: Table, predicted: float) -> Workings:
    """Return the sum that is predicted."""
    target = model.schema_.target or "target"
    sections = _scores(model, row, [f"prediction of {visible(target)}"], model._scores(row)[:, 0])  # noqa: SLF001
    return Workings(_title(model), tuple(sections), ((target, predicted),))


def _title(model: Boosting) -> str:
    trees = len(model.trees_)
    return f"Boosted trees: the sum of what {trees} tree{'s' if trees != 1 else ''} add{'s' if trees == 1 else ''}"


def _scores(model: Boosting, row: Table, names: list[str], score: Floats) -> list[Section]:
    added = answers_of_trees(model.trees_, Cases.of(row))[:, 0]
    sections = [
        _score(model, row, output, name, added[output :: len(names)], score) for output, name in enumerate(names)
    ]
    # Of several classes only the one with the highest score is divided among the columns.
    highest = int(np.argmax(score))
    found, what = model.contributions(row), f"the {names[highest]}"
    return [*sections, columns_section(row, found, highest, what, "mean of the training rows")]


def _score(model: Boosting, row: Table, output: int, name: str, added: Floats, score: Floats) -> Section:
    """Return the sum of one output, with the paths of its first trees."""
    outputs = len(model.base_)
    steps = [Step("f without trees", "", "", number(float(model.base_[output])))]
    for at, value in enumerate(added[:IN_FULL]):
        tree = model.trees_.tree(at * outputs + output)
        steps.append(Step(f"tree {at + 1}", "", "", number(float(value)), _path(tree, model.schema_, row)))
    if len(added) > IN_FULL:
        others, up = len(added) - IN_FULL, int(np.sum(added[IN_FULL:] > 0))
        rest = "the last tree" if others == 1 else f"the other {others} trees"
        above = "" if others == 1 else f"{up} of them {'is' if up == 1 else 'are'} above 0"
        steps.append(Step(rest, "", "", number(float(added[IN_FULL:].sum())), above))
    steps.append(Step("f", "the sum of these", "", number(float(score[output]))))
    return Section(f"The {name}, f", tuple(steps))


def _path(tree: Tree, schema: Schema, row: Table) -> str:
    """Return the conditions on the way of a row to its leaf, one for each column."""
    conditions: dict[str, Condition] = {}
    for visit in path_of(tree, schema, row):
        if visit.taken >= 0:
            condition = condition_of(tree, schema, visit.node, visit.taken)
            name = condition.column.name
            is_missing = _is_missing(row, name)
            condition = replace(condition, codes=() if is_missing else condition.codes, missing=is_missing)
            if is_missing:
                condition = replace(condition, low=np.inf)
            conditions[name] = conditions[name].and_also(condition) if name in conditions else condition
    return " and ".join(map(str, conditions.values())) or "a single leaf"


def _is_missing(row: Table, name: str) -> bool:
    cell = row.column(name)[0]
    return bool(cell < 0) if row.schema[name].kind is Kind.NOMINAL else bool(np.isnan(cell))
