"""Rules, nodes and the description of a tree say what the tree says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.laws.tables import Row, rows, table, tame
from tests.learners.tree.explaining.test_classification import LEARNERS

import crake
from crake.learners.tree.showing.rules import Rule
from crake.table.examples import load
from crake.table.table import Table


def holds(rule: Rule, found: Table, i: int) -> bool:
    """Whether a row satisfies all conditions, looked at one by one."""
    for condition in rule.conditions:
        cell = found.source.column(condition.column.name)[i]
        if condition.codes is None:
            if np.isnan(cell) or not condition.low < cell <= condition.high:
                return False
        elif cell not in condition.codes:
            return False
    return True


def assert_rules_are_the_tree(model: Any, found: Table) -> None:
    rules, predicted = model.rules(), model.predict(found)
    assert len(rules) == model.n_leaves_
    assert sum(rule.coverage for rule in rules) == pytest.approx(model.tree_.weight[0])
    for i in range(len(found)):
        if any(found.source.column(c.name)[i] != found.source.column(c.name)[i] for c in found.schema.numeric):
            continue
        if any(found.source.column(c.name)[i] < 0 for c in found.schema.nominal):
            continue
        (rule,) = [rule for rule in rules if holds(rule, found, i)]
        assert rule.answer == predicted[i]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@settings(max_examples=30)
@given(some=rows(tame, min_size=2))
def test_one_rule_holds_for_a_complete_row_and_it_is_the_prediction(learner: Any, some: list[Row]) -> None:
    assert_rules_are_the_tree(clone(learner).fit(table(some)), table(some))


def test_real_table(shared: Path) -> None:
    credit = crake.read(shared / "data" / "arff" / "credit-g.arff", target="class")
    model = crake.C45Classifier().fit(credit)
    assert_rules_are_the_tree(model, credit.take(np.arange(0, 1000, 20)))
    errors = sum(rule.errors for rule in model.rules())
    assert errors == pytest.approx(np.sum(model.predict(credit) != np.array(credit.labels(credit.target))))


def test_conditions_on_one_attribute_are_merged() -> None:
    model = crake.C45Classifier().fit(load("iris"))
    rules = model.rules()
    assert (
        str(rules[2])
        == "petal width (cm) > 0.6 and petal width (cm) <= 1.5 and petal length (cm) > 4.9 → virginica (3)"
    )
    assert rules[2].conditions[0].low == 0.6
    assert str(rules).count("\n") == 4
    assert rules.grid().header == ("if", "then species", "rows", "errors", "node")
    assert "<td>" in rules._repr_html_()
    alone = crake.C45Classifier().fit([[1.0], [1.0]], ["a", "a"])
    assert str(alone.rules()) == "always → a (2)"


def test_a_node_knows_its_place() -> None:
    model = crake.C45Classifier(pruning=None).fit(load("golf"))
    root = model.node(0)
    assert (root.parent, root.depth, root.question, root.is_leaf) == (None, 0, "outlook", False)
    assert root.counts.tolist() == [5, 9]
    rainy = root.children[1]
    assert [str(condition) for condition in rainy.path] == ["outlook = Rainy"]
    assert rainy.parent is not None
    assert rainy.parent.number == 0
    high = rainy.children[0]
    assert (high.is_leaf, high.answer, high.weight, high.question, high.children) == (True, "No", 3.0, None, ())
    assert "a leaf: outlook = Rainy and humidity = High" in str(high)
    assert "gain = 0.9403 − 0.6935 = 0.2467" in str(root)
    for number in (-1, 8, 1.5, True):
        with pytest.raises(crake.CrakeError, match="the nodes 0 \\(the root\\) to 7"):
            model.node(number)


def test_describe_and_importances() -> None:
    golf = load("golf")
    model = crake.C45Classifier(pruning=None).fit(golf)
    described = model.describe()
    assert (described.leaves, described.nodes, described.depth, described.rows) == (5, 8, 2, 14.0)
    assert described.rows_per_leaf == (2.0, 3.0, 4.0)
    assert described.unused == ("temp",)
    # 14 · 0.2467 of 14 · 0.9403 bits are gained at the root.
    by_name = {use.name: use.importance for use in described.uses}
    assert by_name["outlook"] == pytest.approx(0.2467 / 0.9403, abs=1e-4)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[1] == 0
    leaf = crake.C45Classifier().fit([[1.0], [1.0]], ["a", "b"])
    assert leaf.feature_importances_.tolist() == [0.0]
    assert "errors on the 2 training rows: 1 (50.0" in str(leaf.describe())


def test_not_fitted_is_said() -> None:
    model = crake.C45Classifier()
    for look in (model.rules, model.describe, model.to_dot, model.to_mermaid, model.to_sql):
        with pytest.raises(NotFittedError):
            look()
    assert "C45Classifier" in str(model)
    assert "sk-" in model._html_repr()
