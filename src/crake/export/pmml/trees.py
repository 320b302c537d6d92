"""Trees and rules as TreeModel: predicates, and what the leaves answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Among, Condition, Known, Missing, Node, Question, Rules, Test, Tree
from crake.export.pmml.elements import Element, Fields, element

DEEPEST = 150
"""Splits of a path; some readers of XML take 256 elements within each other."""
SIGNS = {"<=": "lessOrEqual", ">": "greaterThan", ">=": "greaterOrEqual", "<": "lessThan"}


def predicate(fields: Fields, condition: Condition) -> Element:
    """Return a condition; a name among levels is equal to one of them."""
    name = fields.column(condition.feature).name
    match condition:
        case Known():
            return element("SimplePredicate", field=name, operator="isNotMissing")
        case Missing():
            return element("SimplePredicate", field=name, operator="isMissing")
        case Among():
            levels = fields.column(condition.feature).levels
            own = (element("SimplePredicate", field=name, operator="equal", value=levels[c]) for c in condition.codes)
            return compound("or", list(own))
    return element("SimplePredicate", field=name, operator=SIGNS[condition.sign], value=float(condition.value))


def compound(operator: str, own: Sequence[Element]) -> Element:
    """Return predicates joined by an operator; one of them is itself."""
    return own[0] if len(own) == 1 else element("CompoundPredicate", *own, booleanOperator=operator)


def _test(fields: Fields, test: Test) -> Element:
    return compound("and", [predicate(fields, condition) for condition in test])


def _unanswered(fields: Fields, question: Question) -> Element:
    """Return the predicate of rows whose value is missing or new."""
    asked = [condition for test in question if test for condition in test]
    name = fields.column(asked[0].feature).name
    gap = element("SimplePredicate", field=name, operator="isMissing")
    codes = [code for condition in asked if isinstance(condition, Among) for code in condition.codes]
    if not codes:
        return gap
    levels = fields.column(asked[0].feature).levels
    others = [element("SimplePredicate", field=name, operator="notEqual", value=levels[code]) for code in codes]
    return compound("or", [gap, compound("and", others)])


def _branch(fields: Fields, node: Node, branch: int) -> Element | None:
    """Return the predicate of a branch: the first question that is answered decides."""
    ways = []
    for at, question in enumerate(node.questions):
        test = question[branch]
        if test is not None:
            before = [_unanswered(fields, each) for each in node.questions[:at]]
            ways.append(compound("and", [*before, _test(fields, test)]))
    return compound("or", ways) if ways else None


class TreeWriter:
    """Writes the nodes of a tree; `answers` has a line for each node."""

    def __init__(self, fields: Fields, tree: Tree, answers: Floats, classes: Sequence[object]) -> None:
        self.fields, self.tree, self.answers, self.classes = fields, tree, answers, classes

    def node(self, number: int, own: Element) -> Element:
        """Return a node whose predicate is `own`."""
        node = self.tree.nodes[number]
        if not node.children:
            return answered("Node", own, self.answers[number], self.classes, id=number)
        order = [branch for branch in range(len(node.children)) if branch != node.fallback]
        tests = [(node.children[branch], _branch(self.fields, node, branch)) for branch in order]
        written = [self.node(child, test) for child, test in tests if test is not None]
        # Every row that is left takes the fallback: it answers its test, or no question.
        last = self.node(node.children[node.fallback], element("True"))
        return element("Node", own, *written, last, id=number)


def answered(kind: str, own: Element, answer: Floats, classes: Sequence[object], **attributes: object) -> Element:
    """Return an element with a predicate and an answer: a number, or the probabilities of classes."""
    if not classes:
        return element(kind, own, **attributes, score=float(answer[0]))
    return element(kind, own, *distribution(answer, classes), **attributes, score=classes[int(np.argmax(answer))])


def distribution(answer: Floats, classes: Sequence[object]) -> list[Element]:
    """Return the probabilities of classes."""
    return [
        element("ScoreDistribution", value=label, recordCount=float(p), probability=float(p))
        for label, p in zip(classes, answer, strict=True)
    ]


def tree_model(
    fields: Fields, tree: Tree, answers: Floats, classes: Sequence[object], output: Element | None = None
) -> Element:
    """Return a TreeModel in which every row takes one path; without an `output` it is a segment of another model."""
    if tree.depth > DEEPEST:
        raise CrakeError(
            f"expected a tree of at most {DEEPEST} splits deep, got one of {tree.depth}: readers of XML do not nest "
            "elements deeper. Fit with max_depth="
        )
    root = TreeWriter(fields, tree, answers, classes).node(0, element("True"))
    return element(
        "TreeModel", fields.schema(has_target=output is not None), output, root, missingValueStrategy="none",
        functionName="classification" if classes else "regression", splitCharacteristic="multiSplit",
    )  # fmt: skip


def rule_model(fields: Fields, rules: Rules, classes: Sequence[object], head: Sequence[Element]) -> Element:
    """Return a TreeModel of one level: the first rule that holds answers, and the last node takes the other rows.

    Programs give no probabilities of a RuleSetModel, which would say the same.
    """
    written = [
        answered("Node", compound("and", [predicate(fields, c.condition) for c in rule]), answer, classes, id=at + 1)
        for at, (rule, answer) in enumerate(zip(rules.rules, rules.answers, strict=False))
    ]
    last = answered("Node", element("True"), rules.answers[-1], classes, id=len(written) + 1)
    return element(
        "TreeModel", *head, element("Node", element("True"), *written, last, id=0), missingValueStrategy="none",
        functionName="classification", splitCharacteristic="multiSplit",
    )  # fmt: skip
