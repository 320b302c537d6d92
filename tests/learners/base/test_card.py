"""Learners whose time is foreseen too long are left out of comparisons, with the reason."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import crake
from crake.evaluation.comparison.learners import learners_for
from crake.kernels import threads
from crake.learners.base.card import Shape
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.registry import compared, too_slow
from crake.workbench.learners.compared import Compared
from crake.workbench.progress import Progress


@pytest.mark.parametrize(
    ("shape", "title", "name", "reason"),
    [
        (Shape(300, 299, 0, (299, 101, 234)), "CART", "cart", "299 classes × 634 levels"),
        (Shape(300, 299, 0, (299, 101, 234)), "CHAID", "chaid", "299 classes × 634 levels"),
        (Shape(1_200_000, 2, 1, (1_200_000,)), "logistic regression", "logistic",
         "1,200,001 coefficients (more than 100,000)"),
        (Shape(20_000, 26, 16), "logistic regression", "logistic", "20,000 rows (about 3.2 s a fit)"),
        (Shape(100_000, 3, 20), "random forest", "forest", "100,000 rows (about 33 s a fit)"),
        (Shape(9_000, 2, 0, (5_000,)), "SVM", "svm", "9,000 rows × 5,000 columns and levels"),
    ],
)  # fmt: skip
def test_what_takes_too_long_is_left_out_with_the_reason(shape: Shape, title: str, name: str, reason: str) -> None:
    assert any(note.startswith(f"{title} is left out, slow with {reason}: -l ") for note in too_slow(shape))
    assert name not in compared(shape)
    assert name in compared(Shape(shape.rows if title == "CART" else 100, 3, 3, (30,)))
    assert "logistic" in compared(Shape(3_000_000, 2, 30))  # long, and yet no longer than the trees


def test_comparisons_foresee_the_time_from_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.base.card.MOST_STEPS", 10)
    frame = pd.DataFrame({"level": list("abcdefabcdef") * 3, "class": list("xyz") * 12})
    table = crake.read(frame, "class")
    learners, notes = learners_for(None, table)
    assert not any(isinstance(each, crake.CARTClassifier) for each in learners)
    assert "CART is left out, slow with 3 classes × 6 levels: -l cart compares it" in notes
    (cart,), notes = learners_for(["cart"], table)
    assert isinstance(cart, crake.CARTClassifier)
    assert notes == ()


class Heard(Progress):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, text: str) -> None:
        self.heard.append(text)


def test_the_time_is_said_before_the_work_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    table, heard = crake.read("iris"), Heard()
    Compared().note_time(table, 10, heard)
    assert heard.heard == []
    slow = seconds_of(100, member=0.1, cell=0.0)
    monkeypatch.setattr(crake.ForestClassifier, "card", replace(crake.ForestClassifier.card, seconds=slow))
    with threads.limited(2):
        Compared(("forest", "c4.5")).note_time(table, 10, heard)
    assert heard.heard == ["note: foreseen to take about 50 s in 10 fits: random forest 50 s"]
    assert "forest" not in compared(Shape(150, 3, 4))
