"""The hand calculation of a tree: it ends in predict_proba, and what is written works out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from tests.laws.tables import Row, rows, table, tame
from tests.learners.tree.by_hand import assert_works_out, chain, worked

import crake
from crake.table.examples import load
from crake.table.table import Table

LEARNERS = (
    crake.ID3Classifier(),
    crake.C45Classifier(),
    crake.C45Classifier(pruning=None, laplace=True),
    crake.C45Classifier(binary=True, min_samples_leaf=1),
    crake.DecisionStump(),
    crake.DecisionStump("gini", missing="fractional"),
    crake.CARTClassifier(),
    crake.CARTClassifier("entropy", missing="fractional"),
    crake.CARTClassifier(missing="branch", max_depth=3),
    crake.CHAIDClassifier(alpha_split=0.5, min_samples_split=2, min_samples_leaf=1),
    crake.CHAIDClassifier(alpha_split=0.5, min_samples_split=2, missing="fractional", statistic="likelihood"),
)
every = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def assert_explains(model: Any, one: Table) -> None:
    workings = model.explain(one)
    np.testing.assert_array_equal([value for _, value in workings.answer], model.predict_proba(one)[0])
    for step in workings.steps:
        assert_works_out(step)
    last = [worked(step.substitution) for step in workings.sections[-1]]
    np.testing.assert_allclose(last, [value for _, value in workings.answer], atol=2e-3)


@every
@pytest.mark.parametrize("name", ["golf", "tax", "iris"])
def test_the_steps_work_out(learner: Any, name: str) -> None:
    examples = load(name)
    model = clone(learner).fit(examples)
    for i in range(0, len(examples), 5):
        assert_explains(model, examples.take(np.array([i])))


@every
@settings(max_examples=30)
@given(some=rows(tame, min_size=2))
def test_the_steps_work_out_on_tables_with_gaps(learner: Any, some: list[Row]) -> None:
    model = clone(learner).fit(table(some))
    for i in range(min(4, len(some))):
        assert_explains(model, table(some).take(np.array([i])))


@pytest.mark.parametrize("name", ["vote", "credit-g", "breast-cancer"])
def test_real_tables(shared: Path, name: str) -> None:
    found = crake.read(shared / "data" / "arff" / f"{name}.arff", target="Class" if name != "credit-g" else "class")
    model = crake.C45Classifier(pruning=None).fit(found)
    for i in range(0, len(found), len(found) // 10):
        assert_explains(model, found.take(np.array([i])))
    assert sum(value for _, value in model.explain({}).answer) == pytest.approx(1, abs=1e-12)


def test_golf_as_in_the_lecture() -> None:
    model = crake.C45Classifier(pruning=None).fit(load("golf"))
    workings = model.explain({"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"})
    values = {step.statement: float(step.value) for step in workings.sections[0]}
    assert values["entropy before"] == pytest.approx(0.940, abs=5e-4)
    assert values["entropy after"] == pytest.approx(0.694, abs=5e-4)
    assert values["gain"] == pytest.approx(0.247, abs=5e-4)
    assert "−5/14·log2(5/14) − 9/14·log2(9/14)" in str(workings)
    assert any(row[0].startswith("→ outlook = Sunny") for row in workings.sections[0].tables[0].rows)
    assert workings.answer == (("No", 1.0), ("Yes", 0.0))


def test_a_missing_value_is_divided_by_the_shares() -> None:
    model = crake.C45Classifier(pruning=None).fit(load("golf"))
    workings = model.explain({"humidity": "High", "windy": "True"})
    assert [str(step) for step in workings.sections[-1]] == [
        "P(No | row) = 5/14 × 3/3 + 5/14 × 2/2 = 0.7143",
        "P(Yes | row) = 4/14 × 4/4 = 0.2857",
    ]
    assert "outlook is missing" in workings.sections[0].heading
    assert "outlook is a new value" in model.explain({"outlook": "Foggy"}).sections[0].heading


def test_a_leaf_without_rows_answers_as_the_node_above() -> None:
    X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "u"], ["c", "v"], ["c", "v"]]
    model = crake.ID3Classifier().fit(X, ["n", "y", "n", "n", "y", "y"])
    one = [["b", "v"]]
    workings = model.explain(one[0])
    np.testing.assert_array_equal([p for _, p in workings.answer], model.predict_proba(one)[0])
    stump = crake.DecisionStump().fit(load("golf"))
    assert "no training row came to node 3" in stump.explain({}).notes[0]


def test_long_ways_are_shortened_and_deep_trees_are_no_trouble() -> None:
    model = crake.C45Classifier(pruning=None).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    model.tree_ = chain(3_000)
    workings = model.explain([2_700.5])
    assert len(str(workings)) < 10_000
    assert any("… and" in line for section in workings.sections for line in section.lines)
    assert sum(value for _, value in workings.answer) == pytest.approx(1)
    divided = model.explain([None])
    np.testing.assert_array_equal([value for _, value in divided.answer], model.predict_proba([[np.nan]])[0])
    assert "the heaviest 8 of them" in divided.sections[-1].heading
    assert len(model.rules()) == 3_001
    assert str(model.rules()[1_500]) == "x0 > 1499 and x0 <= 1500 → a (2/1)"
    assert model.node(6_000).depth == 3_000
    assert model.describe().depth == 3_000
    assert "more nodes" in model._html_repr()
    assert len(str(model).splitlines()) < 500
    with pytest.raises(crake.CrakeError, match="3000 questions"):
        model.to_sql()


def test_many_classes_and_many_branches_stay_readable() -> None:
    rng = np.random.default_rng(0)
    X = np.array([[f"v{i:02d}"] for i in rng.integers(0, 40, 2000)], dtype=object)
    y = np.array([f"class {(int(x[0][1:]) * 7 + rng.integers(0, 3)) % 23}" for x in X])
    workings = crake.ID3Classifier().fit(X, y).explain(["v39"])
    lines = workings.sections[0].tables[0].lines()
    assert len(lines) < 16
    assert "more branches" in lines[-1]
    assert any(line.startswith("→ x0 = v39") for line in lines)
    assert "over 23 classes" in str(workings.sections[0].steps[0])
