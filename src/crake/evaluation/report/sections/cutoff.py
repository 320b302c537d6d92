"""The cutoff panel: the counts of every model and class at each cutoff, or at well-chosen ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.report.material import Material
from crake.evaluation.result.classification import Evaluation
from crake.metrics.curves.roc import roc_curve
from crake.metrics.curves.thinning import thin
from crake.metrics.cutoffs.decimals import separating_decimals
from crake.metrics.ranking.auc import area
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.render.report.blocks import Paragraph
from crake.render.report.cutoffs import BINS, Costs, CutoffPanel, Series
from crake.render.report.report import Section
from crake.render.sentences import listed

MOST = 2000
"""Cutoffs of one series."""
MOST_TOGETHER, MOST_OF_MANY_CLASSES = 10_000, 6_000
"""Cutoffs of all series, about 11 bytes each; with many classes a page has more else to hold."""
MOST_CLASSES, MOST_SERIES = 40, 120
"""The most classes to choose from, and the number of models, the best ones, where there are that many classes."""

Steps = NDArray[np.intp]


@dataclass(frozen=True)
class Scale:
    """The scale of the scores: their kind, their ends and the cutoff to begin with."""

    scores: Literal["probability", "score"]
    low: float
    high: float
    cutoff: float


def cutoff_section(material: Material) -> Section | None:
    """Return the panel of all models, or the reason why there is none; None for regressors."""
    if material.is_regression:
        return None
    panel = cutoff_panel(material.classifications, material.criterion)
    if isinstance(panel, str):
        return Section("cutoff", "The cutoff", (Paragraph(panel),), {"cutoffs": None, "without_cutoffs": panel})
    return panel_section(panel)


def panel_section(panel: CutoffPanel) -> Section:
    """Return the section that shows this panel."""
    return Section("cutoff", "The cutoff", (panel,), {"cutoffs": panel.to_dict(), "without_cutoffs": ""})


def has_panel(material: Material) -> bool:
    """Return True if the report has a cutoff panel."""
    ranked = [evaluation for evaluation in material.classifications if evaluation.answers != "labels"]
    return bool(ranked) and bool(_classes(ranked[0]))


def cutoff_panel(evaluations: Sequence[Evaluation], criterion: Criterion | None = None) -> CutoffPanel | str:
    """Return the panel of these models, the first shown first; or why there is none."""
    ranked = [evaluation for evaluation in evaluations if evaluation.answers != "labels"]
    if not ranked:
        return "Only answers are known, no scores: there is no cutoff to move."
    # Scores and probabilities have no cutoff in common: those of the first model's kind share the panel.
    kind = ranked[0].answers
    other_kind = [each for each in evaluations if each.answers != kind]
    ranked = [evaluation for evaluation in ranked if evaluation.answers == kind]
    labels = _classes(ranked[0])
    if not labels:
        return "The tested rows are all of one class: there is no cutoff to choose."
    models, ranked = len(ranked), ranked[: max(3, MOST_SERIES // len(labels))]
    rankings = [[_ranking(evaluation, code) for code in labels] for evaluation in ranked]
    costs = _costs(ranked[0], criterion, labels)
    scale = _scale(ranked[0], [ranking for each in rankings for ranking in each], costs)
    first = _first_class(ranked[0], labels, rankings[0], scale)
    if kind == "probabilities" and not isinstance(criterion, ByCost):
        scale = _where_it_cuts(ranked[0], scale, labels[first])
    scale = _not_empty(scale, rankings[0][first])
    room = MOST_TOGETHER if len(labels) == 1 else MOST_OF_MANY_CLASSES
    most = _most_each([len(ranking) for each in rankings for ranking in each], room)
    names = [str(label) for label in ranked[0].classes]
    return CutoffPanel(
        models=tuple(evaluation.name for evaluation in ranked),
        classes=tuple(names[code] for code in labels),
        others=tuple(names[1 - code] if len(names) == 2 else f"not {names[code]}" for code in labels),
        series=tuple(tuple(series_of(ranking, scale, most) for ranking in each) for each in rankings),
        cutoff=scale.cutoff,
        costs=costs,
        first_class=first,
        scores=scale.scores,
        low=scale.low,
        high=scale.high,
        left_out=_left_out(models - len(ranked), _with_rows(ranked[0]) - len(labels), other_kind, kind),
        is_pooled=int(ranked[0].out_of_fold.fold.max(initial=0)) > 0,
        is_last=len(names) == 2 and labels[0] == 1,
    )


def series_of(ranking: Ranking, scale: Scale, most: int = MOST) -> Series:
    """Return the counts at every distinct score, or at `most` chosen ones; those of the bars' edges are always among
    them.
    """
    edges = _edges(ranking, scale)
    steps = chosen_steps(ranking, most, (*edges, _step(ranking, scale.cutoff)))
    upper = ranking.scores[steps - 1]
    lower = np.where(steps < len(ranking), ranking.scores[np.minimum(steps, len(ranking) - 1)], -np.inf)
    return Series(
        cutoffs=tuple(separating_decimals(upper, lower, (scale.cutoff,)).tolist()),
        true_positives=tuple(ranking.true_positives[steps - 1].tolist()),
        false_positives=tuple(ranking.false_positives[steps - 1].tolist()),
        edges=tuple(np.searchsorted(steps, edges, "right").tolist()),
        predicted=_mean_scores(ranking, edges) if scale.scores == "probability" else (),
        auc=area(ranking),
        distinct=len(ranking),
    )


def chosen_steps(ranking: Ranking, most: int, required: Sequence[int] = ()) -> Steps:
    """Steps from 1 to all, ascending: every one, or enough to cover curves, scores and shares of rows.

    A quarter each: corners of the ROC curve, equal stretches of the scores; the rest equal shares of the rows.
    """
    n = len(ranking)
    if n <= most:
        return np.arange(1, n + 1)
    each = max(2, (most - len(set(required))) // 4)
    corners = thin(roc_curve(ranking), most=each).places
    by_score = np.searchsorted(-ranking.scores, -np.linspace(ranking.scores[-1], ranking.scores[0], each), "right")
    first = np.unique(np.concatenate([corners, by_score, np.asarray(required, np.intp), [n]]))
    called_positive = ranking.true_positives + ranking.false_positives
    by_share = 1 + np.searchsorted(called_positive, np.linspace(0, called_positive[-1], max(2, most - len(first))))
    steps = np.unique(np.concatenate([first, by_share]))
    # Where many rows share a score, shares fall on the same step: what is left goes to steps in even distances.
    even = np.linspace(1, n, max(2, most - len(steps))).astype(np.intp)
    steps = np.unique(np.concatenate([steps, even]))
    return np.asarray(steps[(steps >= 1) & (steps <= n)], dtype=np.intp)


def _classes(evaluation: Evaluation) -> list[int]:
    """Return the positive class of two; of more, each class that some but not all rows have."""
    totals = evaluation.confusion.actual_totals
    if len(evaluation.classes) == 2:
        return [] if (totals == 0).any() else [evaluation.confusion.code(evaluation.positive_class)]
    some = [code for code, total in enumerate(totals) if 0 < total < evaluation.confusion.total]
    confused = _confused(evaluation)
    return sorted(sorted(some, key=lambda code: -confused[code])[:MOST_CLASSES])


def _with_rows(evaluation: Evaluation) -> int:
    """Return the number of classes that could be chosen."""
    return 1 if len(evaluation.classes) == 2 else int(np.sum(evaluation.confusion.actual_totals > 0))


def _confused(evaluation: Evaluation) -> NDArray[np.float64]:
    """Return the errors of each class, missed or wrongly predicted; the requested class comes first."""
    counts = evaluation.confusion.counts.astype(np.float64)
    np.fill_diagonal(counts, 0)
    wrong = counts.sum(axis=0) + counts.sum(axis=1)
    if evaluation.positive is not None:
        wrong[evaluation.confusion.code(evaluation.positive)] = np.inf
    return np.asarray(wrong)


def _first_class(evaluation: Evaluation, codes: list[int], rankings: list[Ranking], scale: Scale) -> int:
    """Return the class asked for, or the one most often confused with others, of those that any row is called."""
    confused = _confused(evaluation)[codes]
    if evaluation.positive is None:
        is_called = np.array([_step(ranking, scale.cutoff) > 0 for ranking in rankings])
        confused = np.where(is_called | ~is_called.any(), confused, -1.0)
    return int(np.argmax(confused))


def _not_empty(scale: Scale, ranking: Ranking) -> Scale:
    """Return the scale, its cutoff lowered if it calls no row: to where as many rows are called as are positive.

    One score for all rows leaves nothing between none and all of them: there the model's own answers stay.
    """
    if _step(ranking, scale.cutoff) > 0 or len(ranking) <= 1:
        return scale
    called = ranking.true_positives + ranking.false_positives
    return _cut_below(scale, ranking, min(int(np.searchsorted(called, ranking.positives)), len(ranking) - 1))


def _where_it_cuts(evaluation: Evaluation, scale: Scale, code: int) -> Scale:
    """Return the scale, beginning where the model's own answers change if they are not the most probable class.

    Balanced learners and those with a cutoff answer so. Folds may cut at different places: the cutoff is the one that
    gives the fewest other answers.
    """
    if np.array_equal(evaluation.predicted, np.argmax(evaluation.probabilities, axis=1)):
        return scale
    answers = rank_scores(evaluation.predicted == code, evaluation.as_ranked.probabilities[:, code], evaluation.weights)
    others = np.concatenate([[0.0], answers.false_positives - answers.true_positives])
    best = int(np.argmin(others[1:]))
    is_better = others[best + 1] < others[_step(answers, scale.cutoff)]
    return _cut_below(scale, answers, best) if is_better else scale


def _cut_below(scale: Scale, ranking: Ranking, at: int) -> Scale:
    """Return the scale with a short cutoff that calls the distinct score at this place, and no lower one."""
    below = float(ranking.scores[at + 1]) if at + 1 < len(ranking) else -np.inf
    return replace(scale, cutoff=float(separating_decimals(ranking.scores[[at]], np.array([below]), ())[0]))


def _left_out(models: int, classes: int, other_kind: Sequence[Evaluation] = (), kind: str = "probabilities") -> str:
    """Return sentences on the models and classes that the panel leaves out."""
    sentences = [_too_many(models, classes)]
    if other_kind:
        verb = "gives" if len(other_kind) == 1 else "give"
        named = listed([other_kind[0].beginning, *(each.name for each in other_kind[1:])])
        sentences.append(f"{named} {verb} no {kind}: not in this panel, as no cutoff fits both.")
    return " ".join(sentence for sentence in sentences if sentence)


def _too_many(models: int, classes: int) -> str:
    """Return a sentence on what would make the page too large."""
    last = "the last model" if models == 1 else f"the last {models} models"
    least = "the least confused class" if classes == 1 else f"the {classes} least confused classes"
    named = " and ".join([f"{last} of the leaderboard"] * (models > 0) + [least] * (classes > 0))
    verb = "is" if models + classes == 1 else "are"
    return f"To keep the page small, {named} {verb} not in this panel." if named else ""


def _ranking(evaluation: Evaluation, code: int) -> Ranking:
    if len(evaluation.classes) == 2:
        return evaluation.ranking
    predictions = evaluation.out_of_fold
    weights = None if (predictions.weights == 1).all() else predictions.weights
    return rank_scores(predictions.actual == code, evaluation.as_ranked.probabilities[:, code], weights)


def _costs(evaluation: Evaluation, criterion: Criterion | None, codes: list[int]) -> Costs:
    """Return the costs given for two classes; otherwise every error costs 1."""
    if not isinstance(criterion, ByCost) or len(evaluation.classes) != 2:
        return Costs()
    C, p = criterion.costs.aligned(evaluation.classes).costs.tolist(), codes[0]
    n = 1 - p
    return Costs(C[n][p], C[p][n], C[p][p], C[n][n])


def _scale(evaluation: Evaluation, rankings: list[Ranking], costs: Costs) -> Scale:
    """Return the scale: probabilities begin at ½, or where the costs ask for it; scores at 0, where answers change."""
    if evaluation.answers == "scores":
        low = min(float(ranking.scores[-1]) for ranking in rankings)
        high = max(float(ranking.scores[0]) for ranking in rankings)
        part = 1.0 if np.isfinite(high - low) else 0.25  # the ends of all floats are too far apart for one scale
        return Scale("score", part * low, part * high, 0.0)
    false_alarm = costs.false_positive - costs.true_negative
    miss = costs.false_negative - costs.true_positive
    cutoff = false_alarm / (false_alarm + miss) if false_alarm > 0 and miss > 0 else 0.5
    return Scale("probability", 0.0, 1.0, float(f"{cutoff:.4g}"))


def _most_each(lengths: list[int], room: int) -> int:
    """Return the most cutoffs a series may have so that all together fit: short ones leave room to others."""
    if sum(min(length, MOST) for length in lengths) <= room:
        return MOST
    remaining = sorted(lengths)
    while remaining and remaining[0] <= room / len(remaining):
        room -= remaining.pop(0)
    return max(2, min(MOST, room // max(1, len(remaining))))


def _step(ranking: Ranking, cutoff: float) -> int:
    """Return the number of distinct scores that are at least the cutoff."""
    return int(np.searchsorted(-ranking.scores, -cutoff, "right"))


def _edges(ranking: Ranking, scale: Scale) -> list[int]:
    """Return the step that calls the highest bar, the two highest …; bars are open below, as the bins of a calibration
    are.
    """
    ends = np.linspace(scale.low, scale.high, BINS + 1)[1:-1][::-1]
    return [*np.searchsorted(-ranking.scores, -ends, "left").tolist(), len(ranking)]


def _mean_scores(ranking: Ranking, edges: list[int]) -> tuple[float | None, ...]:
    """Return the mean score of each calibration bin, two bars wide, lowest first."""
    called_positive = ranking.true_positives + ranking.false_positives
    summed = np.concatenate([[0.0], np.cumsum(ranking.scores * np.diff(called_positive, prepend=0.0))])
    rows, bounds = np.concatenate([[0.0], called_positive]), [0, *edges[1::2]]
    bins = [(summed[b] - summed[a], rows[b] - rows[a]) for a, b in pairwise(bounds)]
    return tuple(float(total / n) if n > 0 else None for total, n in reversed(bins))
