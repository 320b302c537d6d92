"""The fitted models of a run: each learner as a file, loaded while it is looked at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from crake.app.index import DONE, RunEntry
from crake.app.project import Project
from crake.app.recent import Recent
from crake.modelfile import load
from crake.server.exchange import Request
from crake.server.problems import Problem

KEPT = 4
"""Models that are kept in memory."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model of a run: its place on the leaderboard, its learner, its file as a command names it."""

    place: int
    learner: str
    path: str
    model: Any


class FittedModels:
    """Models of runs, by their place on the leaderboard."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept = Recent[Any](KEPT)

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
        text = request.query.get("model", "0")
        learners = self.learners(run)
        places = [str(place) for place in range(len(learners))]
        if text not in places:
            raise Problem(404, "no_model", f"expected the place of a learner from 0 to {len(learners) - 1}")
        place = places.index(text)
        path = self._project.run_folder(run.id) / "models" / f"{place}.crake"
        model = self._kept.get(path, lambda: load(path))
        return FittedModel(place, learners[place], self._project.relative(path), model)

    def _listed(self, run: RunEntry) -> list[dict[str, str]]:
        try:
            text = (self._project.run_folder(run.id) / "models.json").read_text("utf-8")
        except OSError:
            return []
        listed: list[dict[str, str]] = json.loads(text)
        return listed
