"""1R beside its plain twin: errors of every attribute, buckets, cuts, ties."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.tables import Row, rows, table, wild
from tests.plain import one_rule_twin

import crake
from crake.kernels.discretize.holte_buckets import holte_buckets
from crake.table.convert.frames import from_frame
from crake.table.examples import load


@given(rows(), st.integers(1, 4))
def test_errors_beside_the_twin(some: list[Row], minimum: int) -> None:
    model = crake.OneRuleClassifier(min_bucket=minimum).fit(table(some))
    labels = [row[4] for row in some]
    nominal = [one_rule_twin.nominal_errors([(row[j], row[4]) for row in some], 3) for j in (0, 1)]
    numeric = [
        one_rule_twin.numeric_errors([(row[j] if row[j] == row[j] else None, row[4]) for row in some], 3, minimum)
        for j in (2, 3)
    ]
    assert list(model.errors_.values()) == [*nominal, *numeric]
    best = [*nominal, *numeric].index(min([*nominal, *numeric]))
    assert model.attribute_ == ("colour", "wind", "size", "age")[best]
    # On its own rows the rule errs as often as it says, ties and all.
    answers = model.predict_proba(table(some)).argmax(axis=1)
    assert int(np.sum(answers != labels)) == model.rule_.errors


@given(st.lists(st.tuples(wild, st.integers(0, 2)), min_size=1, max_size=40), st.integers(1, 6))
def test_buckets_beside_the_twin(pairs: list[tuple[float, int]], minimum: int) -> None:
    known = sorted((x, k) for x, k in pairs if x == x)
    value, class_ = np.array([x for x, _ in known]), np.array([k for _, k in known], np.int32)
    cuts, counts = holte_buckets(value, class_, np.ones(len(known)), 3, float(minimum))
    twin = one_rule_twin.buckets(known, 3, minimum)
    np.testing.assert_array_equal(counts, np.array([here for _, here in twin]).reshape(-1, 3))
    for cut, (below, _), (above, _) in zip(cuts, twin[:-1], twin[1:], strict=True):
        assert below[-1] < cut <= above[0]
    branch = np.searchsorted(cuts, value, side="right")
    np.testing.assert_array_equal(branch, [b for b, (values, _) in enumerate(twin) for x, _ in known if x in values])


def test_ties_go_to_the_first_column_and_class() -> None:
    X, y = [["u", "p"], ["u", "p"], ["v", "q"], ["v", "q"]], ["b", "a", "a", "b"]
    model = crake.OneRuleClassifier().fit(X, y)
    assert (model.attribute_, model.rule_.answers.tolist()) == ("x0", [0, 0])
    assert model.rule_.ties.all()
    assert str(model).count("*") == 2


def test_iris_by_petal_width() -> None:
    model = crake.OneRuleClassifier().fit(load("iris"))
    assert model.attribute_ == "petal width (cm)"
    np.testing.assert_allclose(model.rule_.cuts, [0.8, 1.75])


def test_certain_answers() -> None:
    model = crake.OneRuleClassifier(probability="certain").fit(load("weather"))
    row = {"outlook": "Sunny"}
    workings = model.explain(row)
    assert dict(workings.answer) == {"No": 1.0, "Yes": 0.0}
    assert "3/5" not in str(workings.steps[-2])


def test_the_rules_of_the_best_attribute_are_always_written() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 20)).astype(str)
    model = crake.OneRuleClassifier().fit(X, np.where(X[:, 17] == "1", "a", "b"))
    headings = [section.heading for section in model.explain(X[0]).sections]
    assert headings[11:14] == ["x11", "x17", "… and 7 more attributes, none with fewer errors"]


def test_of_many_rules_of_another_attribute_the_first_are_printed_and_the_sum() -> None:
    columns = {"many": [f"k{i // 2}" for i in range(200)], "best": ["u", "v"] * 100, "y": ["a", "b"] * 100}
    model = crake.OneRuleClassifier().fit(from_frame(pa.table(columns), target="y"))
    assert model.attribute_ == "best"
    lines = [line.strip() for line in str(model.explain({"many": "k3", "best": "u"})).splitlines()]
    start = lines.index("many")
    end = next(at for at in range(start, len(lines)) if lines[at].startswith("total"))
    assert sum("→" in line for line in lines[start:end]) == 40
    assert lines[end - 1] == "… and 60 more rules"
    assert lines[end].split() == ["total", "100/200"]
