"""The calculations as LaTeX, set by LaTeX itself: those of every learner and every measure, with names of any kind."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.contract.estimators import REGRESSORS, VARIANTS
from tests.contract.test_rows_explained import fitted
from tests.render.workings.test_renderings import HOSTILE, worked

import crake
from crake.metrics.measures import CLASSIFICATION, REGRESSION
from crake.table.examples import load

BEFORE = r"\documentclass{article}\usepackage{amsmath}\allowdisplaybreaks\begin{document}"
FONT = "DejaVu Sans"
WIDEST_OVER = 72.0
"""Points by which a line may reach into the margin: an inch, of nearly two."""
LATIN = (
    "% _ & \\ { } # $ ~ ^",
    "C:\\temp\\new",
    "{x",
    "x}",
    "#1",
    "~",
    "^",
    "`'\"",
    "naïve Größe Łódź ça",
    "*",
    "[1pt]",
)
SCRIPTS = ("ελληνικά", "кириллица", "שלום עולם", "naïve Größe", "α β γ ≥ ∞")


def compiled(engine: str, parts: list[str], folder: Path, before: str = BEFORE) -> str:
    """What the engine says of a document of these parts; it stops at the first thing it does not understand."""
    found = shutil.which(engine)
    if found is None:
        pytest.skip(f"no {engine} on this machine: LaTeX is parsed by other tests, but not set")
    (folder / "all.tex").write_text(before + "\n\n".join(parts) + "\n\\end{document}\n", "utf-8")
    command = [found, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    said = (folder / "all.log").read_text("utf-8", "replace")
    assert done.returncode == 0, "\n".join(re.findall(r"^!.*(?:\n.*){0,8}", said, re.MULTILINE)[:3])
    assert "Output written on all.pdf" in said
    return said


def overfull(said: str) -> list[float]:
    """By how many points lines are wider than the text."""
    return [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", said)]


def learners() -> Iterator[Any]:
    """One row of two tables, a row without values, and what would change the answer."""
    for estimator in VARIANTS:
        for name in ("iris", "weather"):
            model, examples = fitted(estimator, name)
            row = examples.take(np.array([len(examples) // 2]))
            yield from (model.explain(row), model.explain({}), model.changes(row, examples))


def measures() -> Iterator[Any]:
    """Of two classes, of three, of numbers."""
    for name in ("breast-cancer", "iris"):
        found = crake.evaluate("naive-bayes", load(name))
        yield from (found.explain(measure.name) for measure in CLASSIFICATION if measure.explain)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60), rng.integers(0, 3, 60)])
    y = X[:, 0] * 2 + X[:, 1] + rng.normal(size=60)
    for estimator in REGRESSORS:
        yield clone(estimator).fit(X, y).explain(X[0])
    tested = crake.evaluate(crake.LinearRegressor(), X, y)
    yield from (tested.explain(measure.name) for measure in REGRESSION if measure.explain)


def test_every_learner_and_measure_is_set(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex on this machine: LaTeX is parsed by other tests, but not set")
    said = compiled("pdflatex", [each.latex() for each in (*learners(), *measures())], tmp_path)
    assert max(overfull(said), default=0.0) <= WIDEST_OVER


def test_names_of_any_kind_are_set(tmp_path: Path) -> None:
    compiled("pdflatex", [worked(name).latex() for name in (*HOSTILE, *LATIN)], tmp_path)


def test_other_scripts_are_set_by_xelatex(tmp_path: Path) -> None:
    before = BEFORE.replace("{amsmath}", "{amsmath,fontspec}")
    compiled("xelatex", [worked(name).latex() for name in (*HOSTILE, *SCRIPTS, "日本語の列")], tmp_path, before)


def test_a_font_that_has_the_letters_shows_them_all(tmp_path: Path) -> None:
    listed = shutil.which("fc-list")
    has_font = listed and subprocess.run([listed, FONT], capture_output=True, check=False).stdout
    if not has_font:
        pytest.skip(f"the font {FONT} is not on this machine: whether xelatex has every letter is not tested")
    before = BEFORE.replace("{amsmath}", rf"{{amsmath,fontspec}}\setmainfont{{{FONT}}}")
    said = compiled("xelatex", [worked(name).latex() for name in SCRIPTS], tmp_path, before)
    assert "Missing character" not in said
