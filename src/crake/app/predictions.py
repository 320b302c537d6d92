"""The out-of-fold predictions of a run: kept in a file for each learner, read when a cell or a test is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.evaluation.result.regression import NumberEvaluation
from crake.files import replace_file
from crake.server.problems import Problem

FOLDER, LIST = "predictions", "predictions.json"
MOST_NUMBERS = 50_000_000
"""Probabilities that are kept for a learner, 400 MB; more rows have no cells to open."""
ARRAYS = ("rows", "fold", "weights", "actual", "probabilities", "predicted", "answered", "repeat", "training_rows")


def keep_predictions(folder: Path, evaluations: Sequence[EvaluationBase]) -> None:
    """Write the predictions of a run's learners, in the order of the leaderboard; those of huge tables are left out."""
    listed = []
    for place, evaluation in enumerate(evaluations):
        predictions: Any = evaluation.out_of_fold
        numbers = getattr(predictions, "probabilities", predictions.predicted)
        if numbers.size > MOST_NUMBERS:
            return
        arrays = {name: getattr(predictions, name, None) for name in ARRAYS}
        if isinstance(predictions, ClassPredictions):
            arrays["predicted"] = None  # follows from the probabilities, or is `answered`
        tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items() if array is not None}
        (folder / FOLDER).mkdir(exist_ok=True)
        replace_file(folder / FOLDER / f"{place}.safetensors", safetensors.save(tensors))
        listed.append({
            "learner": evaluation.name, "table": evaluation.table, "target": evaluation.target, "plan": evaluation.plan,
            "answers": getattr(evaluation, "answers", ""), "positive": _text(getattr(evaluation, "positive", None)),
            "classes": [str(label) for label in getattr(evaluation, "classes", ())],
        })  # fmt: skip
    replace_file(folder / LIST, json.dumps(listed).encode())


def _text(label: Any) -> str | None:
    return None if label is None else str(label)


@dataclass(frozen=True, eq=False)
class Cell:
    """Some of a learner's predictions: which lines of its out-of-fold table, and the words for them."""

    lines: NDArray[np.intp]
    words: str


@dataclass(frozen=True, eq=False)
class KeptPredictions:
    """The predictions of one learner of a run."""

    evaluation: Evaluation | NumberEvaluation

    @classmethod
    def read(cls, folder: Path, place: int) -> KeptPredictions:
        """Read them; raise if the run kept none."""
        gone = Problem(404, "no_predictions", "this run kept no predictions: run it again to look at single rows")
        try:
            listed = json.loads((folder / LIST).read_text("utf-8"))
            about = listed[place]
            arrays = safetensors.load((folder / FOLDER / f"{place}.safetensors").read_bytes())
            return cls(_evaluation(about, arrays))
        except (OSError, ValueError, KeyError, IndexError, TypeError, SafetensorError):
            raise gone from None

    def matrix(self) -> NDArray[np.int64]:
        """Return how many rows of each class were given each class."""
        own = self._classified()
        size = len(own.classes)
        cells = own.out_of_fold.actual.astype(np.int64) * size + own.out_of_fold.predicted
        return np.bincount(cells, minlength=size * size).reshape(size, size)

    def cell(self, actual: str, predicted: str) -> Cell:
        """Return the lines of rows that are of one class and were given another, or the same."""
        own = self._classified()
        a, p = (self._code(label) for label in (actual, predicted))
        found = np.flatnonzero((own.out_of_fold.actual == a) & (own.out_of_fold.predicted == p))
        return Cell(self._worst_first(found), f"{actual} taken for {predicted}" if a != p else f"{actual}, and right")

    def cell_at(self, label: str, cutoff: float, name: str) -> Cell:
        """Return the lines of a cell of the matrix at a cutoff: tp, fn, fp or tn of a class."""
        own = self._classified()
        code = self._code(label)
        if name not in _CELLS:
            raise Problem(422, "cell", f"expected one of {', '.join(_CELLS)}")
        is_own, is_called = own.out_of_fold.actual == code, own.out_of_fold.probabilities[:, code] >= cutoff
        wanted_own, wanted_called, words = _CELLS[name]
        found = np.flatnonzero((is_own == wanted_own) & (is_called == wanted_called))
        where = f"at cutoff {cutoff:g}" if cutoff <= 1 else "at a cutoff above every probability"
        return Cell(self._worst_first(found), f"{words.format(label)} {where}")

    def _classified(self) -> Evaluation:
        if not isinstance(self.evaluation, Evaluation):
            raise Problem(404, "no_matrix", "this learner predicts numbers: it has no matrix of classes")
        return self.evaluation

    def _code(self, label: str) -> int:
        classes = self._classified().classes
        if label not in classes:
            raise Problem(404, "no_class", "there is no such class in this run")
        return classes.index(label)

    def _worst_first(self, lines: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the lines whose own class got the least probability first."""
        own = self._classified().out_of_fold
        probability = own.probabilities[lines, own.actual[lines]]
        return lines[np.lexsort((own.rows[lines], probability))]


_CELLS = {
    "tp": (True, True, "{} and called so,"),
    "fn": (True, False, "{} and not called so,"),
    "fp": (False, True, "called {0} but not {0},"),
    "tn": (False, False, "not {} and not called so,"),
}


def _evaluation(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Evaluation | NumberEvaluation:
    """Return the evaluation that the stored predictions give, checked for what its measures rely on."""
    rows, length = arrays["rows"].astype(np.intp), len(arrays["rows"])
    common: dict[str, Any] = {
        "rows": rows, "fold": arrays["fold"].astype(np.int32), "weights": arrays["weights"].astype(np.float64),
        "fit_seconds": 0.0, "predict_seconds": 0.0, "repeat": arrays.get("repeat"),
        "training_rows": arrays.get("training_rows"),
    }  # fmt: skip
    if any(len(common[name]) != length for name in ("fold", "weights")) or (length and rows.min() < 0):
        raise ValueError("lengths differ")
    who: dict[str, Any] = {key: str(about[key]) for key in ("table", "target", "plan")}
    if not about["classes"]:
        numbers = NumericPredictions(**common, actual=arrays["actual"], predicted=arrays["predicted"])
        return NumberEvaluation(name=str(about["learner"]), **who, out_of_fold=numbers)
    classes = tuple(map(str, about["classes"]))
    actual, probabilities = arrays["actual"].astype(np.int32), arrays["probabilities"].astype(np.float64)
    if probabilities.shape != (length, len(classes)) or len(actual) != length or not _are_codes(actual, classes):
        raise ValueError("no probability for each class")
    answered = arrays.get("answered")
    if answered is not None and (len(answered) != length or not _are_codes(answered, classes)):
        raise ValueError("answers that are no classes")
    kind = about["answers"]
    predictions = ClassPredictions(**common, actual=actual, probabilities=probabilities, answered=answered, kind=kind)
    positive = about["positive"] if about["positive"] in classes else None
    return Evaluation(
        name=str(about["learner"]), **who, classes=classes, out_of_fold=predictions, positive=positive, answers=kind
    )


def _are_codes(codes: NDArray[Any], classes: Sequence[str]) -> bool:
    return not len(codes) or (int(codes.min()) >= 0 and int(codes.max()) < len(classes))
