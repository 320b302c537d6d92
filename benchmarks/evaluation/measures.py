"""Measures and curves of a million binary scores beside scikit-learn's functions; DeLong beside the AUC alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from benchmarks.lines import HEADER, best_of, line
from crake.kernels import threads
from crake.metrics.curves.cost import cost_curve
from crake.metrics.curves.gains import gains_curve
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import roc_curve
from crake.metrics.curves.thinning import thin
from crake.metrics.cutoffs import choose_cutoff
from crake.metrics.probability.brier import brier_of_scores
from crake.metrics.probability.calibration import calibration_table
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc_of, auc_of_scores
from crake.metrics.ranking.average_precision import average_precision
from crake.metrics.ranking.delong import delong
from crake.metrics.ranking.delong_pair import delong_pair
from crake.metrics.ranking.ranking import rank_scores

ROWS = 1_000_000


def main() -> None:
    generator = np.random.default_rng(1)
    print(HEADER)
    for name, scores in (
        ("distinct scores", generator.random(ROWS)),
        ("1,000 distinct scores", generator.integers(0, 1000, ROWS) / 999),
    ):
        actual = (generator.random(ROWS) < scores).astype(np.int64)
        _everything(name, actual, scores)
        with threads.limited(1):
            _everything(f"{name}, one thread", actual, scores)
        _delong(name, actual == 1, scores, generator)
        _from_the_ranking(name, actual == 1, scores)


def _everything(name: str, actual: np.ndarray, scores: np.ndarray) -> None:
    P = np.column_stack([1 - scores, scores])

    def ours() -> tuple[object, ...]:
        positive = actual == 1
        ranking = rank_scores(positive, scores)
        roc = roc_curve(ranking)
        return (
            *(auc_of(ranking), average_precision(ranking), log_loss(actual, P), brier_of_scores(positive, scores)),
            *(roc.false_positive_rate, roc.true_positive_rate, 1 - roc.true_positive_rate),
            *(precision_recall_curve(ranking), gains_curve(ranking), cost_curve(ranking)),
            calibration_table(positive, scores),
        )

    def peer() -> tuple[object, ...]:
        functions = (
            *(theirs.roc_auc_score, theirs.average_precision_score, theirs.log_loss, theirs.brier_score_loss),
            *(theirs.roc_curve, theirs.precision_recall_curve, theirs.det_curve, calibration_curve),
        )
        return tuple(function(actual, scores) for function in functions)

    found, expected = ours(), peer()
    for measure, value in zip(found[:4], expected[:4], strict=True):
        assert abs(float(measure) - value) < 1e-9  # type: ignore[arg-type]
    crake, sklearn = best_of(5, ours, peer)
    print(line(f"all measures and curves, {name}", crake, sklearn, sklearn / crake, "≥ 5×"))
    crake, sklearn = _processor_seconds(ours), _processor_seconds(peer)
    print(line("  the same in processor time", crake, sklearn, sklearn / crake, ""))


def _processor_seconds(work: Callable[[], object]) -> float:
    """The least of three: what other programs on the machine take does not count."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def _delong(name: str, positive: np.ndarray, scores: np.ndarray, generator: np.random.Generator) -> None:
    other = scores + generator.normal(0, 0.1, len(scores))
    with_interval, alone, sklearn = best_of(
        5,
        lambda: delong(rank_scores(positive, scores)),
        lambda: auc_of_scores(positive, scores),
        lambda: theirs.roc_auc_score(positive, scores),
    )
    print(line(f"AUC with DeLong's interval, own AUC, {name}", with_interval, alone, with_interval / alone, "≤ 2×"))
    print(line(f"AUC, roc_auc_score, {name}", alone, sklearn, sklearn / alone, "faster"))
    pair, alone = best_of(3, lambda: delong_pair(positive, scores, other), lambda: auc_of_scores(positive, scores))
    print(line(f"paired DeLong of two scores, own AUC, {name}", pair, alone, pair / alone, ""))


def _from_the_ranking(name: str, positive: np.ndarray, scores: np.ndarray) -> None:
    ranking = rank_scores(positive, scores)
    curve = roc_curve(ranking)
    ranked, argsort = best_of(5, lambda: rank_scores(positive, scores), lambda: np.argsort(scores))
    print(line(f"ranking, np.argsort alone, {name}", ranked, argsort, argsort / ranked, "faster"))
    cutoff, thinned = best_of(5, lambda: choose_cutoff(ranking, "cost", cost_fn=5), lambda: thin(curve))
    print(line(f"cutoff by cost | ROC thinned for drawing, {name}", cutoff, thinned, cutoff / thinned, ""))
