"""The hand calculation: its answer is predict_proba's to the last bit, and its fractions multiply out."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title
from tests.laws.tables import Row, rows, table, wild

import crake
from crake.render.workings import Step
from crake.table.examples import load
from crake.table.table import Table

every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)


def worked(factor: str) -> Decimal:
    """log10 of one factor as a student gets it: 2/9, (2 + 1)/(9 + 3), (2 + 3·0.333)/(9 + 3), 1.2e-80, 10^-4e+99."""
    if factor.startswith("10^"):
        return Decimal(factor[3:])
    numbers = re.fullmatch(r"\(?([^()/]+)\)?(?:/\(?([^()/]+)\)?)?", factor)
    assert numbers, factor
    above, below = _sum(numbers[1]), _sum(numbers[2] or "1")
    return (above / below).log10() if above else Decimal("-Infinity")


def _sum(text: str) -> Decimal:
    """4 + 3·0.333."""
    total = Decimal(0)
    for term in text.split(" + "):
        product = Decimal(1)
        for number in term.split("·"):
            product *= Decimal(number)
        total += product
    return total


def assert_multiplies_out(step: Step) -> Decimal:
    """The logarithm of the product, once it has been compared with the value written."""
    product = sum((worked(factor) for factor in step.substitution.split(" × ")), Decimal(0))
    value = worked(step.value)
    if product.is_infinite() or value.is_infinite():
        assert product == value, step
    else:
        assert abs(product - value) <= Decimal("0.002") * max(Decimal(1), abs(value)), step
    return product


def assert_answer(model: Any, one: Table) -> None:
    workings = model.explain(one)
    expected = model.predict_proba(one)[0]
    assert [label for label, _ in workings.answer] == [str(label) for label in model.classes_]
    np.testing.assert_array_equal([value for _, value in workings.answer], expected)
    assert str(workings)


def assert_products(model: crake.NaiveBayesClassifier, one: Table) -> None:
    """Each product is that of the factors written before it, and the quotients are the answer."""
    workings = model.explain(one)
    (section,) = (each for each in workings.sections if each.heading.startswith("Product of the likelihoods"))
    products = [assert_multiplies_out(step) for step in section]
    largest = max(products)
    if largest.is_finite():
        shares = [float(10 ** (product - largest)) if product.is_finite() else 0.0 for product in products]
        found = [share / sum(shares) for share in shares]
        np.testing.assert_allclose(found, [probability for _, probability in workings.answer], atol=0.01)


# `tests/contract/test_rows_explained.py` asks the same of real tables.
@every
@settings(max_examples=10)
@given(some=rows(wild, min_size=2))
def test_the_answer_is_the_prediction_on_mean_tables(estimator: Any, some: list[Row]) -> None:
    model = clone(estimator).fit(table(some))
    for i in (0, len(some) - 1):
        assert_answer(model, table(some).take(np.array([i])))


@every
def test_credit_with_rows_that_lack_values(estimator: Any, shared: Path) -> None:
    credit = crake.read(shared / "data" / "arff" / "credit-g.arff", target="class")
    model = clone(estimator).fit(credit.take(np.arange(0, len(credit), 5)))
    for i in (0, 1, 500, 999):
        assert_answer(model, credit.take(np.array([i])))
    names = [column.name for column in credit.schema.features]
    for row in ({}, {names[0]: "never seen"}, {names[0]: "'<0'", names[1]: 12}):
        workings = model.explain(row)
        assert sum(value for _, value in workings.answer) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("learner", [v for v in VARIANTS if isinstance(v, crake.NaiveBayesClassifier)], ids=title)
def test_products_multiply_out(learner: crake.NaiveBayesClassifier) -> None:
    for name in ("weather", "tax"):
        examples = load(name)
        model = clone(learner).fit(examples)
        for i in range(len(examples)):
            assert_products(model, examples.take(np.array([i])))


@settings(max_examples=40)
@given(rows(wild, min_size=3))
def test_products_multiply_out_on_mean_tables(some: list[Row]) -> None:
    model = crake.NaiveBayesClassifier(alpha=0.5).fit(table(some))
    for i in range(2):
        one = table(some).take(np.array([i]))
        for step in model.explain(one).sections[1]:
            assert_multiplies_out(step)


def test_light_rows_and_the_floor_are_written_as_they_count() -> None:
    X, y = [["u"], ["v"], ["u"], ["w"]], ["a", "a", "b", "b"]
    light = crake.NaiveBayesClassifier(m=2, p="overall").fit(X, y, sample_weight=[0.1, 0.1, 0.1, 0.2])
    for step in light.explain(["u"]).sections[0]:
        assert_multiplies_out(step)
    floored = crake.NaiveBayesClassifier(alpha=0, floor=1e-3).fit(X, y)
    step = floored.explain(["v"]).sections[0].steps[1]
    assert (step.substitution, step.value) == ("0.001", "0.001")


def test_what_is_left_out_is_said() -> None:
    X = np.array([["u", 1.0, 5.0], ["v", 2.0, 5.0], ["u", 3.0, 5.0], ["v", 9.0, 5.0]], dtype=object)
    model = crake.NaiveBayesClassifier().fit(X, ["a", "b", "a", "b"])
    notes = model.explain(["new", None, 5.0]).notes
    assert notes == (
        "x0 is skipped: this value was never seen in training",
        "x1 is skipped: missing",
        "x2 is skipped: constant in training, it says nothing",
    )
    impossible = crake.NaiveBayesClassifier(alpha=0).fit([["u", "p"], ["v", "q"]], ["a", "b"]).explain(["u", "q"])
    assert "the answer is the prior" in impossible.notes[-1]
    assert dict(impossible.answer) == {"a": 0.5, "b": 0.5}
    assert "0 / 0" not in str(impossible)


def test_one_rule_says_when_no_rule_applies() -> None:
    X, y = [["u"], ["u"], ["v"]], ["b", "b", "a"]
    for unseen, answer in (("majority", "b"), ("first", "a")):
        workings = crake.OneRuleClassifier(unseen=unseen).fit(X, y).explain(["new"])
        assert f"the answer is {answer}" in workings.notes[0]
    shares = crake.OneRuleClassifier().fit(X, y).explain(["u"]).sections[-1]
    assert [(step.substitution, step.value) for step in shares] == [("0/2", "0"), ("2/2", "1")]


def test_rows_to_explain_in_any_form() -> None:
    model = crake.NaiveBayesClassifier().fit(load("weather"))
    X, _ = load("weather").to_xy()
    row = {"outlook": "Sunny", "temp": "Hot", "humidity": "High", "windy": "False"}
    answers = {
        model.explain(form).answer
        for form in (row, list(row.values()), tuple(row.values()), X.slice(0, 1), X.slice(0, 1).to_pandas())
    }
    assert len(answers) == 1
    assert model.explain({"outlook": "Sunny"}).answer == model.explain(["Sunny", None, None, None]).answer
    with pytest.raises(crake.CrakeError, match="Did you mean 'outlook'"):
        model.explain({"outlok": "Sunny"})
    with pytest.raises(crake.CrakeError, match="2 values; expected 4"):
        model.explain(["Sunny", "Hot"])
    with pytest.raises(crake.CrakeError, match="one row is explained at a time; 14 were given"):
        model.explain(load("weather"))


def test_long_products_are_shortened_but_right() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 60)), np.repeat(["a", "b"], 15)
    workings = crake.NaiveBayesClassifier().fit(X, y).explain(X[0])
    assert "…" in workings.sections[1].steps[0].substitution
    assert "20 more factors" in workings.notes[0]
