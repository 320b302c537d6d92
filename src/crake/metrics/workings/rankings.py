"""Measures of a ranking, worked: the AUC as pairs ranked right, the average precision step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.metrics.confusion.table import printable
from crake.metrics.estimate import Estimate
from crake.metrics.ranking.auc import area
from crake.metrics.ranking.average_precision import average_precision
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.metrics.workings.interval import delong_section, interval_section
from crake.metrics.workings.page import page, terms
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, fraction, number

STEPS = 10
"""Steps of a ranking that are listed."""
AUC = "the share of pairs, one positive and one negative row, whose scores are in the right order"
PRECISION = "the precision at each step down the ranking, weighted by the recall it adds"


def explain_auc(ranking: Ranking, positive: object, estimate: Estimate) -> Workings:
    """Pairs ranked right, ties half, over all pairs; DeLong's interval."""
    label = printable(positive)
    if estimate.value is None:
        return page("AUC", AUC, [_rows(ranking, label)], estimate)
    A = float(estimate.value)
    right, tied = pairs_right(ranking)
    P, N = ranking.positives, ranking.negatives
    steps = (
        Step("pairs", "positives × negatives", f"{number(P)} × {number(N)}", number(P * N)),
        Step("right", "", "", number(right), f"the {label} row has the higher score"),
        Step("tied", "", "", number(tied), "both have the same score"),
        Step("AUC", "(right + tied/2) / pairs", f"({number(right)} + {number(tied)}/2) / {number(P * N)}", number(A)),
    )
    return page(
        "AUC", AUC, [_rows(ranking, label), Section("Pairs", steps), delong_section(ranking, A, estimate)], estimate
    )


def explain_average_precision(ranking: Ranking, positive: object, estimate: Estimate) -> Workings:
    """Σ (recall added) × precision, from the highest score down."""
    label = printable(positive)
    if estimate.value is None:
        return page("average precision", PRECISION, [_rows(ranking, label)], estimate)
    added = np.diff(ranking.true_positives, prepend=0.0)
    at = np.flatnonzero(added > 0)
    TP, FP, P = ranking.true_positives, ranking.false_positives, ranking.positives
    parts = added[at] / P * TP[at] / (TP[at] + FP[at])
    rows = tuple(
        (number(float(ranking.scores[i])), fraction(float(added[i]), P), fraction(float(TP[i]), float(TP[i] + FP[i])),
         number(float(part)))
        for i, part in zip(at[:STEPS], parts, strict=False)
    )  # fmt: skip
    table = Grid("", ("score from", "recall added", "precision", "product"), rows)
    written = [number(float(parts[:STEPS].sum()))]
    sources = f"the {len(rows)} steps above"
    if len(at) > STEPS:
        written.append(number(float(parts[STEPS:].sum())))
        sources += f", and {len(at) - STEPS} more"
    step = Step("average precision", "Σ products", " + ".join(written), number(float(estimate.value)), sources)
    sections = [
        _rows(ranking, label),
        Section("Steps that find a positive", (step,), tables=(table,)),
        interval_section(estimate),
    ]
    return page("average precision", PRECISION, sections, estimate)


def explain_by_class(
    name: str,
    actual: NDArray[Any],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    labels: Sequence[object],
    estimate: Estimate,
) -> Workings:
    """Each class against the others, weighted by its share of the rows."""
    title = "AUC" if name == "auc" else "average precision"
    support = np.bincount(actual, weights=weights, minlength=len(labels))
    n = float(support.sum())
    about = "each class against the others, weighted by its rows"
    if estimate.value is None:
        return page(title, about, [Section("Rows", lines=(f"{number(n)} rows were tested",))], estimate)
    present = np.flatnonzero(support > 0)
    rows, written = [], []
    for c in present:
        ranking = rank_scores(actual == c, probabilities[:, c], weights)
        value = area(ranking) if name == "auc" else float(average_precision(ranking))
        how = _pairs_written(ranking) if name == "auc" else f"{len(ranking)} distinct scores"
        rows.append((printable(labels[int(c)]), number(float(support[c])), how, number(value)))
        written.append(f"{fraction(float(support[c]), n)} × {number(value)}")
    table = Grid("", ("class", "rows", "(right + tied/2) / pairs" if name == "auc" else "steps", title), tuple(rows))
    step = Step(title, "Σ rows/n × that of the class", terms(written), number(float(estimate.value)))
    sections = [Section("By class", tables=(table,)), Section("Averaged", (step,)), interval_section(estimate)]
    return page(title, about, sections, estimate)


def pairs_right(ranking: Ranking) -> tuple[float, float]:
    """The pairs whose positive row has the higher score, and those with equal scores."""
    N, right, tied = ranking.negatives, 0.0, 0.0
    for _, FP, positives, negatives in ranking.blocks():
        right += float((positives * (N - FP)).sum())
        tied += float((positives * negatives).sum())
    return right, tied


def _pairs_written(ranking: Ranking) -> str:
    right, tied = pairs_right(ranking)
    return f"({number(right)} + {number(tied)}/2) / {number(ranking.positives * ranking.negatives)}"


def _rows(ranking: Ranking, label: str) -> Section:
    return Section(
        f"Rows, ranked by their score for {label}",
        (
            Step("positives", "", "", number(ranking.positives), f"tested rows of {label}"),
            Step("negatives", "", "", number(ranking.negatives), "tested rows of other classes"),
        ),
    )
