"""A test of a fitted model put into words and figures: the same data a comparison is shown from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crake.evaluation.criterion import BY_ACCURACY
from crake.evaluation.evaluation import Evaluation
from crake.evaluation.standing import LEVEL, p_text
from crake.evaluation.summary import figure_of, matrix_of, short_accuracy, versions
from crake.evaluation.tested import constant_answer
from crake.render.leaderboard import Entry, Leaderboard
from crake.render.numbers import percent


def board_of_test(
    evaluation: Evaluation, *, warnings: tuple[str, ...] = (), notes: tuple[str, ...] = ()
) -> Leaderboard:
    """Everything a page or a terminal shows of a tested model, the constant answer beside it."""
    constant = constant_answer(evaluation)
    positive = evaluation.positive
    return Leaderboard(
        title=f"{evaluation.table}: predicting {evaluation.target}",
        headline=headline(evaluation, constant),
        facts=_facts(evaluation),
        warnings=warnings,
        notes=(*evaluation.notes, *notes),
        entries=(_model_entry(evaluation, constant), _constant_entry(constant)),
        matrices=(matrix_of(evaluation.name, evaluation.confusion),),
        protocol=f"a fitted model on {len(evaluation.out_of_fold.rows):,} rows of {evaluation.table}, honest if it was "
        "not trained on them; intervals are Wilson 95 %; the difference by McNemar's exact test",
        reproduce=(("Python", "crake.Evaluation.of_model(model, table)"),),
        versions=versions(),
        f1_name="F1 (weighted)" if positive is None else f"F1 of {positive}",
        occasion="test of a fitted model on",
        heading="Measures",
    )


def headline(evaluation: Evaluation, constant: Evaluation) -> str:
    """One sentence: how good, how sure, and what answering always the same would give."""
    name = f"{evaluation.name[:1].upper()}{evaluation.name[1:]}"
    said = f"{name} on {evaluation.table}: accuracy {short_accuracy(evaluation.accuracy)}"
    if _beats(evaluation, constant):
        return f"{said}; majority class {constant.accuracy:.3f}."
    p = p_text(BY_ACCURACY.p_value(evaluation, constant))
    return f"{said}; not shown to beat the majority class, {constant.accuracy:.3f} (p {p})."


def to_dict(evaluation: Evaluation, board: Leaderboard) -> dict[str, Any]:
    """For JSON, under the schema "crake-evaluate/1"."""
    constant = constant_answer(evaluation)
    return {
        "schema": "crake-evaluate/1",
        "table": evaluation.table,
        "target": evaluation.target,
        "classes": [str(label) for label in evaluation.classes],
        "headline": board.headline,
        **{key: value for key, value in evaluation.to_dict().items() if key not in ("fit_seconds", "notes")},
        "majority_class": {name: estimate.to_dict() for name, estimate in constant.measures().items()},
        "p_against_majority_class": BY_ACCURACY.p_value(evaluation, constant),
        "warnings": list(board.warnings),
        "notes": list(board.notes),
        "reproduce": dict(board.reproduce),
        "versions": dict(board.versions),
    }


def _model_entry(evaluation: Evaluation, constant: Evaluation) -> Entry:
    p = p_text(BY_ACCURACY.p_value(evaluation, constant))
    verdict = f"better than the majority class (p {p})"
    if not _beats(evaluation, constant):
        verdict = f"not shown to beat the majority class (p {p})"
    return _entry(evaluation, verdict, is_best=True)


def _constant_entry(constant: Evaluation) -> Entry:
    return replace(_entry(constant, "baseline: the most frequent class here", is_best=False), predict_seconds=None)


def _beats(evaluation: Evaluation, constant: Evaluation) -> bool:
    return float(evaluation.accuracy) > float(constant.accuracy) and BY_ACCURACY.p_value(evaluation, constant) < LEVEL


def _entry(evaluation: Evaluation, verdict: str, *, is_best: bool) -> Entry:
    return Entry(
        evaluation.name,
        accuracy=figure_of(evaluation.accuracy),
        auc=figure_of(evaluation.auc),
        f1=figure_of(evaluation.f1),
        log_loss=figure_of(evaluation.log_loss),
        fit_seconds=None,
        predict_seconds=evaluation.predict_seconds,
        is_baseline=not is_best,
        is_best=is_best,
        verdict=verdict,
    )


def _facts(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    shares = evaluation.confusion.actual_totals / evaluation.confusion.total
    order = np.argsort(-shares, kind="stable")
    classes = ", ".join(f"{evaluation.classes[k]} {percent(float(shares[k]))}" for k in order[:6])
    more = f" and {len(order) - 6} more" if len(order) > 6 else ""
    return (("rows", f"{len(evaluation.out_of_fold.rows):,}"), ("classes", classes + more))
