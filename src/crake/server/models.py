"""The models that are served: each file loaded whole, and taken over anew when it was replaced on disk."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crake.errors import CrakeError, did_you_mean
from crake.server.certain_rows import CertainRows
from crake.server.problems import Problem
from crake.table.schema import Schema
from crake.table.table import Table
from crake.workbench.models import is_regressor, load_predictor_with_checksum

ENDING = ".crake"
BRISK = 0.01
"""Seconds for two rows below which a model is tried on many."""
MANY_ROWS = 1 << 15
"""Rows after which every kernel is compiled that a few rows do not need."""
Stamp = tuple[int, int, int]
"""Modification time, size and number of a file: one of them differs after the file was replaced."""


@dataclass(eq=False)
class ServedModel:
    """A model as it was loaded from a file: it never changes, so that a request sees one model from end to end.

    `pace` is the time that the last prediction of few rows took, in seconds.
    """

    name: str
    model: Any
    sha256: str
    certain: CertainRows | None
    pace: float = 0.0

    @property
    def schema(self) -> Schema:
        """The columns of training."""
        schema: Schema = self.model.schema_
        return schema

    @property
    def learner(self) -> str:
        """The class of the learner."""
        return type(self.model).__name__

    @property
    def predicts_numbers(self) -> bool:
        """True for a regressor."""
        return is_regressor(self.model)


def loaded_model(path: Path, name: str) -> ServedModel:
    """Load a file; its first predictions are made at once."""
    model, checksum = load_predictor_with_checksum(str(path))
    certain = CertainRows.of(model)
    served = ServedModel(name, model, checksum, certain)
    if certain is not None:
        _prepare(served, certain)
    return served


def _prepare(served: ServedModel, certain: CertainRows) -> None:
    """Predict made-up rows: what is compiled or looked up once is there before the first request."""
    few = certain.made_up(2)
    for _ in range(2):
        begin = time.perf_counter()
        _predict(served, few)
        served.pace = time.perf_counter() - begin
    if served.pace < BRISK:
        _predict(served, certain.made_up(MANY_ROWS))


def _predict(served: ServedModel, table: Table) -> None:
    if served.predicts_numbers:
        served.model.answers(table)
    else:
        served.model.probabilities(table)


@dataclass
class _Place:
    """A file, the model that was loaded from it, and the reason why a newer content was not taken over."""

    path: Path
    served: ServedModel
    stamp: Stamp | None
    refused: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Models:
    """The served models by name; a file that was replaced is loaded by the next request that asks for its model."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._folders: list[Path] = []
        self._places: dict[str, _Place] = {}
        self._unusable: dict[Path, Stamp | None] = {}
        self._lock = threading.Lock()
        self.reloads = 0
        self.refusals = 0
        for source in sources:
            path = Path(source)
            if path.is_dir():
                self._folders.append(path)
            for file in _files(path) if path.is_dir() else (path,):
                self._add(file)
        if not self._places:
            raise CrakeError(f"{', '.join(map(str, self._folders))}: expected files that end in {ENDING}, got none")

    def __iter__(self) -> Iterator[ServedModel]:
        return iter([place.served for place in list(self._places.values())])

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def names(self) -> list[str]:
        """Return the names of all models; a file that was added to a folder is among them if it can be loaded."""
        with self._lock:  # two requests must not add the same file
            for folder in self._folders:
                for file in _files(folder):
                    self._add_later(file)
            return list(self._places)

    def named(self, name: str | None) -> _Place:
        """Return the place of a model; the name may be left out where there is one model."""
        if name is None:
            if len(self._places) == 1:
                return next(iter(self._places.values()))
            known = ", ".join(self._places)
            raise Problem(400, "no_model", f"several models are served: name one, ?model=NAME with NAME among {known}")
        if name not in self._places:
            self.names()
        if name not in self._places:
            hint = did_you_mean(name, self._places)
            raise Problem(404, "no_such_model", f"there is no model {name!r}.{hint} Models: {', '.join(self._places)}")
        return self._places[name]

    def is_current(self, place: _Place) -> bool:
        """Return True if the file is the one that was loaded, or was refused, or is gone."""
        stamp = _stamp(place.path)
        return stamp is None or stamp == place.stamp

    def renewed(self, place: _Place) -> ServedModel:
        """Load the file if it was replaced; a file that cannot be loaded leaves the model that is there."""
        with place.lock:
            stamp = _stamp(place.path)
            if stamp is None or stamp == place.stamp:
                return place.served
            try:
                place.served = loaded_model(place.path, place.served.name)
                place.refused = None
                self.reloads += 1
            except CrakeError as error:
                place.refused = str(error)
                self.refusals += 1
            place.stamp = stamp
            return place.served

    def current(self) -> list[ServedModel]:
        """Return all models; files that were replaced or added are loaded."""
        return [self.renewed(self._places[name]) for name in self.names()]

    def state(self, name: str) -> str:
        """Return "current", "removed", or why a newer file was not taken over."""
        place = self._places[name]
        if place.refused is not None:
            return place.refused
        return "removed" if _stamp(place.path) is None else "current"

    def _add_later(self, file: Path) -> None:
        """Add a file that came into a folder; one that cannot be loaded, or not yet, disturbs no request."""
        stamp = _stamp(file)
        if file.stem in self._places or self._unusable.get(file) == stamp:
            return
        try:
            self._add(file)
        except CrakeError:
            self.refusals += 1
            self._unusable[file] = stamp

    def _add(self, path: Path) -> None:
        if path.stem in self._places:
            other = self._places[path.stem].path
            if path.resolve() == other.resolve():
                return
            raise CrakeError(f"{other} and {path} would both be called {path.stem!r}: rename one of them")
        stamp = _stamp(path)
        self._places[path.stem] = _Place(path, loaded_model(path, path.stem), stamp)


def _files(folder: Path) -> list[Path]:
    """Return the model files of a folder; a folder that is gone has none, and what was loaded from it stays."""
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ENDING and file.is_file())
    except OSError:
        return []


def _stamp(path: Path) -> Stamp | None:
    try:
        status = os.stat(path)  # noqa: PTH116 (once a request: half the time of Path.stat)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
