"""The leaderboard in a terminal: everything said, within the width, whatever the names hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from crake.evaluation.report.board_columns import class_columns
from crake.render.leaderboard import Figure, Leaderboard
from crake.render.text.leaderboard import leaderboard_text


def _lines(board: Leaderboard, width: int = 80) -> list[str]:
    return leaderboard_text(board, width).plain.split("\n")


@pytest.mark.parametrize("width", [80, 100, 132, 200])
def test_no_line_is_wider_than_the_terminal(board, width):
    assert max(map(cell_len, _lines(board, width))) <= width


@pytest.mark.parametrize("width", [80, 200])
def test_everything_is_said_at_any_width(board, width):
    text = " ".join(leaderboard_text(board, width).plain.split())
    for entry in board.entries:
        assert entry.name in text
        assert entry.verdict in text
    for said in (board.headline, *board.warnings, board.protocol, "0.775 [0.745, 0.805]", "0.825", "0.755", "0.412"):
        assert said in text


def test_what_two_columns_are_about_is_said_once(board):
    columns = tuple(
        replace(c, full_title=f"{c.title} (of class yes)") if c.title != "accuracy" else c for c in board.columns
    )
    text = " ".join(" ".join(_lines(replace(board, columns=columns))).split())
    assert "AUC, F1 and log loss: of class yes" in text
    assert text.count("of class yes") == 1


def test_the_headline_comes_first(board):
    assert _lines(board, 200)[0] == board.headline


def test_lines_to_copy_are_not_broken(board):
    lines = _lines(replace(board, reproduce=(("Command line", "crake compare " + "x" * 200),)))
    assert "  crake compare " + "x" * 200 in lines


def test_the_interval_is_drawn_where_it_lies(board):
    lines = _lines(board)
    bars = [line[2:27] for line in lines if "●" in line]
    assert [bar.index("●") for bar in bars] == sorted((bar.index("●") for bar in bars), reverse=True)
    assert all(bar.index("├") < bar.index("●") < bar.index("┤") for bar in bars)


def test_baselines_are_dim_and_the_best_is_bold(board):
    text = leaderboard_text(board)
    styles = {text.plain[span.start : span.end].split("  ")[0]: str(span.style) for span in text.spans}
    assert styles["logistic regression"] == "bold"
    assert styles["majority"] == "dim"


def test_an_undefined_measure_shows_its_reason(board):
    first = board.entries[0]
    figures = (first.main, Figure(None, reason="one class only"), *first.figures[2:])
    entries = (replace(first, figures=figures), *board.entries[1:])
    text = leaderboard_text(replace(board, entries=entries)).plain
    assert "– AUC of logistic regression: undefined, one class only" in text


def test_control_characters_do_not_reach_the_terminal(board):
    hostile = "\x1b[31mred\x07\u202egnp.exe\nsecond line"
    entries = (replace(board.entries[0], name=hostile, verdict=hostile), *board.entries[1:])
    matrix = replace(board.matrices[0], name=hostile, labels=(hostile, "b"))
    text = leaderboard_text(
        replace(
            board,
            title=hostile,
            headline=hostile,
            entries=entries,
            matrices=(matrix,),
            warnings=(hostile,),
            notes=(hostile,),
            facts=((hostile, hostile),),
            protocol=hostile,
            columns=class_columns(hostile),
        )
    ).plain
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert r"\x1b[31mred" in text


def test_a_long_name_keeps_its_ends_and_the_columns(board):
    entries = (replace(board.entries[0], name="begin" + "x" * 1000 + "end"), *board.entries[1:])
    lines = _lines(replace(board, entries=entries))
    assert max(map(cell_len, lines)) <= 80
    assert any(line.startswith("begin") and line.endswith("end") for line in lines)


def test_a_name_with_parameters_stands_whole_on_its_own_line(board):
    name = "naive Bayes (alpha=0.5, numeric='kernel')"
    lines = _lines(replace(board, entries=(replace(board.entries[0], name=name), *board.entries[1:])))
    assert name in lines
    assert max(map(cell_len, lines)) <= 80


def test_narrow_intervals_get_a_fourth_decimal(board):
    entries = tuple(
        replace(entry, figures=(Figure(0.99931, 0.99926, 0.99937), *entry.figures[1:])) for entry in board.entries
    )
    assert "0.9993 [0.9993, 0.9994]" in leaderboard_text(replace(board, entries=entries)).plain


def test_the_matrix_of_many_classes_is_left_to_the_page(board):
    many = tuple(f"class {k}" for k in range(9))
    counts = tuple(tuple(1.0 for _ in many) for _ in many)
    matrix = replace(board.matrices[0], labels=many, counts=counts, recall=(0.1,) * 9, precision=(0.1,) * 9)
    assert "Confusion matrix" not in leaderboard_text(replace(board, matrices=(matrix,))).plain


def _shortened(board: Leaderboard) -> Leaderboard:
    """Return the board with the short verdicts that comparisons make."""
    short = ["best", "tied (p = 0.310)", *["worse (p = 0.020)"] * 2, *["worse (p < 0.001)"] * 2]
    remarks = ["", "not shown to beat the majority", "", "", "baseline", "baseline"]
    entries = [
        replace(entry, short_verdict=verdict, remark=remark)
        for entry, verdict, remark in zip(board.entries, short, remarks, strict=True)
    ]
    return replace(board, entries=tuple(entries))


def _table(board: Leaderboard, width: int) -> list[str]:
    """The lines from the heading of the table to the line on its interval."""
    lines = _lines(board, width)
    first = next(k for k, line in enumerate(lines) if line.startswith("learner"))
    last = next(k for k, line in enumerate(lines) if "with its 95 % interval" in line)
    return lines[first + 1 : last]


@pytest.mark.parametrize("width", [100, 101, 120, 132, 160, 200])
def test_from_100_columns_on_a_learner_has_one_line(board, width):
    lines = _table(_shortened(board), width)
    assert [line.split("  ")[0] for line in lines] == [entry.name for entry in board.entries]
    for line, entry in zip(lines, _shortened(board).entries, strict=True):
        assert entry.short_verdict in line or entry.verdict in line
    assert max(map(cell_len, _lines(_shortened(board), width))) <= width


@pytest.mark.parametrize(("width", "cells"), [(116, 14), (120, 18), (127, 25)])
def test_the_drawing_takes_the_room_that_is_left(board, width, cells):
    lines = _table(_shortened(board), width)
    numbers = len("logistic regression   0.775 [0.745, 0.805]  ")
    bars = [line[numbers : numbers + cells] for line in lines]
    assert all("●" in bar for bar in bars)
    assert lines[0][numbers + cells :].split()[0] == "0.825"


def test_below_100_columns_the_verdict_has_a_line_of_its_own(board):
    assert len(_table(_shortened(board), 99)) == 2 * len(board.entries)


def test_short_verdicts_are_explained_below(board):
    text = leaderboard_text(_shortened(board), 100).plain
    assert "tied (p = 0.310) †\n" in text
    assert "  tied: not distinguishable from the best; † not shown to beat the majority; ‡ baseline\n" in text


def test_columns_without_room_are_named_and_names_are_cut_last(board):
    first, *others = _shortened(board).entries
    long = replace(board, entries=(replace(first, name="naive Bayes (alpha=0.5, numeric='kernel')"), *others))
    lines = _lines(long, 100)
    assert "  no room for: log loss, fit s, predict s" in lines
    assert any(line.startswith("naive Bayes (alpha=0.5, numeric='kernel')  0.775") for line in lines)
    endless = replace(board, entries=(replace(first, name="begin" + "x" * 1000 + "end"), *others))
    assert max(map(cell_len, _lines(endless, 100))) <= 100
    assert len(_table(endless, 100)) == len(board.entries)


def test_short_verdicts_are_not_part_of_json(board):
    assert {"short_verdict", "remark"}.isdisjoint(_shortened(board).to_dict()["entries"][0])
