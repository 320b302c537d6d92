"""The fitted models of a run: each learner as a file, loaded while it is looked at, edited in files beside it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crake.app.index import DONE, RunEntry
from crake.app.project import Project
from crake.app.recent import Recent
from crake.files import replace_file
from crake.modelfile import load, save
from crake.server.exchange import Request
from crake.server.problems import Problem

KEPT = 4
"""Models that are kept in memory."""
MOST_EDITS = 1000


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model of a run: its place on the leaderboard, its learner, its file as a command names it.

    `edits` counts the files of edits; `before` is the file that the last one was made from, "" without edits.
    """

    place: int
    learner: str
    path: str
    model: Any
    edits: int = 0
    before: str = ""


class FittedModels:
    """Models of runs, by their place on the leaderboard."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept = Recent[Any](KEPT)
        self._lock = threading.Lock()

    def learners(self, run: RunEntry) -> list[str]:
        """Return the learners of a run, best first; raise for a run that has none to look at."""
        if run.state != DONE:
            raise Problem(404, "no_model", "this run has no model: it is not done")
        listed = self._listed(run)
        if not listed:
            raise Problem(404, "no_model", "this run kept no model: its table is scanned, or an older crake made it")
        return [each["learner"] for each in listed]

    def chosen(self, run: RunEntry, request: Request) -> FittedModel:
        """Return the model whose place is in the address, the best one without."""
        return self.at(run, request.query.get("model", "0"))

    def at(self, run: RunEntry, text: str) -> FittedModel:
        """Return the model of a place, with the edits that were made to it."""
        learners = self.learners(run)
        places = [str(place) for place in range(len(learners))]
        if text not in places:
            raise Problem(404, "no_model", f"expected the place of a learner from 0 to {len(learners) - 1}")
        place = places.index(text)
        edits = self._edits(self._listed(run), place)
        path = self._file(run, place, edits)
        model = self._kept.get((path, path.stat().st_mtime_ns if path.is_file() else 0), lambda: load(path))
        before = self._project.relative(self._file(run, place, edits - 1)) if edits else ""
        return FittedModel(place, learners[place], self._project.relative(path), model, edits, before)

    def edit(self, run: RunEntry, place: str, change: Callable[[Any], Any]) -> FittedModel:
        """Write a model as `change` makes it, in a file beside the one that it was made from."""
        with self._lock:
            fitted = self.at(run, place)
            if fitted.edits >= MOST_EDITS:
                raise Problem(422, "edits", f"a tree is edited {MOST_EDITS:,} times at most; save it and go on there")
            save(change(fitted.model), self._file(run, fitted.place, fitted.edits + 1))
            self._write_edits(run, fitted.place, fitted.edits + 1)
        return self.at(run, place)

    def undo(self, run: RunEntry, place: str) -> FittedModel:
        """Take the last edit of a model back."""
        with self._lock:
            fitted = self.at(run, place)
            if not fitted.edits:
                raise Problem(422, "edits", "nothing was edited here; there is nothing to undo")
            self._write_edits(run, fitted.place, fitted.edits - 1)
            with suppress(OSError):
                self._file(run, fitted.place, fitted.edits).unlink()
        return self.at(run, place)

    def _file(self, run: RunEntry, place: int, edits: int) -> Path:
        name = f"{place}.crake" if not edits else f"{place}.edited-{edits}.crake"
        return self._project.run_folder(run.id) / "models" / name

    def _edits(self, listed: list[dict[str, Any]], place: int) -> int:
        edits = listed[place].get("edits", 0)
        return edits if type(edits) is int and 0 <= edits <= MOST_EDITS else 0

    def _write_edits(self, run: RunEntry, place: int, edits: int) -> None:
        listed = self._listed(run)
        listed[place] = {**listed[place], "edits": edits}
        replace_file(self._project.run_folder(run.id) / "models.json", json.dumps(listed).encode())

    def _listed(self, run: RunEntry) -> list[dict[str, Any]]:
        try:
            text = (self._project.run_folder(run.id) / "models.json").read_text("utf-8")
        except OSError:
            return []
        listed: list[dict[str, Any]] = json.loads(text)
        return listed
