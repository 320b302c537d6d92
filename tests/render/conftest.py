"""Leaderboards made by hand, to be shown in tests."""

from __future__ import annotations

import pytest

from crake.evaluation.report.board_columns import class_columns
from crake.evaluation.report.material import Material
from crake.evaluation.report.sections.checks import checks_section
from crake.evaluation.report.sections.confusion import confusion_section
from crake.evaluation.report.sections.data import data_section
from crake.evaluation.report.sections.leaderboard import leaderboard_section
from crake.evaluation.report.sections.protocol import protocol_section
from crake.evaluation.report.sections.tables import tables_section
from crake.render.leaderboard import Entry, Figure, Leaderboard, Matrix
from crake.render.report.report import Report

OF_BOARD = (data_section, leaderboard_section, confusion_section, tables_section, checks_section, protocol_section)


def report_of_board(board: Leaderboard) -> Report:
    """The sections of a report that a leaderboard alone can fill."""
    sections = tuple(section(Material((), board, with_model=False)) for section in OF_BOARD)
    return Report("crake-report/2", board.title, board.occasion, board.headline, sections)


def entry(name: str, accuracy: float, half: float, *, verdict: str = "", kind: str = "") -> Entry:
    return Entry(
        name=name,
        figures=(
            Figure(accuracy, max(0.0, accuracy - half), min(1.0, accuracy + half)),
            Figure(None, reason="one class only") if kind == "undefined" else Figure(min(1.0, accuracy + 0.05)),
            Figure(max(0.0, accuracy - 0.02)),
            Figure(0.412),
        ),
        fit_seconds=0.0123,
        predict_seconds=0.0004,
        is_baseline=kind == "baseline",
        is_best=kind == "best",
        verdict=verdict,
        is_tied="not distinguishable" in verdict,
    )


@pytest.fixture
def board() -> Leaderboard:
    """Six learners on a table of two classes, the fifth and sixth of them baselines."""
    return Leaderboard(
        title="diabetes.csv",
        headline=(
            "Logistic regression is best: accuracy 0.775 [0.744, 0.803]; not distinguishable from "
            "naive Bayes; majority 0.651"
        ),
        facts=(
            ("rows", "768"),
            ("columns", "8 numeric"),
            ("target", "class (tested_negative 500, tested_positive 268)"),
            ("missing values", "none"),
        ),
        warnings=("11 rows repeat an earlier row in every column",),
        entries=(
            entry("logistic regression", 0.775, 0.030, verdict="best", kind="best"),
            entry("naive Bayes", 0.762, 0.031, verdict="not distinguishable from the best (p = 0.31)"),
            entry("C4.5", 0.738, 0.032, verdict="worse than the best (p = 0.02)"),
            entry("k nearest neighbours", 0.734, 0.032, verdict="worse than the best (p = 0.01)"),
            entry("1R", 0.717, 0.033, verdict="worse than the best (p < 0.001)", kind="baseline"),
            entry("majority", 0.651, 0.034, verdict="baseline: always answers tested_negative", kind="baseline"),
        ),
        matrices=(
            Matrix(
                "logistic regression",
                ("tested_negative", "tested_positive"),
                ((442, 58), (115, 153)),
                (0.884, 0.571),
                (0.794, 0.725),
            ),
        ),
        protocol="stratified 10-fold cross-validation, the same folds for every learner, seed 1",
        reproduce=(
            ("Python", 'import crake\ntable = crake.read("diabetes.csv", target="class")\ncrake.compare(table)'),
            ("Command line", "crake compare diabetes.csv --target class --plan cv10 --seed 1"),
        ),
        versions=(("crake", "0.1.0"), ("Python", "3.11.9"), ("numpy", "2.4.0"), ("scikit-learn", "1.9.0")),
        columns=class_columns("F1 (weighted)"),
        baseline_name="majority",
    )
