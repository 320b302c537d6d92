"""The page of a model that is no tree: its drawings with the rows of its run, and of an ensemble one member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from crake.errors import CrakeError
from crake.learners.base.notebook import model_html
from crake.render.drawing.drawing import Drawing
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class ModelPage:
    """The drawings of a page; of an ensemble whose members can be drawn also which one, and how many there are.

    `asked` is the member that the address names, None without.
    """

    html: Markup
    asked: int | None = None
    member: int = 0
    members: int = 0
    note: str = ""
    drawing: str = ""

    @classmethod
    def of(cls, model: Any, table: Table, tested: Table | None, query: Mapping[str, str]) -> ModelPage:
        """Draw a model with the rows of its run, and those that it is tested on; raise for a member that is none."""
        html = Markup(model_html(model, drawings_of(model, table, tested)))  # noqa: S704 (escaped where made)
        if not hasattr(model, "draw_member") or model.n_members_ == 0:
            return cls(html)
        text = query.get("member", "")
        if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise CrakeError(f"member is {text[:40]!r}; expected a number from 1 to {model.n_members_:,}")
        asked = int(text) if text else None
        number = 1 if asked is None else asked
        note = model.member_note(number)  # raises for a number that no member has
        try:
            drawing = Markup(model.draw_member(number).svg())  # noqa: S704 (escaped where drawn)
        except CrakeError:  # members of another kind than trees may have no picture
            return cls(html)
        return cls(html, asked, number, model.n_members_, note, drawing)

    def document(self) -> dict[str, Any] | None:
        """Return the member for programs, None of models that have none to look at."""
        if not self.members:
            return None
        return {"number": self.member, "of": self.members, "note": self.note}


def drawings_of(model: Any, table: Table, tested: Table | None) -> Sequence[Drawing]:
    """Return the drawings of a model: their scales reach as far as the rows, errors are those of the rows."""
    rows = table if table.in_memory else None
    if rows is not None and hasattr(model, "pictures_of_rows"):
        drawn: Sequence[Drawing] = model.pictures_of_rows(rows, tested)
        return drawn
    for given in (rows, None):
        try:
            return tuple(model.pictures(given))
        except CrakeError:  # not every model can be drawn, not every table has what a scale needs
            continue
    return ()
