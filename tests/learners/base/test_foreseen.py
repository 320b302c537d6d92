"""Fits that would not end, or not fit into memory, say so before they start: in `fit`, and over a scan."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import crake
from crake.errors import CrakeError, CrakeWarning, DataError
from crake.learners.base import foreseen
from crake.learners.logistic import fitting as logistic
from crake.learners.logistic.separation import described
from crake.learners.svm import foreseen as svm

ROWS = 400


@pytest.fixture(scope="module")
def wide() -> pd.DataFrame:
    """A column of as many levels as rows, and one number."""
    x = np.random.default_rng(1).standard_normal(ROWS)
    frame = pd.DataFrame({"id": [f"i{k}" for k in range(ROWS)], "x": x})
    return frame.assign(y=np.where(x > 0, "a", "b"))


def _unreachable(*_: Any, **__: Any) -> Any:
    raise AssertionError("the fit has started")


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreseen, "machine_memory", lambda: 50_000.0)
    monkeypatch.setattr(logistic, "_fitted", _unreachable)


@pytest.mark.usefixtures("small_machine")
def test_a_fit_beyond_memory_raises_before_it_starts(wide: pd.DataFrame) -> None:
    X, y = wide[["id", "x"]], wide["y"]
    with pytest.raises(CrakeError, match=r"401 terms × 1 classes \(401 coefficients\) would take .*, as 'id' with 400"):
        crake.LogisticClassifier().fit(X, y)


@pytest.mark.usefixtures("small_machine")
def test_a_scan_and_a_named_learner_of_a_comparison_are_bounded_too(wide: pd.DataFrame, tmp_path: Path) -> None:
    wide.to_parquet(tmp_path / "wide.parquet")
    scan = crake.read(tmp_path / "wide.parquet", target="y", in_memory=False)
    with pytest.raises(CrakeError, match="401 coefficients"):
        crake.LogisticClassifier().fit(scan)
    with pytest.raises(CrakeError, match="coefficients"):
        crake.compare(wide, target="y", learners=["logistic"])


def test_a_fit_that_takes_long_warns_before_it_starts(wide: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logistic, "MANY", 300)
    monkeypatch.setattr(svm, "LONG", 1e6)
    X, y = wide[["id", "x"]], wide["y"]
    for model in (crake.LogisticClassifier(max_iter=1), crake.SVMClassifier(probability="votes")):
        with pytest.warns(CrakeWarning, match="may take many minutes: leave out columns of many levels, as 'id'"):
            model.fit(X, y)


def test_an_svm_that_would_take_an_hour_is_refused_unless_a_solver_is_named(
    wide: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = crake.SVMClassifier().fit(wide[["x"]], wide["y"])
    with pytest.raises(DataError, match=r"20,000 rows × 5,000 coordinates .* about 40 minutes; expected at most 15: "):
        svm.foresee(model, 20_000, 5_000)
    svm.foresee(model, 20_000, 500)
    several = crake.SVMClassifier().fit([[k % 13] for k in range(130)], [k % 13 for k in range(130)])
    with pytest.raises(DataError, match="about 30 minutes"):  # 13 classes have 78 machines of 2/13 of the rows
        svm.foresee(several, 20_000, 2_000)
    monkeypatch.setattr(svm, "EACH_SECOND", 1e4)
    X, y = wide[["id", "x"]], wide["y"]
    advice = (
        "as 'id' with 400; or take probability='votes', .*; solver='liblinear', .*; "
        "solver='interior-point', which insists"
    )
    with pytest.raises(DataError, match=advice):
        crake.SVMClassifier().fit(X, y)
    with pytest.raises(DataError, match="as 'id' with 400; or take solver='libsvm'"):
        crake.SVMClassifier("rbf", probability="votes").fit(X, y)
    comparison = crake.compare(wide, target="y", learners=["majority", "1r", "svm"], plan="cv2")
    assert [each.name for each in comparison.failures] == ["SVM"]
    assert "crake compare --set svm.solver=interior-point" in comparison.failures[0].reason
    for solver in ("interior-point", "libsvm"):
        assert crake.SVMClassifier(solver=solver, probability="votes").fit(X, y).score(X, y) > 0.9
    assert crake.SVMClassifier().fit(X, ["one"] * ROWS).predict(X)[0] == "one"  # nothing to find


def test_an_svm_of_another_kernel_is_foreseen_by_the_square_of_its_rows(wide: pd.DataFrame) -> None:
    """LIBSVM finds it: the steps of planes of few coordinates are not its."""
    plane, rbf = (crake.SVMClassifier(kernel).fit(wide[["x"]], wide["y"]) for kernel in ("linear", "rbf"))
    svm.foresee(plane, 100_000, 20)
    svm.foresee(rbf, 20_000, 20)
    with pytest.warns(CrakeWarning, match="may take many minutes"):
        svm.foresee(rbf, 60_000, 20)
    with pytest.raises(
        DataError, match=r"about 16 minutes; .*; or take probability='votes', a sixth of the work; solver="
    ):
        svm.foresee(rbf, 100_000, 20)


def test_usual_fits_neither_raise_nor_warn(wide: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (crake.LogisticClassifier("ridge"), crake.SVMClassifier(probability="votes")):
            model.fit(wide[["x"]], wide["y"])


def test_a_container_may_have_less_memory_than_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = foreseen.machine_memory()
    (tmp_path / "max").write_text("max\n")
    (tmp_path / "limit").write_text("1048576\n")
    monkeypatch.setattr("crake.machine.LIMITS", (str(tmp_path / "max"), str(tmp_path / "nothing")))
    assert foreseen.machine_memory() >= whole
    monkeypatch.setattr("crake.machine.LIMITS", (str(tmp_path / "max"), str(tmp_path / "limit")))
    assert foreseen.machine_memory() == 2**20


def test_naming_the_columns_that_separate_is_linear_in_the_terms() -> None:
    terms = 2000
    design = SimpleNamespace(
        numbers=0, terms=[SimpleNamespace(column="id")] * terms, schema=SimpleNamespace(numeric=(), classes=())
    )
    rows = SimpleNamespace(batches=lambda: iter(()))
    calls = 0

    def count(_: Any, event: str, function: Any) -> None:
        nonlocal calls
        calls += event == "c_call" and getattr(function, "__name__", "") in {"max", "reduce"}

    sys.setprofile(count)
    try:
        found = described(False, np.ones((terms, 1)), design, rows, np.array([0, 1]), np.ones(terms))  # type: ignore[arg-type]
    finally:
        sys.setprofile(None)
    assert found.columns == ("id",)
    assert calls < 20
