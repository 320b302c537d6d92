"""Trees and rules that divide rows with missing values: the share of a row in each leaf, as derived fields.

The standard's own rule for such trees (weightedConfidence) is about classes only, and programs do not know it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Among, Compare, Node, Rules, Test, Tree
from crake.export.pmml.elements import Element, Fields, element
from crake.export.pmml.sums import Scores, apply, label_constant, reference
from crake.export.pmml.trees import SIGNS
from crake.kernels.tree.impurity import NOTHING


def leaf_scores(fields: Fields, tree: Tree, answers: Floats) -> Scores:
    """Return Σ share of the row in a leaf × its answers; `answers` has a line for each node."""
    scores = Scores(fields, np.zeros(answers.shape[1]))
    weight: dict[int, str] = {}
    for number, node in enumerate(tree.nodes):
        if not node.children:
            scores.add(weight[number], answers[number])
            continue
        for branch, child in enumerate(node.children):
            share = _share(fields, node, branch)
            own = share if number == 0 else apply("*", reference(weight[number]), share)
            weight[child] = scores.derive(f"share of node {child}", own)
    return scores


def _share(fields: Fields, node: Node, branch: int) -> Element:
    """Return 1 where the branch is taken, 0 where another is, and the branch's share of rows that answer nothing."""
    if len(node.questions) > 1:
        raise CrakeError(
            "a tree that divides rows and asks surrogates cannot be exported to PMML; pass missing='heaviest'"
        )
    question = node.questions[0]
    share = node.shares[branch] if node.fallback < 0 else float(branch == node.fallback)
    own: Element | float = float(share)
    for at, test in enumerate(question):
        if test is not None:
            own = apply("if", _holds(fields, test), float(at == branch), own)
    feature = next(condition.feature for test in question if test for condition in test)
    gap = apply("isMissing", reference(fields.column(feature).name))
    return apply("if", gap, float(share), own)


def _holds(fields: Fields, test: Test) -> Element:
    """Return the condition as a function of values that are not missing."""
    own = [_condition(fields, condition) for condition in test if isinstance(condition, Compare | Among)]
    return own[0] if len(own) == 1 else apply("and", *own) if own else apply("equal", 1.0, 1.0)


def _condition(fields: Fields, condition: Compare | Among) -> Element:
    column = fields.column(condition.feature)
    x = reference(column.name)
    if isinstance(condition, Compare):
        return apply(SIGNS[condition.sign], x, float(condition.value))
    own = [apply("equal", x, label_constant(column.levels[code])) for code in condition.codes]
    return own[0] if len(own) == 1 else apply("or", *own)


def rule_scores(fields: Fields, rules: Rules) -> Scores:
    """Return Σ what each rule takes of the row × its answers; less than NOTHING is not divided further."""
    scores = Scores(fields, np.zeros(rules.width))
    left: Element | float = 1.0
    for at, rule in enumerate(rules.rules):
        own = [_satisfied(fields, each.condition, each.share) for each in rule]
        part = reference(scores.derive(f"rule {at + 1} holds", own[0] if len(own) == 1 else apply("*", *own[:2])))
        for more in own[2:]:
            part = reference(scores.derive(f"rule {at + 1} holds", apply("*", part, more)))
        is_over = apply("or", _at_most(part, NOTHING), _at_most(left, NOTHING))
        rest = apply("*", left, apply("-", 1.0, part))
        some = apply("if", _at_most(rest, NOTHING), left, apply("*", left, part))
        taken = scores.derive(f"rule {at + 1} takes", apply("if", is_over, 0.0, some))
        scores.add(taken, rules.answers[at])
        left = reference(scores.derive(f"left after rule {at + 1}", apply("-", left, reference(taken))))
    last = scores.derive("no rule takes", apply("if", _at_most(left, NOTHING), 0.0, left))
    scores.add(last, rules.answers[-1])
    return scores


def _at_most(value: Element | float, most: float) -> Element:
    return apply("lessOrEqual", value, float(most))


def _satisfied(fields: Fields, condition: Compare | Among, share: float) -> Element:
    """Return 1 where a condition holds, its share where the value is missing or new, 0 elsewhere."""
    column = fields.column(condition.feature)
    x = reference(column.name)
    otherwise: Element | float = 0.0
    if isinstance(condition, Among) and share:
        known = [apply("equal", x, label_constant(level)) for level in column.levels]
        is_known = known[0] if len(known) == 1 else apply("or", *known)
        otherwise = apply("if", is_known, 0.0, float(share))
    own = apply("if", _condition(fields, condition), 1.0, otherwise)
    return apply("if", apply("isMissing", x), float(share), own)


def model_of(scores: Scores, classes: Sequence[object], head: Sequence[Element], method: str | None = None) -> Element:
    """Return a RegressionModel of these scores: an equation for each class, or one."""
    tables = [scores.table(k, label) for k, label in enumerate(classes)] if classes else [scores.table(0)]
    return element(
        "RegressionModel", *head, scores.transformations(), *tables,
        functionName="classification" if classes else "regression", normalizationMethod=method,
    )  # fmt: skip
