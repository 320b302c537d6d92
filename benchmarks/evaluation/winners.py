"""The winner's corrected interval on settings that its constants were not chosen on, and over real cross-validations.

    nice -n 10 python -m benchmarks winners         some minutes of one processor
    WINNER_SEED=101 WINNER_TABLES=600 WINNER_ONLY="noise" python -m benchmarks winners     only classes of such a name

`levels.py` holds the settings that the half-shrinkage and the thresholds of `evaluation/comparison/winner.py`
were chosen on: eleven learners, 60 to 500 rows, half of the variance shared. Here are other numbers of learners, rows,
accuracies and correlations, drawn directly, and some the whole way: tables are drawn, real learners refitted on folds
and compared, and the winner's true accuracy is that of its fold models on new rows. How much wider shared training rows
make the interval (`SHARED`) was chosen on tables like these of two other seeds. On noise the majority class often wins:
it was chosen, too, so the worse end of its interval is moved.

Winners by AUC, Hand and Till's M, three-point precision and the calibration error are drawn directly, too: scores of
two to four classes, whose true measure is that of a million rows. Numbers of learners, rows and AUCs are others than
those of `noise.py`, and in some settings a part of the rare class is hard to find.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.base import clone

import crake
from benchmarks.evaluation.levels import coverage_of_winners
from crake.arrays import Floats
from crake.evaluation.comparison.choice import criterion_of
from crake.evaluation.comparison.winner import winner_estimate
from crake.evaluation.result.classification import Evaluation
from crake.learners.registry import title_of
from crake.metrics import PredictedRows

ONLY = os.environ.get("WINNER_ONLY", "")
TABLES, SEED = int(os.environ.get("WINNER_TABLES", "300")), int(os.environ.get("WINNER_SEED", "13"))
NEW_ROWS = 10_000
TAIL = 2.0
"""The standard deviation of the scores of a class whose rows are partly hard to find."""


@dataclass(frozen=True)
class Setting:
    """The true accuracies of some learners, and the number of test rows; `alike` is the shared part of the variance."""

    words: str
    accuracies: Floats
    rows: int
    alike: float


def settings() -> list[Setting]:
    """Return settings that share no number with those of `levels.py`."""
    shapes = {
        "3 equal, 65 %": np.full(3, 0.65),
        "5 equal, 92 %": np.full(5, 0.92),
        "20 equal, 55 %": np.full(20, 0.55),
        "6 from 70 to 78 %": np.linspace(0.70, 0.78, 6),
        "20 from 50 to 95 %": np.linspace(0.50, 0.95, 20),
        "two of 85 %, six of 82 %": np.array([0.85] * 2 + [0.82] * 6),
    }
    return [
        Setting(words, accuracies, rows, alike)
        for (words, accuracies), rows, alike in product(shapes.items(), (90, 300, 1000), (0.1, 0.8))
    ]


CLASSES: dict[str, Callable[[Floats], Floats]] = {
    "two columns and a product": lambda X: 0.9 * X[:, 0] - 0.6 * X[:, 1] + 0.8 * X[:, 1] * X[:, 2],
    "noise": lambda X: np.zeros(len(X)),
    "noise, 70 %": lambda X: np.full(len(X), np.log(7 / 3)),
    "one weak column": lambda X: 0.5 * X[:, 0],
    "one weak column, 70 %": lambda X: 0.85 + 0.7 * X[:, 0],
    "one strong column": lambda X: 2.5 * X[:, 0],
    "three strong columns": lambda X: 3 * X[:, 0] + 2 * X[:, 1] - 1.5 * X[:, 2],
    "steps": lambda X: 2 * np.sign(X[:, 0]) * (X[:, 1] > -0.5) - 1 + 0.5 * np.abs(X[:, 3]),
}
"""The log odds of the class, of six independent normal columns."""


@dataclass(frozen=True)
class Drawn:
    """Tables to draw, and the folds to compare on: all learners, or some by their places beside the majority class."""

    words: str
    rows: int
    folds: int
    only: tuple[int, ...] = ()

    def learners(self) -> list[object]:
        """Return the learners to compare."""
        return [learners()[k] for k in (0, *self.only)] if self.only else learners()


DRAWN = (
    Drawn("two columns and a product", 60, 5),
    Drawn("two columns and a product", 100, 5),
    Drawn("two columns and a product", 100, 10),
    Drawn("two columns and a product", 400, 5),
    Drawn("noise", 100, 5),
    Drawn("noise", 100, 10),
    Drawn("noise", 300, 5),
    Drawn("noise", 60, 10, (2, 5, 6)),
    Drawn("noise, 70 %", 100, 5),
    Drawn("noise, 70 %", 300, 10),
    Drawn("one weak column", 150, 10),
    Drawn("one weak column, 70 %", 150, 10),
    Drawn("three strong columns", 100, 5),
    Drawn("steps", 200, 5),
    Drawn("one strong column", 100, 10, (1,)),
    Drawn("three strong columns", 100, 5, (8,)),
    Drawn("three strong columns", 60, 10, (5,)),
    Drawn("steps", 100, 10, (6,)),
    Drawn("two columns and a product", 400, 5, (5,)),
)
"""The last ones are mostly won by far: nothing was chosen, and the models of the folds share rows all the same."""


def drawn_table(rng: np.random.Generator, words: str, rows: int) -> tuple[Floats, NDArray[np.object_]]:
    """Return six numbers and the class."""
    X = rng.standard_normal((rows, 6))
    return X, np.where(rng.random(rows) < 1 / (1 + np.exp(-CLASSES[words](X))), "yes", "no").astype(object)


def learners() -> list[object]:
    """Return learners that are quick, and of several kinds."""
    return [
        crake.MajorityClassifier(),
        crake.OneRuleClassifier(),
        crake.NaiveBayesClassifier(),
        crake.NaiveBayesClassifier(numeric="discretised"),
        crake.CARTClassifier(max_depth=2),
        crake.CARTClassifier(max_depth=4),
        crake.NeighborsClassifier(5),
        crake.NeighborsClassifier(15),
        crake.LogisticClassifier("ridge"),
    ]


def cross_validated(drawn: Drawn, tables: int) -> tuple[float, float, float, float]:
    """Return how often the corrected interval, and the winner's own, hold its true accuracy over refitted learners.

    Then how often the majority class won, and how often a learner was called better than it.
    """
    rng, corrected, own, constant, better = np.random.default_rng(SEED), 0, 0, 0, 0
    by_title = {title_of(learner): learner for learner in drawn.learners()}
    fresh, labels = drawn_table(np.random.default_rng(8), drawn.words, NEW_ROWS)
    plan = crake.CrossValidation(drawn.folds)
    for _ in range(tables):
        X, y = drawn_table(rng, drawn.words, drawn.rows)
        comparison = crake.compare(X, y, learners=drawn.learners(), plan=plan, measure="accuracy")
        best, fold = comparison.best, np.empty(drawn.rows, np.int64)
        learner = by_title[best.name]
        fold[best.out_of_fold.rows] = best.out_of_fold.fold
        parts = [fold != f for f in range(drawn.folds)]
        truth = float(np.mean([np.mean(clone(learner).fit(X[p], y[p]).predict(fresh) == labels) for p in parts]))
        for_all = best.accuracy.interval
        # Where the majority class wins by far there is no corrected estimate; its own interval is shown then.
        chosen = for_all if comparison.winner is None else comparison.winner.interval
        corrected += chosen[0] <= truth <= chosen[1]
        own += for_all[0] <= truth <= for_all[1]
        constant += best.is_baseline
        better += any(place.beats_baseline for place in comparison.standings)
    return corrected / tables, own / tables, constant / tables, better / tables


@dataclass(frozen=True)
class Scored:
    """Learners that score classes: by how much each one raises the score of the right class, and the measure.

    Class c has this share of the rows. `sure` is the slope of the probabilities: 1 if they are right. The scores of the
    last class spread `tail` times as wide as those of the others: some of its rows are hard to find.
    """

    words: str
    measure: str
    raised: tuple[float, ...]
    rows: int
    shares: tuple[float, ...]
    alike: float
    sure: float = 1.0
    tail: float = 1.0

    def draw(self, rng: np.random.Generator, rows: int, raised: tuple[float, ...]) -> tuple[NDArray[np.intp], Floats]:
        """Return the classes and the probabilities (learner, row, class); a score is normal, its own class's higher."""
        K = len(self.shares)
        y = np.repeat(np.arange(K), np.diff(np.rint(np.cumsum([0.0, *self.shares]) * rows).astype(int)))
        common = np.sqrt(self.alike) * rng.standard_normal((1, rows, K))
        x = common + np.sqrt(1 - self.alike) * rng.standard_normal((len(raised), rows, K))
        x[:, y == K - 1] *= self.tail
        d = np.array(raised)[:, None, None]
        x += d * np.eye(K)[y]
        odds = self.sure * (d * x + np.log(self.shares))
        P = np.exp(odds - odds.max(axis=2, keepdims=True))
        return y, P / P.sum(axis=2, keepdims=True)


@cache
def truth(scored: Scored, raised: float) -> float:
    """Return the measure of a learner on a million rows."""
    y, P = scored.draw(np.random.default_rng(1), 1_000_000, (raised,))
    classes = tuple(range(len(scored.shares)))
    positive = 1 if len(classes) == 2 else None
    return float(criterion_of(scored.measure).of.value(PredictedRows(classes, y, P[0], positive=positive)))


def scored_settings() -> Iterator[Scored]:
    """Yield the settings: AUC on other numbers than those of `noise.py`, then the other measures."""
    areas = {
        "5 of AUC 0.85": np.full(5, 0.85),
        "20 of AUC 0.7": np.full(20, 0.7),
        "8 of AUC 0.8 to 0.95": np.linspace(0.8, 0.95, 8),
        "11 of AUC 0.97": np.full(11, 0.97),
    }
    for (words, auc), (rows, share), alike in product(
        areas.items(), ((120, 0.35), (200, 0.1), (1000, 0.03)), (0.2, 0.8)
    ):
        yield Scored(words, "auc", tuple(ndtri(auc).tolist()), rows, (1 - share, share), alike)
    for (words, auc), (rows, share) in product(areas.items(), ((200, 0.1), (1000, 0.03))):
        raised = tuple((np.sqrt((1 + TAIL**2) / 2) * ndtri(auc)).tolist())
        yield Scored(f"{words}, some rows hard to find", "auc", raised, rows, (1 - share, share), 0.5, tail=TAIL)
    shapes = {"8 equal": (1.0,) * 8, "8 unequal": tuple(np.linspace(0.6, 1.6, 8).tolist())}
    for (words, raised), (rows, shares) in product(shapes.items(), ((150, (0.5, 0.3, 0.2)), (400, (0.25,) * 4))):
        yield Scored(words, "auc_hand_till", raised, rows, shares, 0.5)
    for (words, raised), rows, share in product(shapes.items(), (150, 500), (0.4, 0.15)):
        yield Scored(words, "three_point_precision", raised, rows, (1 - share, share), 0.5)
    for (words, raised), rows, sure in product(shapes.items(), (150, 500), (1.0, 2.0)):
        yield Scored(words, "calibration_error", raised, rows, (0.6, 0.4), 0.5, sure)


def coverage_of_scored(scored: Scored, tables: int) -> tuple[float, float]:
    """Return how often the winner's true measure lies within its corrected interval, and within its own."""
    rng, by, corrected, own = np.random.default_rng(17), criterion_of(scored.measure), 0, 0
    positive = 1 if len(scored.shares) == 2 else None
    for _ in range(tables):
        y, P = scored.draw(rng, scored.rows, scored.raised)
        learners = [Evaluation.from_scores(y, each, positive=positive, name=str(k)) for k, each in enumerate(P)]
        ranked = sorted(learners, key=lambda each: -by.rank(each))
        true = truth(scored, scored.raised[int(ranked[0].name)])
        plain = by.measure(ranked[0])
        chosen = winner_estimate(ranked, by) or plain  # a winner without an error keeps its own interval
        assert plain.interval is not None
        assert chosen.interval is not None
        corrected += chosen.interval[0] <= true <= chosen.interval[1]
        own += plain.interval[0] <= true <= plain.interval[1]
    return corrected / tables, own / tables


def main() -> None:
    """Print the coverage of the corrected interval and of the winner's own."""
    if not ONLY:
        drawn_directly()
    print(f"learners refitted in cross-validation, {TABLES} tables each: corrected interval, its own;")
    print("how often the majority class won, and how often a learner was called better than it")
    for drawn in DRAWN:
        if drawn.words.startswith(ONLY):
            shares = cross_validated(drawn, TABLES)
            which = f"{len(drawn.learners())} learners" + "".join(f", {title_of(learners()[k])}" for k in drawn.only)
            print(f"  {drawn.words}, {drawn.rows} rows, {drawn.folds} folds, {which}: {_percent(shares)}", flush=True)


def drawn_directly() -> None:
    """Print the coverage where predictions are drawn without learners."""
    print(f"winners by other measures drawn directly, {TABLES} tables each: corrected interval, its own")
    for scored in scored_settings():
        shares = coverage_of_scored(scored, TABLES)
        least = f"{100 * min(scored.shares):g} % of the rarest of {len(scored.shares)} classes"
        about = f"{scored.measure}, {scored.words}, {scored.rows} rows, {least}, alike {scored.alike:g}"
        print(f"  {about}, sure {scored.sure:g}: {_percent(shares)}", flush=True)
    print(f"winners drawn directly, {TABLES} tables each: corrected interval, its own")
    for setting in settings():
        shares = coverage_of_winners(setting.rows, setting.accuracies, setting.alike, TABLES)
        print(f"  {setting.words}, {setting.rows} rows, alike {setting.alike:g}: " + _percent(shares), flush=True)


def _percent(shares: tuple[float, ...]) -> str:
    return ", ".join(f"{100 * share:.1f} %" for share in shares)
