"""The picture of a learner around another one: that of the learner within, and below it what is added."""

from __future__ import annotations

from typing import Any

from crake.errors import CrakeError
from crake.render.drawing.drawing import Drawing
from crake.table.table import Table


def draw_within(learner: Any, what: Any, options: dict[str, Any], *notes: str) -> Drawing:
    """What the learner within draws when it is asked in these words."""
    if not hasattr(learner, "draw"):
        raise CrakeError(f"{type(learner).__name__} is not one of crake's learners: it has no drawing")
    drawing: Drawing = learner.draw(**options) if what is None else learner.draw(what, **options)
    return drawing.noted(*notes)


def pictures_within(learner: Any, table: Table | None, *notes: str) -> tuple[Drawing, ...]:
    """The drawings of a report; the first says what is added."""
    first, *others = learner.pictures(table) if hasattr(learner, "pictures") else [None]
    return () if first is None else (first.noted(*notes), *others)
