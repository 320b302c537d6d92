"""The pictures of every ensemble: its error as it grows, the columns that matter, the tree most like it, members."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.regressor import TableRegressor
from crake.learners.ensemble.error_curves import TRAINING, ErrorCurve, draw_error_curves
from crake.learners.ensemble.errors_by_member import curve_on
from crake.learners.ensemble.likeness import Imitated, some_rows
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import percent
from crake.render.sentences import counted
from crake.table.schema import Schema
from crake.table.table import Table

SIDE_BY_SIDE = 520.0
"""The width of drawings of which two stand beside each other in a page."""


class ShownEnsemble(Imitated):
    """The pictures of an ensemble. One that grows member by member implements `_staged`."""

    schema_: Schema
    _counted_in: ClassVar[str] = "members"
    _removed: ClassVar[str] = "impurity"
    """What the splits of members remove, by which columns are important."""

    if TYPE_CHECKING:

        @property
        def estimators_(self) -> Any: ...
        @property
        def feature_importances_(self) -> Floats: ...

    @property
    def n_members_(self) -> int:
        """The number of members that `draw_member` draws."""
        check_is_fitted(self)
        return len(self.estimators_)

    def draw_rounds(self, table: Table | None = None, training: Table | None = None, *, width: float = 560) -> Drawing:
        """Draw the error by the number of members: on a labelled table that was not learned from, with its interval.

        The training rows, if given, have a line of their own: where the two part, more members learn the rows by heart.
        What the model itself knows of its errors (out of bag, on rows held out, on the training rows) is drawn, too.
        """
        check_is_fitted(self)
        self._refuse_without_rounds()
        curves = [] if table is None else [curve_on(self, table, self._staged, "on the rows tested")]
        curves += self._own_curves(is_tested=table is not None)
        if training is not None and not any(curve.where == TRAINING for curve in curves):
            learned = curve_on(self, training, self._staged, TRAINING)
            curves.append(ErrorCurve.on_training_rows(learned.errors))
        if not curves:
            raise CrakeError(self._no_curve())
        kept = self._members_kept()
        return draw_error_curves(
            curves,
            title=f"{self._name()} by number of {self._counted_in}: {kept}",
            subject=self._subject(),
            counted_in=self._counted_in,
            kept=kept,
            measure="root mean squared error" if isinstance(self, TableRegressor) else "error",
            notes=self._notes_on_rounds(),
            width=width,
        )

    def draw_importances(self, *, most: int = 20, width: float = 560) -> Drawing:
        """Draw the columns by their importance; members must be trees, or what has importances of its own."""
        check_is_fitted(self)
        shares = self._importances()
        shown = max(1, min(most, int(np.count_nonzero(shares))))
        order = [int(j) for j in np.argsort(-shares, kind="stable")][:shown]
        names = [column.name for column in self.schema_.features]
        bars = tuple(Bar(names[j], float(shares[j]), percent(float(shares[j])), at == 0) for at, j in enumerate(order))
        first = percent(float(shares[order[0]]))
        finding = f"{names[order[0]]} removes the largest share of the {self._removed}: {first}."
        if shares[order[0]] == 0:
            finding = "No tree has a split: every row gets the same prediction."
        title = f"{self._name()}: importance of the columns"
        return bar_drawing(BarPicture(title, self._measured_on(), finding, bars, _others(shares, shown)), width)

    def draw_member(self, number: int) -> Drawing:
        """Draw one member, such as a tree of a forest; the first is 1, as `explain` numbers them."""
        member = self.estimators_[self._place(number)]
        drawings = member.pictures() if hasattr(member, "pictures") else ()
        if not drawings:
            raise CrakeError(f"expected members that can be drawn, such as trees, got {member!r}")
        drawing: Drawing = drawings[0]
        title = f"Member {number} of {self.n_members_}: {drawing.title[:1].lower()}{drawing.title[1:]}"
        return replace(drawing, title=title).noted(self.member_note(number))

    def member_note(self, number: int) -> str:
        """Return one sentence on a member: its number, its size if it is a tree."""
        member = self.estimators_[self._place(number)]
        leaves = getattr(member, "n_leaves_", 0)
        size = f": {leaves:,} {'leaf' if leaves == 1 else 'leaves'}" if leaves else ""
        return f"Member {number} of {self.n_members_}{size}."

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the tree most like the model, what it knows of its errors, and the importance of the columns."""
        return (*self._tree_pictures(table), *self._own_pictures())

    def pictures_of_rows(self, training: Table, tested: Table | None = None) -> tuple[Drawing, ...]:
        """Return the pictures with the error on the rows learned from, and on a table that was not learned from.

        Of many rows learned from the error is that of a sample.
        """
        some = some_rows(training)
        try:
            curve = self.draw_rounds(tested, some, width=SIDE_BY_SIDE)
        except CrakeError:  # it does not grow member by member
            return (*self._own_pictures(), *self._tree_pictures(training))
        if len(some) < len(training) and not self._knows_training_errors():
            curve = curve.noted(f"On the training rows: a sample of {len(some):,} of {len(training):,}.")
        return (curve, *self._other_pictures(SIDE_BY_SIDE), *self._tree_pictures(training))

    def _knows_training_errors(self) -> bool:
        return any(curve.where == TRAINING for curve in self._own_curves(is_tested=False))

    def _own_pictures(self) -> tuple[Drawing, ...]:
        return (*self._curve_pictures(), *self._other_pictures())

    def _curve_pictures(self) -> tuple[Drawing, ...]:
        """Return the error by the number of members, if the model knows any."""
        try:
            return (self.draw_rounds(),)
        except CrakeError:
            return ()

    def _other_pictures(self, width: float = 560) -> tuple[Drawing, ...]:
        """Return the importance of the columns, if members have any."""
        try:
            return (self.draw_importances(width=width),)
        except CrakeError:
            return ()

    def _importances(self) -> Floats:
        """Return the shares of the columns; raise for members that have none."""
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            raise CrakeError(f"expected members with importances, such as trees, got {self.estimators_[0]!r}")
        shares: Floats = np.asarray(self.feature_importances_, np.float64)
        return shares

    def _measured_on(self) -> str:
        return f"mean of {counted(self.n_members_, 'member')}"

    def _staged(self, table: Table) -> Iterable[Floats]:
        """Yield what the model says of rows after each member."""
        del table
        raise CrakeError(f"expected an ensemble that grows member by member, got {type(self).__name__}")

    def _own_curves(self, *, is_tested: bool) -> list[ErrorCurve]:
        """Return the errors that the model itself knows; `is_tested`: there are rows to test it on as it is."""
        del is_tested
        return []

    def _members_kept(self) -> int:
        return self.n_members_

    def _refuse_without_rounds(self) -> None:
        """Raise for a model that has nothing to count."""

    def _no_curve(self) -> str:
        return "expected a labelled table to test on, got none, and the model knows no errors of its own"

    def _notes_on_rounds(self) -> tuple[str, ...]:
        return ()

    def _subject(self) -> str:
        return ""

    def _name(self) -> str:
        raise NotImplementedError

    def _place(self, number: int) -> int:
        if not 1 <= number <= self.n_members_:
            raise CrakeError(f"there is no member {number}; expected one from 1 to {self.n_members_}")
        return number - 1


def _others(shares: Floats, shown: int) -> tuple[str, ...]:
    """Say how many columns are not drawn: those of less importance than the ones shown, and those of none.

    >>> _others(np.array([0.5, 0.0, 0.3, 0.2, 0.0]), 2)
    ('1 more column is less important.', '2 more columns have no importance.')
    """
    without = len(shares) - max(shown, int(np.count_nonzero(shares)))
    less = len(shares) - shown - without
    said = [f"{counted(less, 'more column')} {'is' if less == 1 else 'are'} less important."] if less else []
    said += [f"{counted(without, 'more column')} {'has' if without == 1 else 'have'} no importance."] if without else []
    return tuple(said)
