"""A leaderboard of regressors: amounts of any size, less is better."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.render.conftest import report_of_board

from crake.evaluation.report.board_columns import NUMBER_COLUMNS
from crake.render.leaderboard import Entry, Figure, Leaderboard
from crake.render.text.leaderboard import leaderboard_text


@pytest.fixture
def houses(board: Leaderboard) -> Leaderboard:
    """Two regressors of a price, the second the baseline."""

    def entry(name: str, rmse: float, r_squared: float, *, is_best: bool) -> Entry:
        figures = (Figure(rmse, 0.9 * rmse, 1.1 * rmse), Figure(0.8 * rmse), Figure(r_squared))
        return Entry(name, figures, 0.01, 0.02, is_baseline=not is_best, is_best=is_best, verdict="")

    entries = (entry("linear regression", 12961.4, 0.85, is_best=True), entry("mean", 33450.0, 0.0, is_best=False))
    return replace(board, entries=entries, columns=NUMBER_COLUMNS, matrices=(), baseline_name="mean")


def test_amounts_are_shown_with_digits_and_a_scale_of_their_own(houses):
    text = leaderboard_text(houses, 120).plain
    assert "12,961 [11,665, 14,258]" in text
    assert "RMSE with its 95 % interval, drawn from 10,000 to 40,000, ┊ = mean" in text
    assert "0.850" in text


def test_the_page_and_markdown_name_the_measures(houses):
    page = report_of_board(houses).to_html()
    assert 'data-label="RMSE">12,961' in page
    assert "A lower RMSE is better." in page
    assert "log loss" not in page
    assert "| learner | RMSE | 95 % interval | MAE | R² | verdict |" in report_of_board(houses).markdown()


def test_json_has_each_figure_under_its_name(houses, board):
    entry = houses.to_dict()["entries"][0]
    assert entry["rmse"]["value"] == 12961.4
    assert {"name", "rmse", "mae", "r_squared", "verdict"} <= set(entry)
    classes = board.to_dict()
    assert {"accuracy", "auc", "f1", "log_loss", "cost"} <= set(classes["entries"][0])
    assert classes["f1_name"] == "F1 (weighted)"
