"""AdaBoost: a weighted vote of members, each learned where the earlier ones were wrong."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.ensemble.adaboost.form import committee_form
from crake.learners.ensemble.adaboost.rounds import Rounds, Settings, boost, running_sum
from crake.learners.ensemble.adaboost.votes import decisions, probabilities_of
from crake.learners.ensemble.adaboost.workings import explained
from crake.learners.ensemble.base import EnsembleClassifier
from crake.learners.ensemble.error_curves import ErrorCurve
from crake.learners.ensemble.foreign import takes_weights
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.ensemble.shapley import vote_contributions
from crake.learners.tree.algorithms.stump import DecisionStump
from crake.learners.tree.explaining.shapley import Contributions
from crake.plans import Holdout
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.render.workings import Workings
from crake.table.convert.export import label_array
from crake.table.table import Table

SAMPLES = "rows are sampled by weight: copies of a row change the sample"
HOLDS_OUT = "copies of a row are dealt to both parts of the rows, a heavy row to one"


class AdaBoostClassifier(EnsembleClassifier):
    """Members vote with log((1 − e)/e) of their weighted error e; rows that a member has wrong weigh more for the next.

    Parameters
    ----------
    estimator : one of crake's classifiers, or one of another library; a decision stump if None. One whose `fit`
        takes no sample_weight learns from samples by weight.
    n_estimators : the most members; fewer if one is perfect or too bad (`stopped_` says why).
    variant : "samme": votes log((1 − e)/e) + log(K − 1), errors up to 1 − 1/K (Hastie et al., scikit-learn). "m1":
        errors below ½ and exp(votes) as probabilities, as WEKA's AdaBoostM1. "lecture": each member learns from a
        sample of the rows by weight. Its error counts all rows; from ½ on the weights start anew and the sample is
        drawn again.
    learning_rate : a factor of every vote.
    resample : members learn from samples by weight in place of weighted rows; "lecture" always does.
    n_iter_no_change : stop when the error on the rows held out has not fallen for this many rounds; None: never.
    validation_fraction : the share of the rows held out for that.
    generator : of the samples: "crake", or "weka" for those of WEKA with the same seed.
    random_state : the seed of samples and of the rows held out.

    Fitted: `estimators_`, `estimator_weights_` (the votes), `estimator_errors_`, `training_errors_` and
    `validation_errors_` of the committee after each round, `held_out_weight_` (of the rows held out), `stopped_`.

    >>> from crake.table.examples import load
    >>> model = AdaBoostClassifier(n_estimators=20).fit(load("breast-cancer"))
    >>> model.training_errors_[[0, 4, 19]].round(3).tolist()
    [0.081, 0.04, 0.012]

    Freund and Schapire (1997), A decision-theoretic generalization of on-line learning and an application to boosting.
    Hastie, Rosset, Zhu, Zou (2009), Multi-class AdaBoost.
    """

    card = Card(
        title="AdaBoost",
        about="vote of many stumps, each learned where others were wrong",
        model="a vote of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=False,
        probabilities="from the votes, too near ½",
        time="a sort per number, a pass per member",
        seconds=seconds_of(50, member=4e-4, cell=5e-9),
        usual_grid={"n_estimators": [10, 50]},
    )
    _for_regressors = "AdaBoostRegressor"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions({"samme", "m1", "lecture"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "resample": ["boolean"],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "generator": [StrOptions({"crake", "weka"})],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        variant: str = "samme",
        learning_rate: float = 1.0,
        resample: bool = False,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        generator: str = "crake",
        random_state: int = 1,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.variant = variant
        self.learning_rate = learning_rate
        self.resample = resample
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.generator = generator
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        learned, tested = self._parts(table)
        held_out = _HeldOut(tested, self.n_iter_no_change)
        rounds = boost(learned, self._inner_learner(), self._settings(), held_out.has_enough)
        kept = held_out.best if len(held_out.errors) else len(rounds.members)
        self.schema_, self.classes_ = table.schema, label_array(table.schema.classes)
        self._take(rounds, kept, held_out.errors)
        self.held_out_weight_ = float(held_out.weights.sum()) if len(held_out.errors) else 0.0

    def _parts(self, table: Table) -> tuple[Table, Table | None]:
        """Return the rows to learn from and those held out, if any are and if the rows can be parted."""
        if self.n_iter_no_change is None:
            return table, None
        plan = Holdout(train=1.0 - self.validation_fraction, random_state=self.random_state)
        try:
            learned, tested = plan.assign(table.target, table.schema.classes).split(0)
        except DataError:
            return table, None
        return table.take(learned), table.take(tested)

    def _settings(self) -> Settings:
        return Settings(
            self.variant,
            self.n_estimators,
            float(self.learning_rate),
            self._resamples(),
            self.generator,
            self.random_state,
        )

    def _resamples(self) -> bool:
        """Return True if members learn from samples by weight: as asked, or because they take no weights."""
        return self.resample or self.variant == "lecture" or not takes_weights(self._inner_learner())

    def _notes(self) -> tuple[str, ...]:
        """Return why members learn from samples, where nobody asked for it."""
        if self.resample or self.variant == "lecture" or takes_weights(self._inner_learner()):
            return ()
        learner = type(self.estimator).__name__
        return (f"{learner}.fit takes no sample_weight: each member learned from a sample of the rows by weight",)

    def _take(self, rounds: Rounds, kept: int, validation_errors: list[float]) -> None:
        self.estimators_ = rounds.members[:kept]
        self.estimator_weights_ = np.array(rounds.votes[:kept])
        self.estimator_errors_ = np.array(rounds.errors[:kept])
        self.training_errors_ = np.array(rounds.training_errors)
        self.validation_errors_ = np.array(validation_errors)
        self.stopped_ = rounds.stopped

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the probabilities of the summed votes; of a single member of "m1" its own."""
        *_, last = self._stages(table, rows)
        return last

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield P(class given row) of the first member, of the first two, and so on."""
        yield from self._stages(self._coded(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted classes of the first member, of the first two, and so on."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(probabilities, axis=1)]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy on other rows of the first member, of the first two, and so on."""
        y = np.asarray(y)
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == y, weights=sample_weight))

    def votes(self, X: Any) -> Floats:
        """Return the summed votes for each class, one row per row of X, one column per class of `classes_`."""
        table = self._coded(X)
        votes = np.zeros((len(table), len(self.classes_)))
        for member, vote in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes[np.arange(len(votes)), decisions(member, member.probabilities(table))] += vote
        return votes

    def _form(self) -> Form:
        return committee_form(self)

    def explain(self, row: Any) -> Workings:
        """Return the vote of each member, their sums by class, and the probabilities made of them."""
        table = self._one_row(row)
        return explained(self, table, self.probabilities(table)[0])

    def contributions(self, row: Any) -> Contributions:
        """Return what each column adds to the shares of the votes for a row: exact Shapley values; members are trees.

        `.base` is the mean of the members' mean votes, each by the weights that the rows had for it; base and
        `.columns` (columns, classes) add up to shares of `votes`.
        """
        return vote_contributions(self.estimators_, self._one_row(row), self.estimator_weights_, decisions)

    def draw(self, table: Table | None = None, *, width: float = 560) -> Drawing:
        """Draw the error of the committee by the number of members: on the training rows, and on rows held out.

        A labelled table of rows that were not learned from takes the place of those held out. The error on rows that
        were not learned from has its 95 % interval.
        """
        return self.draw_rounds(table, width=width)

    def member_note(self, number: int) -> str:
        """Return one sentence on a member: its number, its vote and its error."""
        place = self._place(number)
        vote, error = self.estimator_weights_[place], self.estimator_errors_[place]
        said = f"its vote is {vote:.4g}, its error on the training rows as they were weighted for it {error:.4f}"
        return f"Member {number} of {self.n_members_}: {said}."

    def _staged(self, table: Table) -> Iterator[Floats]:
        return self._stages(table)

    def _own_curves(self, *, is_tested: bool) -> list[ErrorCurve]:
        training = self.training_errors_
        if is_tested:  # rounds whose members were dropped are not drawn
            return [ErrorCurve.on_training_rows(training[: len(self.estimators_)])]
        held_out, weight = self.validation_errors_, self.held_out_weight_
        own = [ErrorCurve.of_shares("on the rows held out", held_out, weight)] if len(held_out) else []
        return [*own, ErrorCurve.on_training_rows(training)]

    def _notes_on_rounds(self) -> tuple[str, ...]:
        return (f"It stopped: {self.stopped_}.",) if self.stopped_ else ()

    def _subject(self) -> str:
        return f"variant {self.variant}"

    def _measured_on(self) -> str:
        return f"mean of {counted(self.n_members_, 'member')}, by their votes"

    def _name(self) -> str:
        return "AdaBoost"

    def _stages(self, table: Table, rows: NDArray[np.intp] | None = None) -> Iterator[Floats]:
        votes = np.zeros((len(table) if rows is None else len(rows), len(self.classes_)))
        here = np.arange(len(votes))
        for at, (member, vote) in enumerate(zip(self.estimators_, self.estimator_weights_, strict=True)):
            own: Floats = member.probabilities(table, rows)
            votes[here, decisions(member, own)] += vote
            yield own if at == 0 and self.variant == "m1" else probabilities_of(votes, self.variant)

    def _default_learner(self) -> Any:
        return DecisionStump()

    def _member_weights(self) -> Floats:
        return self.estimator_weights_

    def _weight_exception(self) -> str:
        if self._resamples():
            return SAMPLES
        return HOLDS_OUT if self.n_iter_no_change is not None else super()._weight_exception()

    def __str__(self) -> str:
        if not hasattr(self, "estimators_"):
            return repr(self)
        members = len(self.estimators_)
        lines = [f"AdaBoost ({self.variant}): {counted(members, 'member')}, {self._inner_learner()!r}"]
        lines.append(f"  error on the training rows {self.training_errors_[members - 1]:.4f}")
        if len(self.validation_errors_):
            lines.append(f"  error on the rows held out {self.validation_errors_.min():.4f}")
        if self.stopped_:
            lines.append(f"  stopped: {self.stopped_}")
        lines += [f"  {note}" for note in self._notes()]
        votes = np.sort(self.estimator_weights_)
        lines.append(f"  votes from {votes[0]:.4f} to {votes[-1]:.4f}")
        return "\n".join(lines)

    def state(self) -> State:
        """Return the members, their votes and errors, and the errors of the committee."""
        held_out = {"held_out_weight": np.array([self.held_out_weight_])} if self.held_out_weight_ else {}
        return {
            **super().state(),
            **held_out,
            "votes": self.estimator_weights_,
            "errors": self.estimator_errors_,
            "training_errors": self.training_errors_,
            "validation_errors": self.validation_errors_,
            "stopped": Labels((self.stopped_,)),
        }

    def restore(self, reader: StateReader) -> Self:
        """Take back the members with a vote each."""
        super().restore(reader)
        members = (len(self.estimators_),)
        self.estimator_weights_ = reader.floats("votes", members, 0, 1e6)
        self.estimator_errors_ = reader.floats("errors", members, 0, 1)
        self.training_errors_ = reader.floats("training_errors", (None,), 0, 1)
        self.validation_errors_ = reader.floats("validation_errors", (None,), 0, 1)
        self.stopped_ = "".join(reader.names("stopped"))
        known = "held_out_weight" in reader
        self.held_out_weight_ = float(reader.floats("held_out_weight", (1,), 0, 1e300)[0]) if known else 0.0
        if len(self.training_errors_) < len(self.estimators_):
            raise reader.refusal("training_errors", f"has {len(self.training_errors_)} rounds", "one for each member")
        if len(self.validation_errors_) not in (0, len(self.training_errors_)):
            content = f"has {len(self.validation_errors_)} rounds"
            raise reader.refusal("validation_errors", content, f"none or {len(self.training_errors_)}, as in training")
        if not self.estimator_weights_.sum() > 0:
            raise reader.refusal("votes", "are all 0", "a vote above 0")
        return self


class _HeldOut:
    """The error of the growing committee on rows held out, and the number of members where it was least."""

    def __init__(self, table: Table | None, patience: int | None) -> None:
        self.table, self.patience = table, patience
        self.errors: list[float] = []
        if table is not None:
            self.votes = np.zeros((len(table), len(table.schema.classes)))
            self.weights = np.ones(len(table)) if table.weights is None else table.weights

    @property
    def best(self) -> int:
        """The number of members with the least error, the fewest of equals."""
        return int(np.argmin(self.errors)) + 1

    def has_enough(self, member: Any, vote: float) -> bool:
        """Return True if the error has not fallen for as many rounds as there is patience."""
        if self.table is None or self.patience is None:
            return False
        codes = decisions(member, member.probabilities(self.table))
        self.votes[np.arange(len(codes)), codes] += vote
        wrong = np.argmax(self.votes, axis=1) != self.table.target
        self.errors.append(running_sum(self.weights[wrong]) / running_sum(self.weights))
        return len(self.errors) - self.best >= self.patience
