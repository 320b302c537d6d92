"""The weather table of the lectures: 1R's errors with their ties, and naive Bayes by hand.

Witten and Frank, Data Mining; mission.md section 2.
"""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.table.examples import load

DAY = {"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"}


def test_the_table() -> None:
    weather = load("weather")
    assert len(weather) == 14
    assert weather.schema.classes == ("No", "Yes")
    model = crake.NaiveBayesClassifier(alpha=0).fit(weather)
    assert model.class_count_.tolist() == [5, 9]


def test_errors_of_one_rule_by_attribute() -> None:
    model = crake.OneRuleClassifier().fit(load("weather"))
    assert model.errors_ == {"outlook": 4, "temp": 5, "humidity": 4, "windy": 5}
    assert model.attribute_ == "outlook"
    assert [rules.grid().rows[-1] for rules in model.rules_] == [
        ("total", "4/14"),
        ("total", "5/14"),
        ("total", "4/14"),
        ("total", "5/14"),
    ]


@pytest.mark.parametrize(
    ("attribute", "by_value"),
    [
        ("outlook", {"Sunny → No": "2/5", "Overcast → Yes": "0/4", "Rainy → Yes": "2/5"}),
        ("temp", {"Hot → No*": "2/4", "Mild → Yes": "2/6", "Cool → Yes": "1/4"}),
        ("humidity", {"High → No": "3/7", "Normal → Yes": "1/7"}),
        ("windy", {"False → Yes": "2/8", "True → No*": "3/6"}),
    ],
)
def test_errors_of_one_rule_by_value(attribute: str, by_value: dict[str, str]) -> None:
    model = crake.OneRuleClassifier().fit(load("weather"))
    (rules,) = (rules for rules in model.rules_ if rules.column.name == attribute)
    assert dict(rules.grid().rows[:-1]) == by_value


def test_the_chosen_rule_in_words() -> None:
    text = str(crake.OneRuleClassifier().fit(load("weather")))
    assert text.splitlines()[0] == "1R: outlook (4/14 errors)"
    assert "Overcast → Yes" in text


def test_naive_bayes_by_hand() -> None:
    model = crake.NaiveBayesClassifier(alpha=0).fit(load("weather"))
    workings = model.explain(DAY)
    products = {step.statement: step for step in workings.sections[1]}
    assert products["Yes"].substitution == "2/9 × 3/9 × 3/9 × 3/9 × 9/14"
    assert products["No"].substitution == "3/5 × 1/5 × 4/5 × 3/5 × 5/14"
    assert round(float(products["Yes"].value), 4) == 0.0053
    assert round(float(products["No"].value), 4) == 0.0206
    assert (round(workings["Yes"], 3), round(workings["No"], 3)) == (0.205, 0.795)


def test_naive_bayes_predicts_no() -> None:
    model = crake.NaiveBayesClassifier(alpha=0).fit(load("weather"))
    day = np.array([list(DAY.values())], dtype=object)
    with pytest.warns(UserWarning, match="feature names"):
        assert model.predict(day).tolist() == ["No"]
    X, y = load("weather").to_xy()
    by_array = crake.NaiveBayesClassifier(alpha=0).fit(np.array(X.to_pandas().astype(object)), y)
    np.testing.assert_allclose(by_array.predict_proba(day).round(3), [[0.795, 0.205]])


def test_play_tennis_rounds_to_three_digits() -> None:
    """Lecture 001 prints the same products as 0.005 and 0.021."""
    steps = crake.NaiveBayesClassifier(alpha=0).fit(load("weather")).explain(DAY).sections[1]
    assert sorted(f"{float(step.value):.3f}" for step in steps) == ["0.005", "0.021"]


def test_laplace_on_counts_of_0_990_10() -> None:
    """Lecture 004: income low 0, medium 990, high 10 of a class of 1000."""
    income = ["medium"] * 990 + ["high"] * 10 + ["low"]
    y = ["yes"] * 1000 + ["no"]
    model = crake.NaiveBayesClassifier(alpha=1).fit([[value] for value in income], y)
    levels = model.schema_.features[0].levels
    yes = dict(zip(levels, model.likelihood_[0][list(model.classes_).index("yes")], strict=True))
    assert yes == {"low": 1 / 1003, "medium": 991 / 1003, "high": 11 / 1003}
