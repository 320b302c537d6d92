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

    `edits` counts the files of edits; `before` is the file that the last one was made from, "" without edits. `version`
    is another text after each change.
    """

    place: int
    learner: str
    path: str
    model: Any
    edits: int = 0
    before: str = ""
    version: str = ""


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
            reason = "its table is scanned, an older crake made it, or its files are damaged"
            raise Problem(404, "no_model", f"this run kept no model: {reason}")
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
        written = path.stat().st_mtime_ns if path.is_file() else 0
        model = self._kept.get((path, written), lambda: load(path))
        before = self._project.relative(self._file(run, place, edits - 1)) if edits else ""
        own, version = self._project.relative(path), f"{edits}.{written}"
        return FittedModel(place, learners[place], own, model, edits, before, version)

    def edit(self, run: RunEntry, place: str, change: Callable[[Any], Any], version: str = "") -> FittedModel:
        """Write a model as `change` makes it, in a file beside the one that it was made from.

        Raise if a `version` is given and the model has another one: numbers of nodes mean others by now.
        """
        with self._lock:
            fitted = self._unchanged(run, place, version)
            if fitted.edits >= MOST_EDITS:
                raise Problem(422, "edits", f"a tree is edited {MOST_EDITS:,} times at most; save it and go on there")
            save(change(fitted.model), self._file(run, fitted.place, fitted.edits + 1))
            self._write_edits(run, fitted.place, fitted.edits + 1)
        return self.at(run, place)

    def undo(self, run: RunEntry, place: str, version: str = "") -> FittedModel:
        """Take the last edit of a model back."""
        with self._lock:
            fitted = self._unchanged(run, place, version)
            if not fitted.edits:
                raise Problem(422, "edits", "nothing was edited here; there is nothing to undo")
            self._write_edits(run, fitted.place, fitted.edits - 1)
            with suppress(OSError):
                self._file(run, fitted.place, fitted.edits).unlink()
        return self.at(run, place)

    def _unchanged(self, run: RunEntry, place: str, version: str) -> FittedModel:
        fitted = self.at(run, place)
        if version not in ("", fitted.version):
            message = "this tree was edited since the page was shown; look at it again, and edit what is there now"
            raise Problem(409, "edited", message)
        return fitted

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
            listed = json.loads((self._project.run_folder(run.id) / "models.json").read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        is_list = isinstance(listed, list) and all(isinstance(each, dict) for each in listed)
        return listed if is_list and all(isinstance(each.get("learner"), str) for each in listed) else []
