"""Balanced: training rows alone are balanced, probabilities are put back, and it goes wherever a learner goes."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from scipy.stats import beta
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import crake
from crake.balance.names import SAMPLERS, sampler_by_name
from crake.balance.prior import corrected, prior_factors
from crake.errors import CrakeError

N = 400


def rare(rows: int = N, seed: int = 0, share: float = 0.1) -> crake.Table:
    """Two normal columns and a nominal one; the rare class lies one deviation further."""
    rng = np.random.default_rng(seed)
    is_rare = rng.random(rows) < share
    columns = {
        "a": rng.normal(is_rare * 1.0),
        "b": rng.normal(is_rare * 1.0),
        "c": np.where(rng.random(rows) < 0.3 + 0.4 * is_rare, "x", "y"),
        "class": np.where(is_rare, "yes", "no"),
    }
    return crake.read(pa.table(columns), target="class")


TABLE = rare()
NAMED = [sampler_by_name(name) for name in SAMPLERS if name != "gan"]
"""The samplers of the command line. A GAN takes minutes to learn; it draws its rows through the same `sample`."""
PLANS = (
    crake.CrossValidation(3),
    crake.Holdout(0.4),
    crake.Bootstrap(2),
    crake.RandomSubsampling(2),
    crake.GroupedCrossValidation(np.arange(N) % 7, folds=3),
    crake.TimeOrdered(np.arange(N), steps=3),
)


@pytest.mark.parametrize("sampler", [*NAMED, crake.Weights({"yes": 3}), crake.Oversample(0.5)], ids=repr)
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: type(plan).__name__)
def test_tested_rows_are_untouched_and_figures_are_those_of_a_loop(sampler: Any, plan: Any) -> None:
    """A loop written by hand: resample the training part, fit, predict the test part as it is, correct the prior."""
    learner = crake.C45Classifier()
    result = crake.evaluate(crake.Balanced(learner, sampler), TABLE, plan=plan).out_of_fold
    np.testing.assert_array_equal(result.actual, TABLE.target[result.rows])
    expected = []
    for assignment in plan.rounds(TABLE.target, TABLE.schema.classes):
        of_round = []
        for train, test in assignment.splits():
            training = TABLE.take(train)
            balanced = sampler.fit_resample(training)
            weights = np.ones(len(balanced)) if balanced.weights is None else balanced.weights
            before = np.bincount(training.target) / len(training)
            after = np.bincount(balanced.target, weights) / weights.sum()
            raw = crake.C45Classifier().fit(balanced).predict_proba(TABLE.take(test))
            raised = raw * (before / after)
            of_round.append((test, raised / raised.sum(axis=1, keepdims=True), raw.argmax(axis=1)))
        columns = [np.concatenate(each) for each in zip(*of_round, strict=True)]
        expected.append([each[np.argsort(columns[0])] for each in columns])
    rows, probabilities, codes = (np.concatenate(each) for each in zip(*expected, strict=True))
    np.testing.assert_array_equal(result.rows, rows)
    np.testing.assert_allclose(result.probabilities, probabilities, atol=1e-12)
    np.testing.assert_array_equal(result.predicted, codes)


@functools.cache
def large_tables() -> tuple[crake.Table, crake.Table]:
    """Rows to learn from, and others to test."""
    return rare(200_000, 1, 0.05), rare(20_000, 2, 0.05)


def outside(table: crake.Table, probabilities: Any) -> int:
    """Count, of ten bins of equally many rows, those whose mean probability is outside the interval of their share.

    The intervals are Clopper and Pearson's, 95 % of the time right for all bins together.
    """
    level, count = 0.05 / 10, 0
    for rows in np.array_split(np.argsort(probabilities, kind="stable"), 10):
        found, n = int(np.sum(table.target[rows] == 1)), len(rows)
        low = beta.ppf(level / 2, found, n - found + 1) if found else 0.0
        high = beta.ppf(1 - level / 2, found + 1, n - found)
        count += not low <= probabilities[rows].mean() <= high
    return count


@pytest.mark.parametrize("sampler", [crake.Weights(), crake.Undersample(), crake.Oversample(0.5)], ids=repr)
def test_the_prior_correction_is_calibrated_and_without_it_nothing_is(sampler: Any) -> None:
    """Naive Bayes is the true model of the table: put back, its probabilities are within their intervals."""
    large, new = large_tables()
    for correct_prior, bins in ((True, 0), (False, 10)):
        model = crake.Balanced(crake.NaiveBayesClassifier(), sampler, correct_prior=correct_prior).fit(large)
        assert outside(new, model.predict_proba(new)[:, 1]) == bins


def test_k_classes_are_corrected_each_by_its_share() -> None:
    iris = crake.read("iris").take(np.r_[0:50, 50:70, 100:105])
    model = crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights()).fit(iris)
    np.testing.assert_allclose(model.factors_, np.array([50, 20, 5]) / 75 * 3)
    raw = model.estimator_.predict_proba(iris) * np.array([50, 20, 5])
    np.testing.assert_allclose(model.predict_proba(iris), raw / raw.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(iris)), model.predict_proba(iris), atol=1e-12)


def test_balanced_answers_find_the_rare_class() -> None:
    by_balance = crake.Balanced(crake.C45Classifier(), crake.Weights()).fit(TABLE)
    by_share = crake.Balanced(crake.C45Classifier(), crake.Weights(), decision="probable").fit(TABLE)
    np.testing.assert_array_equal(by_balance.predict_proba(TABLE), by_share.predict_proba(TABLE))
    np.testing.assert_array_equal(by_balance.predict(TABLE), by_balance.estimator_.predict(TABLE))
    np.testing.assert_array_equal(by_share.predict(TABLE), by_share.classes_[by_share.predict_proba(TABLE).argmax(1)])
    assert (by_balance.predict(TABLE) == "yes").sum() > (by_share.predict(TABLE) == "yes").sum()


@pytest.mark.parametrize("learner", [crake.NaiveBayesClassifier(), crake.NaiveBayesClassifier(numeric="kernel")])
def test_weights_of_naive_bayes_take_one_pass_and_give_the_folds_of_refitting(learner: Any, monkeypatch: Any) -> None:
    balanced = crake.Balanced(learner, crake.Weights())
    assert balanced.one_pass
    gathered: list[int] = []
    original = type(learner).gather
    monkeypatch.setattr(
        type(learner),
        "gather",
        lambda self, table, *a, **k: gathered.append(len(table)) or original(self, table, *a, **k),
    )
    result = crake.evaluate(balanced, TABLE, plan=crake.CrossValidation(4)).out_of_fold
    assert gathered.count(N) == 1
    for fold in range(4):
        test = result.rows[result.fold == fold]
        model = balanced.fit(TABLE.take(np.setdiff1d(np.arange(N), test)))
        np.testing.assert_allclose(
            result.probabilities[result.fold == fold], model.predict_proba(TABLE.take(test)), atol=1e-12
        )
        np.testing.assert_array_equal(
            np.array(TABLE.schema.classes)[result.predicted[result.fold == fold]], model.predict(TABLE.take(test))
        )


def test_it_goes_into_other_wrappers_and_ensembles_and_they_into_it() -> None:
    tree = crake.Balanced(crake.CARTClassifier(max_depth=3), crake.Undersample())
    wrapped = (
        crake.Tuned(tree, {"estimator__max_depth": [1, 3], "sampler": [crake.Weights(), crake.Undersample()]}),
        crake.Calibrated(tree, plan=crake.CrossValidation(3)),
        crake.WithCutoff(tree, by="recall", least=0.8, positive="yes", plan=crake.CrossValidation(3)),
        crake.BaggingClassifier(tree, n_estimators=3),
        crake.AdaBoostClassifier(tree, n_estimators=3),
        crake.Balanced(crake.Tuned(crake.CARTClassifier(), {"max_depth": [1, 3]}), crake.Oversample()),
        crake.Balanced(crake.ForestClassifier(3), crake.Weights()),
        crake.Balanced(crake.Selected(crake.NaiveBayesClassifier()), crake.Undersample()),
    )
    for learner in wrapped:
        model = learner.fit(TABLE)
        probabilities = model.predict_proba(TABLE)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert set(model.predict(TABLE)) <= {"yes", "no"}


def test_members_of_ensembles_draw_their_own_rows() -> None:
    tree = crake.Balanced(crake.C45Classifier(), crake.Undersample())
    for ensemble in (
        crake.BaggingClassifier(tree, n_estimators=4, max_samples=1.0),
        crake.AdaBoostClassifier(tree, n_estimators=4),
    ):
        members = ensemble.fit(TABLE).estimators_
        assert len({member.random_state for member in members}) == len(members) > 1


def test_learners_of_other_libraries_get_rows_and_are_corrected() -> None:
    X = np.column_stack([TABLE.column("a"), TABLE.column("b")])
    y = np.array(TABLE.schema.classes)[TABLE.target]
    for sampler in (crake.Undersample(), crake.Oversample(), crake.Weights()):
        model = crake.Balanced(LogisticRegression(), sampler).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
        raw = model.estimator_.predict_proba(X)
        np.testing.assert_allclose(model.predict_proba(X), corrected(raw, model.factors_))
        np.testing.assert_allclose(model.factors_, prior_factors(model.balance_.before, np.array([0.5, 0.5])))
    with pytest.raises(CrakeError, match="takes no sample_weight; take Oversample"):
        crake.Balanced(KNeighborsClassifier(), crake.Weights()).fit(X, y)
    assert len(crake.Balanced(KNeighborsClassifier(), crake.Oversample()).fit(X, y).estimator_._fit_X) > N
    assert crake.evaluate(crake.Balanced(LogisticRegression(), crake.Oversample()), X, y).accuracy > 0.5


def test_weights_of_rows_are_copies_of_rows() -> None:
    copies = np.random.default_rng(0).integers(0, 3, N)
    for learner in (crake.C45Classifier(), crake.NaiveBayesClassifier()):
        weighted = crake.Balanced(learner, crake.Weights()).fit(TABLE, sample_weight=copies)
        copied = crake.Balanced(learner, crake.Weights()).fit(TABLE.take(np.repeat(np.arange(N), copies)))
        np.testing.assert_allclose(weighted.predict_proba(TABLE), copied.predict_proba(TABLE), atol=1e-9)


def test_a_model_file_holds_the_learner_and_the_shares_and_no_row(tmp_path: Path) -> None:
    for sampler in (crake.Weights(), crake.Undersample({"no": 60}, random_state=2)):
        model = crake.Balanced(crake.C45Classifier(), sampler).fit(TABLE)
        crake.save(model, tmp_path / "model.crake")
        again = crake.load(tmp_path / "model.crake")
        np.testing.assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))
        np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))
        assert str(again) == str(model)


def test_what_was_done_is_said() -> None:
    model = crake.Balanced(crake.C45Classifier(), crake.Undersample()).fit(TABLE)
    text = str(model)
    assert text.startswith(
        "Balanced by undersampling\n  class  rows   share  rows after  share after\n  no      358  89.5 %"
    )
    assert "Its probabilities are put back to the shares before balancing." in text
    workings = model.explain({"a": 2.0, "b": 1.0, "c": "x"})
    assert workings["yes"] == pytest.approx(
        model.predict_proba(TABLE.take(np.array([0])).select(["a", "b", "c"])).shape[1], abs=2
    )
    assert "Put back to the shares before balancing" in str(workings)


def test_drawings_say_that_their_probabilities_are_of_balanced_classes() -> None:
    """The note has the factor of the odds between the drawn probabilities and those of `predict_proba`."""
    model = crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights()).fit(TABLE)
    notes = model.draw("nomogram").finding
    drawn, put_back = (each.predict_proba(TABLE)[0] for each in (model.estimator_, model))
    odds = (put_back[1] / put_back[0]) / (drawn[1] / drawn[0])
    assert f" of balanced classes, and predict_proba puts them back: the odds of yes times {odds:.4g}" in notes
    assert "Its probabilities are put back" not in notes


ANSWER = "It answers with the class that is most probable among balanced classes."


def test_a_wrapper_that_answers_itself_leaves_the_balanced_answer_out() -> None:
    few, plan = rare(80, share=0.3), crake.CrossValidation(2)
    bayes = crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights())
    tuned = crake.Tuned(bayes, {"estimator__alpha": [1]}, plan=plan)
    assert ANSWER in str(crake.Selected(tuned, k=2).fit(few))
    inner = (bayes, tuned, crake.Selected(bayes, k=2))
    for wrapped in (crake.Calibrated(bayes, plan=plan), *(crake.WithCutoff(each, cutoff=0.1) for each in inner)):
        text = str(wrapped.fit(few))
        assert ANSWER not in text
        assert "Its probabilities are put back to the shares before balancing." in text


def test_the_report_leaves_the_balanced_answer_out_under_a_cutoff() -> None:
    few, bayes = rare(80, share=0.3), crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights())
    for learner, has_answer in ((bayes, True), (crake.WithCutoff(bayes, cutoff=0.1), False)):
        text = str(crake.evaluate(learner, few, plan=crake.Holdout(0.4)).report())
        assert (ANSWER in text) == has_answer
        assert "Its probabilities are put back" in text


def test_a_class_that_no_training_row_has_is_said_and_answered_with_nothing() -> None:
    iris = crake.read("iris").take(np.r_[0:30, 50:60])
    with pytest.warns(crake.CrakeWarning, match="No training row has the class virginica"):
        model = crake.Balanced(crake.C45Classifier(), crake.Oversample()).fit(iris)
    assert not model.predict_proba(iris)[:, 2].any()
    workings = str(model.explain(iris.take(np.array([0]))))
    assert "no training row has the class" in workings
    assert "0/0" not in workings


def test_x_of_learners_of_other_libraries_is_not_read_where_no_row_is_made_up() -> None:
    labels = ["no"] * 9 + ["yes"] * 3
    texts = ["plain words"] * 9 + ["win money"] * 3
    model = crake.Balanced(make_pipeline(CountVectorizer(), LogisticRegression()), crake.Oversample())
    assert model.fit(texts, labels).predict(["money"]).tolist() == ["yes"]
    sparse = scipy.sparse.csr_matrix(np.arange(12.0)[:, None])
    assert crake.Balanced(LogisticRegression(), crake.Weights()).fit(sparse, labels).balance_.after[1] == 0.5


def test_notes_of_the_sample_of_a_learner_of_another_library_are_warnings() -> None:
    with pytest.warns(crake.CrakeWarning, match="SMOTE took fewer than 5 neighbours of class 1: 2, as"):
        crake.Balanced(LogisticRegression(), crake.SMOTE()).fit(np.arange(12.0)[:, None], [0] * 9 + [1] * 3)


def test_the_title_keeps_its_capitals() -> None:
    model = crake.Balanced(crake.C45Classifier(), crake.SMOTE()).fit(TABLE)
    assert str(model).startswith("Balanced by SMOTE\n")


@pytest.mark.parametrize(
    ("learner", "sampler", "message"),
    [
        (crake.WithCutoff(crake.C45Classifier()), None, r"write WithCutoff\(Balanced\(learner\)\)"),
        (crake.C45Classifier(class_weight="balanced"), None, "would weigh the balanced rows once more"),
        (crake.BaggingClassifier(crake.C45Classifier(class_weight={"yes": 9})), None, "once more"),
        (crake.Tuned(crake.C45Classifier(), {"class_weight": [None, "balanced"]}), None, "once more"),
        (make_pipeline(LogisticRegression(class_weight="balanced")), None, "once more"),
        (crake.BaggingClassifier(crake.Balanced()), crake.SMOTE(), "balanced, too, and would be balanced twice"),
        (crake.Balanced(sampler=crake.SMOTE()), None, "by SMOTE, and would balance the balanced rows once more"),
        (crake.BaggingClassifier(crake.Calibrated()), crake.SMOTE(), r"write Calibrated\(Balanced\(learner, SMOTE"),
        (GridSearchCV(LogisticRegression(), {}), crake.SMOTE(), "GridSearchCV holds rows out, and made-up rows"),
        (CalibratedClassifierCV(LogisticRegression()), crake.Oversample(), "holds rows out, and copies of the other"),
        (crake.C45Classifier(), crake.Undersample(2.5), "a ratio is above 0 and at most 1"),
        (crake.C45Classifier(), "under", "sampler"),
        (crake.C45Classifier(), crake.Undersample, "make one of the class, as in Undersample"),
    ],
)
def test_what_cannot_be_is_refused(learner: Any, sampler: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        crake.Balanced(learner, sampler).fit(TABLE)


def test_a_note_is_said_once_in_an_evaluation_and_in_a_search() -> None:
    """Five folds have four or five rows of yes: the note is that of the first."""
    few = TABLE.take(np.r_[np.flatnonzero(TABLE.target == 0)[:40], np.flatnonzero(TABLE.target == 1)[:6]])
    learner = crake.Balanced(crake.NaiveBayesClassifier(), crake.SMOTE())
    for run in (
        lambda: crake.evaluate(learner, few, plan="cv4"),
        lambda: crake.compare(few, learners=["majority", "naive-bayes", "1r"], balance="smote", plan="cv4"),
        lambda: crake.Tuned(learner, {"estimator__alpha": [0.5, 1]}, plan=crake.CrossValidation(3)).fit(few),
        lambda: crake.BaggingClassifier(learner, n_estimators=4).fit(few),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        assert [str(w.message).partition(":")[0] for w in caught] == ["SMOTE took fewer than 5 neighbours of class yes"]


def test_learners_that_hold_rows_out_say_that_made_up_rows_are_among_them() -> None:
    for learner, does in (
        (crake.REPTreeClassifier(), "REPTree is pruned"),
        (crake.BaggingClassifier(crake.RIPPERClassifier(), n_estimators=2), "RIPPER is pruned"),
        (crake.BoostedTreesClassifier(3, n_iter_no_change=2), "is stopped"),
    ):
        with pytest.warns(crake.CrakeWarning, match=f"Made-up rows are among those by which .*{does}"):
            model = crake.Balanced(learner, crake.SMOTE()).fit(TABLE)
        assert "Made-up rows are among" in str(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crake.Balanced(crake.REPTreeClassifier(), crake.Oversample()).fit(TABLE)
        crake.Balanced(crake.REPTreeClassifier(pruning=None), crake.SMOTE()).fit(TABLE)


def test_weights_learn_from_a_scan_and_others_say_why_not(tmp_path: Path) -> None:
    path = tmp_path / "rare.csv"
    TABLE.to_pandas().to_csv(path, index=False)
    scan = crake.read(path, target="class", in_memory=False)
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(), crake.MajorityClassifier()):
        balanced = crake.Balanced(learner, crake.Weights())
        one, other = balanced.fit(scan), crake.Balanced(learner, crake.Weights()).fit(crake.read(path, target="class"))
        np.testing.assert_allclose(one.predict_proba(TABLE), other.predict_proba(TABLE), atol=1e-12)
        assert one.balance_.grid() == other.balance_.grid()
    folds = crake.evaluate(crake.Balanced(crake.NaiveBayesClassifier(), crake.Weights()), scan, plan="cv4").out_of_fold
    assert len(folds.rows) == N
    for learner, sampler, words in (
        (crake.NaiveBayesClassifier(), crake.Undersample(), "NaiveBayesClassifier balanced by undersampling"),
        (crake.C45Classifier(), crake.Weights(), "C45Classifier balanced by weights"),
    ):
        with pytest.raises(CrakeError, match=rf"is scanned, and {words} needs rows in memory; .*take Weights\(\)"):
            crake.Balanced(learner, sampler).fit(scan)
