"""Lists of rules: walked, edited, stored, written as SQL and as text."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.rules.classifier import RuleClassifier
from crake.learners.rules.state import rules_of, rules_state

ROWS = pd.DataFrame(
    {
        "colour": ["red", "red", "it's", "it's", "red", None, "it's", None, "red", "it's"] * 3,
        "size": [1.0, 2.0, -0.0, 4.0, 1e308, 3.0, np.nan, np.nan, 2.0, 5.0] * 3,
        "select": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 2.0, np.nan] * 3,
        "y": ["a", "b", "a", "a", "b", "a", "a", "b", "b", "a"] * 3,
    }
)
AWKWARD = pd.DataFrame(
    {
        "colour": ["red", None, "never seen", "it's", None, "red"],
        "size": [np.nan, np.nan, 2.0, -0.0, 1e308, 4.0],
        "select": [2.0, np.nan, 5.0, np.nan, 1.0, 4.5],
    }
)


@pytest.fixture(scope="module")
def model() -> RuleClassifier:
    return crake.PARTClassifier(1, confidence=0.5).fit(ROWS.drop(columns="y"), ROWS["y"])


def plain_probabilities(model: RuleClassifier, row: pd.Series) -> np.ndarray:
    """One rule after the other, with what is left of the row."""
    answers, left = model._answers(), 1.0
    total = np.zeros(len(model.classes_))
    for rule, answer in zip(model.rules(), answers, strict=False):
        part = 1.0
        for condition in rule.conditions:
            cell = row[condition.column.name]
            levels = [str(level) for level in condition.column.levels]
            if pd.isna(cell) or (levels and cell not in levels):
                part *= condition.share
            elif levels:
                part *= float(cell == levels[condition.level])
            else:
                part *= float({"<=": cell <= condition.threshold, ">": cell > condition.threshold}[condition.sign])
        total += left * part * answer
        left *= 1 - part
    return total + left * answers[-1]


def test_a_row_is_divided_where_a_value_is_missing_or_new(model: RuleClassifier) -> None:
    assert any(condition.share > 0 for rule in model.rules() for condition in rule.conditions)
    expected = np.array([plain_probabilities(model, row) for _, row in AWKWARD.iterrows()])
    np.testing.assert_allclose(model.predict_proba(AWKWARD), expected, atol=1e-6)


def test_the_number_of_the_rule_that_takes_a_row(model: RuleClassifier) -> None:
    taken = model.apply(ROWS.drop(columns="y").iloc[:5])
    probabilities = model.predict_proba(ROWS.drop(columns="y").iloc[:5])
    np.testing.assert_allclose(probabilities, model._answers()[taken - 1])


def test_sql_gives_the_same_answers(model: RuleClassifier) -> None:
    known = ROWS.drop(columns="y").dropna().reset_index(drop=True)
    for frame, missing in ((known, "fails"), (AWKWARD, None), (known, None)):
        connection = duckdb.connect()
        connection.register("t", frame)
        found = connection.execute(model.to_sql("t", missing=missing)).df()
        np.testing.assert_allclose(found[["P(a)", "P(b)"]].to_numpy(float), model.predict_proba(frame), atol=1e-6)
        assert found["predicted target"].tolist() == model.predict(frame).tolist()
    with pytest.raises(CrakeError, match=r"expected None \(as predict\), 'heaviest'"):
        model.to_sql(missing="mixture")


def test_rules_removed_and_reordered_count_their_rows_anew() -> None:
    iris = crake.read("iris")
    model = crake.PARTClassifier().fit(iris)
    again = model.with_rules([1, 2, 3], iris)
    np.testing.assert_allclose(again.rules_.counts, model.rules_.counts)
    without = model.without_rule(2, iris)
    assert [(rule.coverage, rule.errors) for rule in without.rules()] == [(50, 0), (100, 50)]
    turned = model.with_rules([3, 1], iris)
    assert [rule.coverage for rule in turned.rules()] == [150, 0]
    np.testing.assert_allclose(turned.predict_proba(iris)[0], [1 / 3, 1 / 3, 1 / 3])
    assert len(model.rules()) == 3
    nothing = model.with_rules([], iris)
    np.testing.assert_allclose(nothing.predict_proba(iris)[0], [1 / 3, 1 / 3, 1 / 3])
    assert (nothing.apply(iris) == 0).all()
    with pytest.raises(CrakeError, match="rule 1 is named twice"):
        model.with_rules([1, 1], iris)
    with pytest.raises(CrakeError, match="no rule 4"):
        model.without_rule(4, iris)
    with pytest.raises(CrakeError, match="the classes of the rows are needed"):
        model.without_rule(1, pd.DataFrame(np.zeros((2, 4)), columns=model.feature_names_in_))


def test_a_document_to_sign_names_every_rule(model: RuleClassifier) -> None:
    text = model.to_text()
    assert all(f"{rule.number}. " in text for rule in model.rules())
    assert "Signature" in text
    right = sum(rule.coverage - rule.errors for rule in model.rules())
    assert f"For {right:.2f} of them" in text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lengths", np.array([9], np.int64)),
        ("kind", np.full(1, 2, np.int32)),
        ("level", np.full(1, 7, np.int32)),
        ("share", np.full(1, 1.5)),
        ("answer", np.full(2, 5, np.int32)),
        ("prior", np.full(2, 99.0)),
        ("feature", np.full(1, 4, np.int32)),
    ],
)
def test_a_stored_list_that_is_none_is_refused(name: str, content: np.ndarray) -> None:
    frame = pd.DataFrame({"x": ["p", "p", "p", "q", "q", "q"]})
    model = crake.PARTClassifier().fit(frame, ["a", "a", "a", "b", "b", "b"])
    state = rules_state(model.rules_)
    assert len(rules_of(StateReader(state), model.schema_)) == 2
    with pytest.raises(ModelFileError, match="expected"):
        rules_of(StateReader({**state, name: content}), model.schema_)


def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Three columns of 0, 1 and gaps that say little about the class: Prism grows rules that others take rows from."""
    random = np.random.default_rng(2)
    X = random.integers(0, 2, (10, 3)).astype(float)
    X[random.random(X.shape) < 0.2] = np.nan
    return X, np.array(["a", "b"])[random.integers(0, 2, 10)]


@pytest.mark.parametrize(
    "learner", [crake.PrismClassifier, crake.RIPPERClassifier, crake.PARTClassifier, crake.C45RulesClassifier]
)
def test_the_class_of_a_rule_is_what_predict_answers(learner: type[RuleClassifier]) -> None:
    X, y = noisy()
    model = learner().fit(X, y)
    for each in (model, model.with_rules(range(len(model.rules()), 0, -1), X, y)):
        shown = [rule.answer for rule in each.rules()]
        assert shown == each.classes_[np.argmax(each._answers()[:-1], axis=1)].tolist()


def test_a_certain_rule_answers_the_class_it_was_grown_for() -> None:
    X, y = noisy()
    by_shares, certain = (crake.PrismClassifier(probability=each).fit(X, y) for each in ("shares", "certain"))
    assert [rule.answer for rule in certain.rules()] != [rule.answer for rule in by_shares.rules()]
    taken = certain.apply(X)
    answers = [certain.rules()[number - 1].answer for number in taken[taken > 0]]
    assert certain.predict(X)[taken > 0].tolist() == answers


def test_a_list_without_rules_says_what_a_row_gets() -> None:
    X, y = np.full((6, 1), np.nan), list("aabbbb")
    model = crake.PrismClassifier().fit(X, y)
    assert str(model).endswith("0 rules, the first that holds decides\nno rule holds → b (6/2)")
    assert "If no rule holds:\n   target is b.  [right for 4 of 6 rows]" in model.to_text()
    assert "0 rules, 2 of 6 training rows wrong." in model.draw().svg()
    assert "The class shares of these rows" in str(model.explain([1.0]))
    found = duckdb.sql(model.to_sql("t").replace('"t"', "(SELECT 1.0 AS x0)")).df()
    assert found["predicted target"].tolist() == ["b"]


def test_one_rule_and_one_row_are_in_the_singular() -> None:
    frame = pd.DataFrame({"x": ["p", "q", "q"]})
    model = crake.PrismClassifier().fit(frame, ["a", "b", "b"])
    assert "right for 1 of 1 row]" in model.to_text()
    assert "1 of its 1 row\n" in str(model.explain({"x": "p"}))
    assert "no rows" in model.draw().svg()
    assert "Not drawn: 1 later rule." in model.draw(most=1).svg()
    assert "1 rule, 0 of 3 training rows wrong" in model.without_rule(2, frame, ["a", "b", "b"]).draw().svg()


def test_light_rows_give_the_same_classes() -> None:
    X = np.arange(40.0)[:, None]
    y, light = np.where(X[:, 0] < 10, "a", "b"), np.full(40, 1e-8)
    part = crake.PARTClassifier().fit(X, y, sample_weight=light)
    assert [rule.answer for rule in part.rules()] == ["b"]
    assert part.rules()[0].errors == pytest.approx(1e-7)
    prism = crake.PrismClassifier().fit(X, y, sample_weight=light)
    assert [rule.premise for rule in prism.rules()] == [
        rule.premise for rule in crake.PrismClassifier().fit(X, y).rules()
    ]


@pytest.mark.parametrize("number", [1.5, "1", True, None])
def test_what_is_no_number_of_a_rule_is_refused(number: object) -> None:
    frame = pd.DataFrame({"x": ["p", "q", "q"]})
    model = crake.PrismClassifier().fit(frame, ["a", "b", "b"])
    with pytest.raises(CrakeError, match="expected numbers from 1 to 2"):
        model.with_rules([number], frame, ["a", "b", "b"])


def test_too_many_rules_to_nest_are_refused_with_the_reason(
    model: RuleClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crake.export.sql.forms.MOST_RULES", 1)
    with pytest.raises(CrakeError, match=r"can hold 1 rules, got \d+: take missing='fails'"):
        model.to_sql()
    assert 'AS "rule"' in model.to_sql(missing="fails")
