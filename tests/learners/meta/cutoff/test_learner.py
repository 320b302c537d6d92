"""WithCutoff: chosen on rows held out, used by every answer, honest in an evaluation, kept by model files."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.contract.estimators import title
from tests.contract.scikit_learn_checks import broken_checks

import crake
from crake.learners.registry import title_of
from crake.metrics.cost.measures import mean_cost
from crake.metrics.cutoffs import choose_cutoff
from crake.metrics.ranking.ranking import rank_scores
from crake.table.convert.frames import from_xy
from crake.table.examples import load

BREAST, IRIS = load("breast-cancer"), load("iris")
CLASSES = BREAST.schema.classes
MALIGNANT = CLASSES.index("malignant")


def held_out(learner: Any, table: Any, plan: Any) -> np.ndarray:
    """Plainly: a clone fitted on each training part answers the test part."""
    found = np.empty((len(table), len(table.schema.classes)))
    for train, test in plan.assign(table.target, table.schema.classes).splits():
        found[test] = clone(learner).fit(table.take(train)).probabilities(table, test)
    return found


def assert_same(one: Any, other: Any) -> None:
    """Moments of one pass and of refitting agree within 1e-12; the calls are the same."""
    assert one.value == pytest.approx(other.value, rel=1e-9)
    assert one.reached == pytest.approx(other.reached, rel=1e-9)
    assert one.matrix(1, 0).counts.tolist() == other.matrix(1, 0).counts.tolist()


WAYS = [
    ({"by": "cost", "cost_fp": 1, "cost_fn": 20}, "cost", {"cost_fp": 1, "cost_fn": 20}),
    ({"by": "cost", "cost_fn": 3, "prior": 0.1}, "cost", {"cost_fn": 3, "prior": 0.1}),
    ({"by": "f", "beta": 2}, "f", {"beta": 2}),
    ({"by": "youden"}, "youden", {}),
    ({"by": "recall", "least": 0.97}, "recall", {"least": 0.97}),
    ({"by": "precision", "least": 0.9}, "precision", {"least": 0.9}),
    ({"by": "share", "share": 0.2}, "share", {"share": 0.2}),
    ({"by": "prior", "prior": 0.05}, "prior", {"new": 0.05}),
]


@pytest.mark.parametrize(("given", "by", "options"), WAYS, ids=[way[0]["by"] for way in WAYS])
@pytest.mark.parametrize("inner", [crake.NaiveBayesClassifier(), crake.CARTClassifier(max_depth=2)], ids=repr)
def test_the_cutoff_is_chosen_on_rows_not_seen(inner: Any, given: Any, by: str, options: Any) -> None:
    """By hand: five refits, one ranking, one choice."""
    model = crake.WithCutoff(inner, **given).fit(BREAST)
    found = held_out(inner, BREAST, crake.CrossValidation(5))
    expected = choose_cutoff(rank_scores(BREAST.target == MALIGNANT, found[:, MALIGNANT]), by, **options)
    assert_same(model.cutoff_, expected)
    assert model.positive_ == "malignant"
    probabilities = clone(inner).fit(BREAST).predict_proba(BREAST)
    np.testing.assert_array_equal(model.predict_proba(BREAST), probabilities)
    is_called = probabilities[:, MALIGNANT] >= expected.value
    assert model.predict(BREAST).tolist() == [CLASSES[MALIGNANT if c else 1 - MALIGNANT] for c in is_called]


def test_the_spread_is_what_the_folds_would_choose() -> None:
    plan = crake.CrossValidation(4, random_state=3)
    model = crake.WithCutoff(by="youden", plan=plan).fit(BREAST)
    found = held_out(crake.NaiveBayesClassifier(), BREAST, plan)
    values = sorted(
        choose_cutoff(rank_scores(BREAST.target[test] == MALIGNANT, found[test, MALIGNANT]), "youden").value
        for _, test in plan.assign(BREAST.target, CLASSES).splits()
    )
    spread = model.cutoff_spread_
    expected = (values[0], (values[1] + values[2]) / 2, values[-1])
    assert (spread.lowest, spread.median, spread.highest) == pytest.approx(expected, rel=1e-9)
    assert spread.folds == 4
    assert f"median {spread.median:.4g}" in str(model)


def test_all_rounds_of_a_repeated_plan_are_used() -> None:
    plan = crake.CrossValidation(3, repeats=2)
    model = crake.WithCutoff(by="youden", plan=plan).fit(BREAST)
    lines = [held_out(crake.NaiveBayesClassifier(), BREAST, crake.CrossValidation(3, random_state=s)) for s in (1, 2)]
    ranking = rank_scores(np.tile(BREAST.target == MALIGNANT, 2), np.concatenate(lines)[:, MALIGNANT])
    assert_same(model.cutoff_, choose_cutoff(ranking, "youden"))
    assert model.cutoff_spread_.folds == 6


def test_in_an_evaluation_the_choice_is_made_within_each_training_part() -> None:
    learner = crake.WithCutoff(crake.NaiveBayesClassifier(), cost_fp=1, cost_fn=20)
    plan = crake.CrossValidation(3)
    found = crake.evaluate(learner, BREAST, plan=plan)
    chosen = []
    for train, test in plan.assign(BREAST.target, CLASSES).splits():
        model = clone(learner).fit(BREAST.take(train))
        chosen.append(model.cutoff_.value)
        expected = model.predict(BREAST.take(test))
        assert [CLASSES[code] for code in found.out_of_fold.predicted[test]] == expected.tolist()
    assert len(set(chosen)) == 3
    assert found.name == "naive Bayes, cutoff by cost (cost_fp=1, cost_fn=20)"
    plain = crake.evaluate("naive-bayes", BREAST, plan=plan)
    np.testing.assert_allclose(found.out_of_fold.probabilities, plain.out_of_fold.probabilities, rtol=1e-8)


def test_in_a_comparison_by_cost_it_keeps_its_own_answers() -> None:
    costs = crake.CostMatrix.of_errors(CLASSES, "malignant", false_positive=1, false_negative=20)
    both = crake.compare(BREAST, learners=["naive-bayes", crake.WithCutoff(cost=costs)], cost=costs)
    plain, chosen = both.evaluations
    own = crake.evaluate(crake.WithCutoff(cost=costs), BREAST)
    np.testing.assert_array_equal(chosen.out_of_fold.predicted, own.out_of_fold.predicted)
    # Naive Bayes is far too sure of itself: its probabilities do not tell the costs, the cutoff chosen does better.
    assert float(mean_cost(chosen.confusion, costs)) < float(mean_cost(plain.confusion, costs))


def test_a_given_cutoff_is_used_as_it_is() -> None:
    model = crake.WithCutoff(cutoff=0.25, positive="benign").fit(BREAST)
    benign = model.predict_proba(BREAST)[:, CLASSES.index("benign")]
    assert (model.predict(BREAST) == "benign").tolist() == (benign >= 0.25).tolist()
    assert (model.cutoff_.value, model.cutoff_spread_, model.positive_) == (0.25, None, "benign")
    assert str(model).startswith("Cutoff: benign if P(benign) ≥ 0.25 (given)\n")


COSTS = [[0, 1, 1], [1, 0, 1], [1, 30, 0]]


@pytest.mark.parametrize(
    "cost",
    [
        COSTS,
        crake.CostMatrix(IRIS.schema.classes, np.array(COSTS, float)),
        {a: {b: COSTS[i][j] for j, b in enumerate(IRIS.schema.classes)} for i, a in enumerate(IRIS.schema.classes)},
    ],
    ids=["rows", "matrix", "mapping"],
)
def test_several_classes_by_least_expected_cost(cost: Any) -> None:
    model = crake.WithCutoff(cost=cost).fit(IRIS)
    expected = np.argmin(model.predict_proba(IRIS) @ np.array(COSTS), axis=1)
    assert model.predict(IRIS).tolist() == [IRIS.schema.classes[j] for j in expected]
    assert np.sum(model.predict(IRIS) == "virginica") > 52
    assert (model.cutoff_, model.positive_) == (None, None)
    assert "least expected cost" in str(model).splitlines()[0]


def test_one_class_against_the_rest() -> None:
    model = crake.WithCutoff(by="recall", least=1.0, positive="virginica").fit(IRIS)
    P = model.predict_proba(IRIS)
    answers = model.predict(IRIS)
    is_called = P[:, 2] >= model.cutoff_.value
    assert (answers == "virginica").tolist() == is_called.tolist()
    rest = np.array(IRIS.schema.classes)[np.argmax(P[:, :2], axis=1)]
    assert answers[~is_called].tolist() == rest[~is_called].tolist()
    assert is_called.sum() > 50


def test_several_classes_and_equal_costs_are_the_most_probable_class() -> None:
    model = crake.WithCutoff(cost_fp=2, cost_fn=2).fit(IRIS)
    assert model.predict(IRIS).tolist() == crake.NaiveBayesClassifier().fit(IRIS).predict(IRIS).tolist()
    assert "every error costs the same" in model.not_chosen_


def test_around_calibration() -> None:
    model = crake.WithCutoff(crake.Calibrated(), cost_fp=1, cost_fn=4).fit(BREAST)
    # Of calibrated probabilities the cutoff is near cost_fp / (cost_fp + cost_fn).
    assert 0.05 < model.cutoff_.value < 0.4
    assert title_of(model) == "naive Bayes, calibrated (sigmoid), cutoff by cost (cost_fp=1, cost_fn=4)"
    for wrong in (crake.Calibrated(crake.WithCutoff()), crake.WithCutoff(crake.WithCutoff())):
        with pytest.raises(crake.CrakeError, match="cutoff"):
            wrong.fit(BREAST)


def test_weights_are_copies_but_for_the_folds() -> None:
    """A given plan deals rows and copies alike: then weights and copies choose the same cutoff."""
    rows = np.arange(0, 569, 4)
    table, folds = BREAST.take(rows), np.arange(len(rows)) % 3
    weights = 1.0 + (np.arange(len(rows)) % 2)
    copies = np.repeat(np.arange(len(rows)), weights.astype(int))
    weighted = crake.WithCutoff(by="f", plan=crake.GivenFolds(folds)).fit(table.with_weights(weights))
    copied = crake.WithCutoff(by="f", plan=crake.GivenFolds(folds[copies])).fit(table.take(copies))
    assert weighted.cutoff_.value == pytest.approx(copied.cutoff_.value, rel=1e-9)
    assert weighted.cutoff_.true_positives == copied.cutoff_.true_positives


# Learners of other libraries.


def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    generator = np.random.default_rng(5)
    colour = generator.choice(["red", "green", "blue"], 240)
    size = generator.normal(size=240)
    y = np.where(generator.random(240) < np.where(colour == "red", 0.6, 0.15) * (1 + (size > 0)) / 2, "bad", "good")
    return pd.DataFrame({"colour": colour, "size": size}), y


def pipeline() -> Any:
    encoder = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    return make_pipeline(encoder, DecisionTreeClassifier(max_depth=4, random_state=0))


def test_a_pipeline_gets_the_frame_as_it_is() -> None:
    X, y = mixed()
    model = crake.WithCutoff(pipeline(), cost_fp=1, cost_fn=3).fit(X, y)
    table = from_xy(X, y)
    splits = list(crake.CrossValidation(5).assign(table.target, table.schema.classes).splits())
    found = cross_val_predict(pipeline(), X, y, cv=splits, method="predict_proba")
    expected = choose_cutoff(rank_scores(y == "bad", found[:, 0]), "cost", cost_fp=1, cost_fn=3)
    assert model.cutoff_ == expected
    assert (model.predict(X) == "bad").tolist() == (model.predict_proba(X)[:, 0] >= expected.value).tolist()
    assert model.feature_names_in_.tolist() == ["colour", "size"]
    evaluation = crake.evaluate(model, X, y, plan=crake.CrossValidation(3))
    train, test = next(crake.CrossValidation(3).assign(table.target, table.schema.classes).splits())
    own = clone(model).fit(X.iloc[train], y[train]).predict(X.iloc[test])
    assert [evaluation.classes[code] for code in evaluation.out_of_fold.predicted[test]] == own.tolist()
    assert evaluation.name == "Pipeline, cutoff by cost (cost_fp=1, cost_fn=3)"


def test_around_learners_of_others_in_a_comparison_and_a_search() -> None:
    X, y = BREAST.to_xy()
    values = np.column_stack(X.columns)
    learners = [GaussianNB(), crake.WithCutoff(GaussianNB(), by="youden"), crake.WithCutoff(by="youden")]
    both = crake.compare(values, y, learners=learners, plan=crake.CrossValidation(3))
    assert both.evaluations[1].name == "GaussianNB, cutoff by youden"
    table = crake.compare(BREAST, learners=learners, plan=crake.CrossValidation(3))
    np.testing.assert_array_equal(table.evaluations[1].correct, both.evaluations[1].correct)
    search = GridSearchCV(
        crake.WithCutoff(GaussianNB(), by="share", share=0.3), {"share": [0.2, 0.4]}, cv=StratifiedKFold(2)
    )
    assert search.fit(values, y).best_params_ == {"share": 0.4}


def foreign_failures(estimator: Any) -> dict[str, str]:
    why = "copies of a row are dealt to several folds, a heavy row to one; as with TunedThresholdClassifierCV"
    if isinstance(estimator.estimator, DecisionTreeClassifier):  # it also takes sparse rows; its leaves are pure
        return dict.fromkeys([f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")], why)
    return {
        "check_sample_weight_equivalence_on_dense_data": why,
        "check_classifiers_train": "the answer is not the most probable class; as with TunedThresholdClassifierCV",
    }


@pytest.mark.parametrize(
    "estimator",
    [crake.WithCutoff(GaussianNB(), by="youden"), crake.WithCutoff(DecisionTreeClassifier(random_state=0), by="f")],
    ids=title,
)
def test_the_checks_of_scikit_learn_around_its_own(estimator: Any) -> None:
    assert broken_checks(estimator, foreign_failures(estimator)) == []


def test_rows_without_a_label_are_left_out_for_others_too() -> None:
    X, y = mixed()
    gappy = y.astype(object)
    gappy[::7] = None
    model = crake.WithCutoff(pipeline(), by="f").fit(X, gappy)
    known = np.arange(240) % 7 != 0
    assert model.left_out_ == 35
    assert model.cutoff_ == crake.WithCutoff(pipeline(), by="f").fit(X[known], y[known]).cutoff_


# Files, copies, workings.


@pytest.mark.parametrize(
    ("learner", "table"),
    [
        (crake.WithCutoff(crake.Calibrated(), by="recall", least=0.99), "breast-cancer"),
        (crake.WithCutoff(by="share", share=0.0), "breast-cancer"),
        (crake.WithCutoff(by="precision", least=0.01), "tax"),
        (crake.WithCutoff(cost=crake.CostMatrix(IRIS.schema.classes, COSTS)), "iris"),
        (crake.WithCutoff(crake.C45Classifier(), cutoff=0.1, positive="setosa", plan=crake.Holdout()), "iris"),
    ],
    ids=["recall", "no row", "every row", "costs", "given"],
)
def test_round_trip(learner: Any, table: str, tmp_path: Any) -> None:
    rows = load(table)
    model = clone(learner).fit(rows)
    crake.save(model, tmp_path / "m.crake")
    for copy in (crake.load(tmp_path / "m.crake"), pickle.loads(pickle.dumps(model))):
        assert copy.predict(rows).tolist() == model.predict(rows).tolist()
        assert (str(copy), repr(copy)) == (str(model), repr(model))
        assert (copy.cutoff_, copy.cutoff_spread_, copy.positive_) == (
            model.cutoff_,
            model.cutoff_spread_,
            model.positive_,
        )


def test_a_foreign_learner_in_a_file_is_refused(tmp_path: Any) -> None:
    X, y = mixed()
    with pytest.raises(crake.CrakeError, match="Pipeline cannot be saved: a model file holds learners of crake"):
        crake.save(crake.WithCutoff(pipeline()).fit(X, y), tmp_path / "m.crake")
    assert list(tmp_path.iterdir()) == []


def test_explained() -> None:
    worked = str(crake.WithCutoff(by="youden").fit(load("tax")).explain({"refund": "No"}))
    assert "P(refund = No | Yes) = (3 + 1)/(3 + 2) = 0.8" in worked
    assert "P(Yes) = 0.3816 ≥ 0.19, the cutoff" in worked
    assert "answer = Yes" in worked
    three = crake.WithCutoff(crake.MajorityClassifier(), cost=COSTS).fit(IRIS).explain([5.1, 3.5, 1.4, 0.2])
    said = "0.3333·1 + 0.3333·0 + 0.3333·30 = 10.33"
    assert f"cost of calling it versicolor = Σ P(actual) · C(called given actual) = {said}" in str(three)
    alone = crake.WithCutoff().fit([[1.0], [2.0]], ["a", "a"])
    assert "no cutoff: all rows are of class 'a'; the answer is a" in str(alone.explain([1.0]))


# What is refused.


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"by": "youden", "least": 0.9}, "a cutoff by 'youden' has no option 'least'; it has none"),
        ({"by": "f", "cost_fp": 1}, "no option 'cost_fp'; it has beta"),
        ({"by": "recall"}, "needs least, such as least=0.9"),
        ({"by": "prior"}, "needs prior, such as prior=0.1"),
        ({"cost": [[0, 1], [5, 0]], "cost_fp": 2}, "costs are given twice"),
        ({"cutoff": 0.3, "cost_fp": 2}, "cutoff = 0.3 is given, so cost_fp has no say"),
        ({"positive": "malign"}, "there is no class 'malign' to call positive"),
        ({"cost": [[0, 1, 2]]}, r"costs of shape \(1, 3\)"),
        ({"cost": [[0, np.nan], [1, 0]]}, "is nan; expected a finite number"),
        ({"cost": {"benign": {"bad": 1}}}, "'bad' has no line itself"),
        ({"by": "precision", "least": 1.0, "estimator": crake.MajorityClassifier()}, "no cutoff reaches a precision"),
    ],
)
def test_cutoff_options_that_do_not_go_together(given: Any, said: str) -> None:
    with pytest.raises(crake.CrakeError, match=said):
        crake.WithCutoff(**given).fit(BREAST)


@pytest.mark.parametrize("bad", [{"by": "auc"}, {"least": 1.5}, {"cost": "costs.csv"}, {"estimator": LinearSVC()}])
def test_bad_parameters_are_named(bad: Any) -> None:
    with pytest.raises(ValueError, match=f"The '{next(iter(bad))}' parameter"):
        crake.WithCutoff(**bad).fit(BREAST)


def test_several_classes_need_a_positive_one() -> None:
    for given in ({"by": "youden"}, {"cost_fn": 5}, {"cutoff": 0.3}):
        with pytest.raises(crake.CrakeError, match=r"there are 3 classes: say which one is meant, positive=…"):
            crake.WithCutoff(**given).fit(IRIS)
    with pytest.raises(crake.CrakeError, match="needs neither positive= nor prior="):
        crake.WithCutoff(cost=COSTS, positive="setosa").fit(IRIS)


def test_foreign_learners_take_no_table_and_no_weights_they_do_not_know() -> None:
    with pytest.raises(crake.CrakeError, match="GaussianNB is not one of crake's learners and takes no Table"):
        crake.WithCutoff(GaussianNB(), by="youden").fit(BREAST)
    X, y = mixed()
    with pytest.raises(crake.CrakeError, match=r"Pipeline\.fit takes no sample_weight"):
        crake.WithCutoff(pipeline()).fit(X, y, sample_weight=np.ones(240))
    with pytest.raises(crake.CrakeError, match="shows no calculation"):
        crake.WithCutoff(DummyClassifier()).fit(X, y).explain(X[:1])


def test_too_few_rows_to_hold_out_are_said() -> None:
    model = crake.WithCutoff(by="youden").fit([[1.0], [2.0]], ["a", "b"])
    assert model.not_chosen_.startswith("each of the 2 classes has 1 row")
    assert str(model).startswith("No cutoff: each of the 2 classes has 1 row")


def test_nothing_is_left_of_an_earlier_fit() -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6]})
    model = crake.WithCutoff().fit(frame, [*"xyxyxy"])
    model.set_params(estimator=GaussianNB()).fit(frame.to_numpy(), [*"xyxyxy"])
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(model, "schema_")
    assert "GaussianNB" in model._repr_html_()
