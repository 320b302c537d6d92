"""Learners of a comparison that fail: the others go on, and the failure is named with its reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier

import crake
from crake.errors import CrakeError, DataError, MemoryRefusal
from crake.evaluation.comparison import learners
from crake.evaluation.protocol.outcome import Outcome
from crake.evaluation.protocol.trials import LONGEST_REASON, Failure, Trials
from crake.learners.base.foreseen import refuse_too_large
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.table.convert.frames import from_xy
from crake.table.schema import Schema
from crake.workbench.learners.best import fit_best
from crake.workbench.progress import Progress
from crake.workbench.table import TableRequest
from crake.workbench.train import TrainRequest

COSTS = {"no": {"yes": 1}, "yes": {"no": 4}}
PLAN = crake.CrossValidation(2)
TWO = from_xy(np.arange(60.0).reshape(30, 2) % 7, ["no", "yes", "yes"] * 10)
"""Numbers, as learners of other libraries need them."""


class Failing(ClassifierMixin, BaseEstimator):
    """Raises what it is told to, in fit."""

    def __init__(self, error: BaseException | type | None = None) -> None:
        self.error = error

    def fit(self, X: object, y: object) -> Failing:
        if self.error is Own:
            raise Own(3, 4)
        raise ValueError("the knob\nis loose") if self.error is None else self.error

    def predict(self, X: object) -> object:
        raise AssertionError("never fitted")


class Own(Exception):
    """An error that no other process can make anew from its words."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(f"{rows} rows, {columns} columns")


class Wrong(ClassifierMixin, BaseEstimator):
    """Predicts what is no prediction."""

    def __init__(self, what: str) -> None:
        self.what = what

    def fit(self, X: object, y: object) -> Wrong:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self.classes_[:1], len(X) - (self.what == "short"))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        first = {"nan": np.nan, "negative": -0.5, "sum": 0.7}.get(self.what, 0.5)
        one = [first, 1.5] if self.what == "negative" else [first, 0.5]
        return np.tile(one, (len(X), 1))[:, : 1 if self.what == "one column" else 2]


class WrongNumbers(RegressorMixin, Wrong):
    """Predicts what are no numbers."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        numbers = np.full(len(X) - (self.what == "short"), np.nan if self.what == "nan" else 1.0)
        return numbers[:, None] if self.what == "one column" else numbers


class FailingNumbers(RegressorMixin, Failing):
    """A regressor that fails."""


class Full(Failing):
    """A learner that would take too much memory."""

    def fit(self, X: object, y: object) -> Failing:
        raise MemoryRefusal("9 GB")


@pytest.fixture
def usual_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the usual learners fails."""

    def failing(self: NaiveBayesClassifier, statistics: object) -> object:
        raise DataError("expected luck, got none; try again")

    monkeypatch.setattr(NaiveBayesClassifier, "estimate", failing)
    monkeypatch.setattr(learners, "compared", lambda *_, **__: ("majority", "1r", "naive-bayes"))


def test_a_learner_that_fails_is_named_with_its_reason_and_the_others_are_compared() -> None:
    comparison = crake.compare(TWO, learners=["majority", Failing(), "1r"], plan=PLAN)
    plain = crake.compare(TWO, learners=["majority", "1r"], plan=PLAN)
    assert [each.name for each in comparison] == ["majority class", "1R"]
    assert [each.accuracy.value for each in comparison] == [each.accuracy.value for each in plain]
    (failure,) = comparison.failures
    assert failure.to_dict() == {
        "learner": "Failing",
        "error": "ValueError",
        "reason": "ValueError: the knob is loose",
    }
    assert failure.error.__traceback__ is not None
    assert "Failing failed and is left out: ValueError: the knob is loose" in comparison.notes
    board = comparison.leaderboard()
    assert "is best of 2" in board.headline
    assert board.lead[0] == "Failing failed and is left out: ValueError: the knob is loose."
    assert comparison.to_dict()["failures"] == [failure.to_dict()]
    assert "knob" in comparison.to_html()
    assert plain.to_dict()["failures"] == []


def test_names_of_a_mapping_stay_with_the_learners_that_are_left() -> None:
    given = {"nothing": "majority", "loose": Failing(), "one rule": "1r"}
    comparison = crake.compare(TWO, learners=given, plan=PLAN, cost=COSTS)
    assert [each.name for each in comparison] == ["nothing", "one rule"]
    assert [each.name for each in comparison.failures] == ["loose"]


def test_test_tables_and_numbers_go_on() -> None:
    tested = crake.compare(TWO, learners=["majority", Failing(), "1r"], test=TWO)
    assert [each.name for each in tested.failures] == ["Failing"]
    X = np.arange(60.0).reshape(30, 2) % 7
    numbers = crake.compare(X, X[:, 0] + X[:, 1] ** 2, learners=["mean", FailingNumbers(), "linear"], plan=PLAN)
    assert [each.name for each in numbers] == ["mean", "linear regression"]
    assert "knob" in numbers.leaderboard().lead[0]


@pytest.mark.parametrize("where", ["folds", "test table"])
def test_what_is_no_prediction_fails_before_the_others_are_done(where: str) -> None:
    """Measures would raise when everything is done; a single column would be taken for both."""
    how: dict[str, object] = {"plan": PLAN} if where == "folds" else {"test": TWO}
    wrong = {what: Wrong(what) for what in ("nan", "negative", "sum", "short", "one column")}
    comparison = crake.compare(TWO, learners={"majority": "majority", **wrong, "1R": "1r"}, **how)
    reasons = {each.name: each.reason for each in comparison.failures}
    rows = 30 if where == "test table" else 15
    assert reasons == {
        "nan": "Wrong.predict_proba: the probabilities of row 0 are [nan, 0.5]; expected finite numbers",
        "negative": "Wrong.predict_proba: a probability of row 0 is -0.5; expected 0 or greater",
        "sum": "Wrong.predict_proba: the probabilities of row 0 sum to 1.2; expected 1",
        "short": f"Wrong.predict: expected an array of shape ({rows},), got one of shape ({rows - 1},)",
        "one column": f"Wrong.predict_proba: expected an array of shape ({rows}, 2), got one of shape ({rows}, 1)",
    }
    assert "is best of 2" in comparison.leaderboard().headline
    X = np.arange(60.0).reshape(30, 2) % 7
    how = how if where == "folds" else {"test": (X, X[:, 0])}
    learners = {"mean": "mean", **{w: WrongNumbers(w) for w in ("nan", "short", "one column")}, "linear": "linear"}
    numbers = crake.compare(X, X[:, 0] + X[:, 1] ** 2, learners=learners, **how)
    assert [each.name for each in numbers.failures] == ["nan", "short", "one column"]
    assert "is best of 2" in numbers.leaderboard().headline


@pytest.mark.parametrize("wrong", [crake.NaiveBayesClassifier, crake.LinearRegressor, crake.C45Classifier])
def test_a_learner_that_fails_on_the_rows_of_a_scan_is_left_out(
    wrong: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: object, *_: object, **__: object) -> object:
        raise DataError("expected luck")

    is_number = wrong is crake.LinearRegressor
    path = tmp_path / "table.csv"
    path.write_text("x,n,y\n" + "1,0.5,no\n2,1.5,yes\n3,1,yes\n" * 20)
    scan = crake.read(path, target="n" if is_number else "y", in_memory=False)
    learners = ["linear", "mean", "cart"] if is_number else ["naive-bayes", "c4.5", "1r"]
    plain = crake.compare(scan, learners=learners, plan=PLAN)
    monkeypatch.setattr(wrong, "predict" if is_number else "probabilities", failing)
    comparison = crake.compare(scan, learners=learners, plan=PLAN)
    ((failure),) = comparison.failures
    assert failure.reason == "expected luck"
    assert "expected luck" in comparison.leaderboard().lead[0]
    left = [each.name for each in plain if each.name != failure.name]
    assert [each.name for each in comparison] == left
    assert [plain[name].measures() for name in left] == [each.measures() for each in comparison]


@pytest.mark.usefixtures("usual_fails")
def test_a_usual_learner_that_fails_does_not_end_a_scan(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,no\n2,yes\n3,yes\n" * 20)
    scan = crake.read(path, target="y", in_memory=False)
    comparison = crake.compare(scan, learners=["majority", "naive-bayes", "1r"], plan=PLAN)
    assert [each.name for each in comparison] == ["majority class", "1R"]
    assert "expected luck" in comparison.leaderboard().lead[0]


def test_what_the_only_learner_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="the knob"):
        crake.compare(TWO, learners=[Failing()], plan=PLAN)
    with pytest.raises(ValueError, match="the knob"):  # a baseline alone is no comparison
        crake.compare(TWO, learners=["majority", Failing()], plan=PLAN)
    with pytest.raises(TypeError, match="first"):
        crake.compare(TWO, learners={"a": Failing(TypeError("first")), "b": Failing()}, plan=PLAN)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), MemoryRefusal("would take 9 GB")])
def test_ctrl_c_and_refusals_of_memory_end_the_comparison(error: BaseException) -> None:
    with pytest.raises(type(error)):
        crake.compare(TWO, learners=["majority", Failing(error), "1r"], plan=PLAN)


def test_a_fit_larger_than_the_machine_is_a_refusal_of_memory() -> None:
    with pytest.raises(MemoryRefusal, match="of this machine"):
        refuse_too_large(1e18, "a matrix", Schema(()))


def test_an_error_of_the_progress_ends_the_comparison() -> None:
    def progress(name: str, done: int, total: int) -> None:
        if name == "1R" and done:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        crake.compare("golf", learners=["majority", "1r", "naive-bayes", "id3"], plan=PLAN, progress=progress)


def test_an_error_of_hearing_the_outcome_ends_the_comparison() -> None:
    class Closed:
        def __call__(self, *_: object) -> None: ...

        def finished(self, outcome: Outcome) -> None:
            if isinstance(outcome.learner, crake.OneRuleClassifier):
                raise BrokenPipeError("nobody reads this")

    with pytest.raises(BrokenPipeError):
        crake.compare("golf", learners=["majority", "1r", "naive-bayes"], plan=PLAN, progress=Closed())


@pytest.mark.slow
def test_errors_that_cannot_be_sent_from_a_worker_are_sent_in_words() -> None:
    learners = {"majority": "majority", "own": Failing(Own), "1R": "1r"}
    (failure,) = crake.compare(TWO, learners=learners, plan=PLAN, n_jobs=2).failures
    assert failure.to_dict() == {"learner": "own", "error": "Own", "reason": "Own: 3 rows, 4 columns"}
    assert "raise" in "".join(failure.error.__notes__)
    result = crake.Experiment([TWO], learners, plan=PLAN, repeats=2).run(None, n_jobs=2)
    assert result.to_dict()["failures"][0]["reason"] == "Own: 3 rows, 4 columns"


def test_wrong_parameters_are_an_error_as_before() -> None:
    with pytest.raises(ValueError, match="confidence"):
        crake.compare("golf", learners=["majority", crake.C45Classifier(confidence=7.0), "1r"], plan=PLAN)


def test_a_long_reason_is_cut_in_the_note_and_whole_in_json() -> None:
    failure = Failure(0, "kNN", ValueError("x " * 400))
    assert len(str(failure)) <= LONGEST_REASON + len("KNN failed and is left out: ")
    assert str(failure).endswith("…")
    assert failure.to_dict()["reason"].endswith("x x")
    assert str(Failure(0, "kNN", ValueError("no rows."))) == "KNN failed and is left out: ValueError: no rows"
    assert str(Failure(0, "kNN", ArithmeticError())) == "KNN failed and is left out: ArithmeticError"


def test_only_baselines_left_raise_the_first_failure() -> None:
    trials = Trials([crake.MajorityClassifier(), DecisionTreeClassifier(), DecisionTreeClassifier()])
    for place in (1, 2):
        with trials.of(place):
            raise LookupError(place)
    with pytest.raises(LookupError, match="1"):
        trials.finished()
    trials = Trials([crake.MajorityClassifier(), crake.OneRuleClassifier()])
    assert trials.finished() == ()


@pytest.mark.usefixtures("usual_fails")
def test_train_best_warns_of_a_learner_that_fails() -> None:
    said: list[tuple[str, str]] = []

    class Heard(Progress):
        def notes(self, notes: object, kind: str = "note") -> None:
            said.extend((kind, str(each)) for each in notes)  # type: ignore[attr-defined]

    fit = fit_best(TrainRequest(TableRequest("golf"), "best", "golf.crake", plan="cv2"), crake.read("golf"), Heard())
    assert ("warning", "Naive Bayes failed and is left out: expected luck, got none; try again") in said
    assert isinstance(fit.model, crake.MajorityClassifier | crake.OneRuleClassifier)


def test_an_experiment_goes_on_without_a_learner_that_fails(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    learners = {"loose": Failing(), "majority": "majority", "one rule": "1r"}
    experiment = crake.Experiment({"two": TWO, "other": TWO.take(range(1, 29))}, learners, plan=PLAN, repeats=2)
    result = experiment.run(tmp_path / "r.duckdb", progress=lambda _, done, total: heard.append((done, total)))
    assert result.learners == ("majority", "one rule")
    assert result.baseline == 0
    assert result.notes[0] == "loose was to be the baseline and failed; majority is instead"
    assert result.notes[0] in str(result)
    assert result.viewed(baseline="one rule").notes == result.notes[1:]
    assert result.means().shape == (2, 2)
    assert heard[-1] == (8, 8)
    (failure,) = result.failures
    assert str(failure) == "loose failed on two, repeat 1 and is left out: ValueError: the knob is loose"
    assert failure.reason in str(result).replace("\n", " ")
    assert result.to_dict()["failures"] == [
        {
            "learner": "loose",
            "error": "ValueError",
            "reason": "ValueError: the knob is loose",
            "where": "on two, repeat 1",
        }
    ]
    again = experiment.run(tmp_path / "r.duckdb")  # the finished cells are there; the other is tried anew
    assert again.learners == result.learners
    assert np.array_equal(again.means(), result.means())


def test_an_experiment_raises_what_the_only_learner_raises_and_refusals_of_memory() -> None:
    with pytest.raises(CrakeError, match="the knob"):
        crake.Experiment([TWO], [Failing()], plan=PLAN, repeats=1).run(None)
    learners = {"full": Full(), "a": "majority", "b": "1r"}
    with pytest.raises(MemoryRefusal, match=r"full on .*: 9 GB"):
        crake.Experiment([TWO], learners, plan=PLAN, repeats=1).run(None)


class Picky(ClassifierMixin, BaseEstimator):
    """Learns from parts of the rows only."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Picky:
        if len(X) == 150:
            raise ValueError("too many rows.")
        self.tree_ = DecisionTreeClassifier(random_state=1).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)


def test_a_winner_that_cannot_be_fitted_to_all_rows_loses_no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = crake.compare("iris", learners=["majority", Picky()], plan=PLAN)
    assert comparison.best.name == "Picky"
    (check,) = (each for each in comparison.checks() if each.code == "not-fitted")
    assert str(check).startswith("Picky was tested, but cannot be fitted to all rows: ValueError: too many rows. Train")
    assert "too many rows" in comparison.to_html()
    with pytest.raises(ValueError, match="too many"):
        comparison.fit()
    numbers = crake.compare("iris", target="petal width (cm)", learners=["mean", "linear"], plan=PLAN)
    learn = crake.LinearRegressor.fit

    def picky(self: object, table: crake.Table, *more: object) -> object:
        if len(table) == 150:
            raise DataError("too many rows")
        return learn(self, table, *more)

    monkeypatch.setattr(crake.LinearRegressor, "fit", picky)
    assert "not-fitted" in [each.code for each in numbers.checks()]
    assert "too many rows" in numbers.to_html()
