"""Plans of several rounds: the fast way is refitting, the numbers are those of the plain twins."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from tests.plain import bootstrap632 as plain

import crake
from crake.evaluation.protocol.memory import out_of_fold
from crake.evaluation.result.constant import constant_answer
from crake.evaluation.result.data import InMemory
from crake.plans import Plan
from crake.table.examples import load
from crake.table.table import Table

PLANS: list[Plan] = [
    crake.CrossValidation(3, repeats=2),
    crake.RandomSubsampling(3),
    crake.Bootstrap(4),
    crake.Resubstitution(),
    crake.TimeOrdered(steps=2),
    crake.GroupedCrossValidation(np.arange(14) // 2, folds=3),
]
LEARNERS: list[Any] = [
    crake.MajorityClassifier(),
    crake.OneRuleClassifier(),
    crake.NaiveBayesClassifier(),
    crake.NaiveBayesClassifier(numeric="discretised"),
    crake.NaiveBayesClassifier(numeric="kernel"),
    crake.C45Classifier(),
    crake.CARTClassifier(),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_every_plan_is_plain_refitting(learner: Any, plan: Plan) -> None:
    golf = load("golf")
    found, _ = out_of_fold(learner, InMemory(golf), plan.rounds(golf.target, golf.schema.classes))
    at = 0
    for assignment in plan.rounds(golf.target, golf.schema.classes):
        answers = np.full((len(golf), 2), np.nan)
        for train, test in assignment.splits():
            answers[test] = clone(learner).fit(golf.take(train)).probabilities(golf, test)
        tested = np.flatnonzero(assignment.fold >= 0)
        lines = slice(at, at + len(tested))
        np.testing.assert_array_equal(found.rows[lines], tested)
        np.testing.assert_allclose(found.probabilities[lines], answers[tested], rtol=1e-9, atol=1e-12)
        at += len(tested)
    assert at == len(found.rows)


def replicates(learner: Any, table: Table, plan: crake.Bootstrap) -> list[plain.Replicate]:
    found = []
    for sample in plan.rounds(table.target, table.schema.classes):
        assert sample.copies is not None
        model = clone(learner).fit(table.take(np.repeat(np.arange(len(table)), sample.copies)))
        wrong = np.argmax(model.probabilities(table), axis=1) != table.target
        found.append(((sample.copies == 0).tolist(), wrong.tolist()))
    return found


@pytest.mark.parametrize("learner", [crake.OneRuleClassifier(), crake.C45Classifier()], ids=str)
@pytest.mark.parametrize("name", ["iris", "golf"])
def test_632_estimates_are_those_of_the_plain_twins(learner: Any, name: str) -> None:
    table = load(name)
    twins = replicates(learner, table, crake.Bootstrap(12))
    err1 = plain.leave_one_out_bootstrap(twins)
    answered = np.argmax(clone(learner).fit(table).probabilities(table), axis=1)
    err = float(np.mean(answered != table.target))
    expected = {
        "out-of-bag": err1,
        "632": 0.632 * err1 + 0.368 * err,
        "632-lecture": 1 - plain.lecture(twins),
        "632+": plain.plus(err1, err, table.target.tolist(), answered.tolist()),
    }
    for estimate, value in expected.items():
        plan = crake.Bootstrap(12, estimate=estimate)  # type: ignore[arg-type]
        evaluation = crake.evaluate(learner, table, plan=plan)
        assert float(evaluation.error) == pytest.approx(value, abs=1e-12), estimate
        assert float(evaluation.accuracy) == pytest.approx(1 - value, abs=1e-12)
        low, high = evaluation.error.interval or (1, 0)
        assert low <= value <= high


def test_632_plus_of_pure_overfitting_takes_the_rows_out_of_bag_alone() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    evaluation = crake.evaluate(DecisionTreeClassifier(random_state=0), X, y, plan=crake.Bootstrap(30))
    plain_632 = crake.evaluate(DecisionTreeClassifier(random_state=0), X, y, plan=crake.Bootstrap(30, estimate="632"))
    # Labels are unrelated to X: the honest error is one half, the training error 0.
    assert float(plain_632.error) < 0.36
    assert float(evaluation.error) == pytest.approx(0.5, abs=0.1)


def test_repeats_give_their_mean_and_an_interval_over_all_folds() -> None:
    iris = load("iris")
    repeated = crake.evaluate("c4.5", iris, plan=crake.CrossValidation(5, repeats=3))
    single = [crake.evaluate("c4.5", iris, plan=crake.CrossValidation(5, random_state=seed)) for seed in (1, 2, 3)]
    for measure in ("accuracy", "kappa", "auc", "log_loss", "f1"):
        mean = np.mean([float(getattr(each, measure)) for each in single])
        assert float(getattr(repeated, measure)) == pytest.approx(mean, abs=1e-12), measure
    folds = [float(part.accuracy) for each in single for part in each.by_fold()]
    assert len(folds) == 15
    half = 2.144787 * np.sqrt((1 / 15 + 30 / 120) * np.var(folds, ddof=1))  # t of 14 degrees of freedom
    low, high = repeated.accuracy.interval or (0, 0)
    assert (high - low) / 2 == pytest.approx(half, rel=1e-6)


def test_time_ordered_steps_test_different_rows_and_are_pooled() -> None:
    evaluation = crake.evaluate("naive-bayes", load("iris"), plan=crake.TimeOrdered(np.arange(150) % 50, steps=4))
    assert evaluation.out_of_fold.repeats == 1
    assert len(evaluation.out_of_fold.rows) == 120
    assert evaluation.accuracy.method == "Wilson 95 %"


def test_a_column_groups_the_rows_and_is_not_learned_from() -> None:
    frame = {"who": ["a", "b", "c", "d"] * 10, "x": list(range(40)), "y": ["no", "yes"] * 20}
    table = crake.read(pd.DataFrame(frame), target="y")
    evaluation = crake.evaluate("c4.5", table, plan=crake.GroupedCrossValidation("who", folds=4))
    fold = evaluation.out_of_fold.fold
    assert all(len(set(fold[who::4])) == 1 for who in range(4))
    assert evaluation.context is not None
    assert "who" not in evaluation.context.table.schema
    assert "groups by who" in evaluation.plan
    with pytest.raises(crake.CrakeError, match="Did you mean 'who'"):
        crake.evaluate("c4.5", table, plan=crake.GroupedCrossValidation("whom", folds=4))
    with pytest.raises(crake.CrakeError, match="is the target"):
        crake.evaluate("c4.5", table, plan=crake.GroupedCrossValidation("y", folds=4))
    with pytest.raises(crake.CrakeError, match="is nominal; expected numbers"):
        crake.evaluate("c4.5", table, plan=crake.TimeOrdered("who"))


class SeenColumns(DecisionTreeClassifier):
    """A tree of another library that keeps the names of the columns it is fitted on."""

    seen: ClassVar[list[list[str]]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.seen.append(list(X.columns))
        return super().fit(X, y)


def test_learners_of_other_libraries_do_not_learn_from_the_groups_either() -> None:
    X = pd.DataFrame({"who": np.repeat(np.arange(10.0), 4), "x": np.arange(40.0)})
    y = np.where(X["who"] % 2 == 0, "even", "odd")
    plan = crake.GroupedCrossValidation("who", folds=2)
    SeenColumns.seen.clear()
    alone = crake.evaluate(SeenColumns(random_state=0), X, y, plan=plan)
    together = crake.compare(X, y, learners=["majority", SeenColumns(random_state=0)], plan=plan)
    assert all(columns == ["x"] for columns in SeenColumns.seen)
    assert np.array_equal(alone.out_of_fold.probabilities, together.evaluations[1].out_of_fold.probabilities)
    assert "who groups the rows and is not learned from" in alone.notes


def test_a_plan_that_names_a_column_is_written_as_it_was_given() -> None:
    plan = crake.GroupedCrossValidation("petal width (cm)", folds=3)
    lines = crake.compare(load("iris"), learners=["majority", "1r"], plan=plan).leaderboard().reproduce
    assert dict(lines)["Python"].endswith(f", plan=crake.{plan!r})")
    assert "by='petal width (cm)'" in dict(lines)["Python"]


def test_folds_fitted_at_the_same_time_are_the_same() -> None:
    iris = load("iris")
    alone = crake.evaluate("c4.5", iris)
    together = crake.evaluate("c4.5", iris, n_jobs=2)
    np.testing.assert_array_equal(alone.out_of_fold.probabilities, together.out_of_fold.probabilities)
    np.testing.assert_array_equal(alone.out_of_fold.fold, together.out_of_fold.fold)


def test_progress_counts_the_folds_of_all_rounds() -> None:
    heard: list[tuple[int, int]] = []
    plan = crake.CrossValidation(3, repeats=2)
    for learner in ("naive-bayes", "c4.5"):
        heard.clear()
        crake.evaluate(learner, load("iris"), plan=plan, progress=lambda done, total: heard.append((done, total)))
        assert heard == [(k, 6) for k in range(1, 7)]


@pytest.mark.parametrize("estimate", ["632+", "632", "632-lecture", "out-of-bag"])
def test_the_constant_answer_beside_a_bootstrap_has_its_own_training_error(estimate: Any) -> None:
    golf = load("golf")
    plan = crake.Bootstrap(20, estimate=estimate)
    constant = constant_answer(crake.evaluate("id3", golf, plan=plan))
    other = constant_answer(crake.evaluate("1r", golf, plan=plan))
    assert constant.accuracy.value == other.accuracy.value  # whatever it stands beside
    if estimate != "632-lecture":
        assert constant.accuracy.value == pytest.approx(9 / 14)
