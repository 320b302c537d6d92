"""The sampler SMOTE: parameters, counts, and what it says about the classes it had to treat differently."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from crake.balance.amounts import CONSTRAINT
from crake.balance.cells import cells_of
from crake.balance.sample import Sample
from crake.balance.sampler import Sampler
from crake.balance.scarce import Made, Scarce, sample_with_new_rows
from crake.balance.smote.borderline import AROUND, at_the_border
from crake.balance.smote.neighbours import nearest_others
from crake.balance.smote.segments import new_rows
from crake.balance.smote.space import Space
from crake.errors import DataError
from crake.learners.base.parameters import Interval
from crake.table.table import Table


class SMOTE(Sampler):
    """Make up rows of rare classes, each between a row of the class and one of its nearest neighbours in the class.

    A number of the new row is x + u·(x′ − x), with the row x, its neighbour x′ and u drawn from 0 to 1, one u for the
    whole row. So the new row lies on the segment between both; whole numbers may become fractions. A name is the most
    frequent one among all `n_neighbors` neighbours of x, and one of several most frequent ones is drawn.

    Distances are Euclidean. Each name that differs adds the square of the median standard deviation of the numbers in
    the class, or 1 if the table has no numbers. Numbers are not scaled: a column of large numbers decides who is near.

    A missing number lies at the mean of the class while neighbours are searched, and missing is a name of its own. A
    new number is between known ones. Where one of both is missing, the new row takes the cell of the end that it is
    nearer to, missing or not. A new name is missing only if it is missing in all neighbours.

    Parameters
    ----------
    amount : "equal", float, int or dict, default="equal"
        Rows to have. "equal": each class as many as the largest. A float is a ratio to the largest class, an int a
        number of rows; a dict has one of these by class.
    n_neighbors : int, default=5
        Nearest rows of the class, one of which is drawn. A class with fewer rows takes all its other rows, and says so.
    border : bool, default=False
        Make new rows only from rows at the border of the class: of their 10 nearest rows of all classes at least half,
        but not all, belong to other classes (Borderline-SMOTE1).
    nominal : "auto" or list, default="auto"
        Columns of X that `fit_resample` reads as nominal. A Table knows its own.
    random_state : int, default=1
        Seed. The same rows and the same seed give the same new rows, whatever the number of threads.

    References
    ----------
    Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE: synthetic minority over-sampling technique.

    Examples
    --------
    >>> import numpy as np, crake
    >>> X, y = np.array([[1.0], [2.0], [4.0], [9.0], [9.5]]), np.array(["no", "no", "no", "yes", "yes"])
    >>> more, labels = crake.SMOTE(n_neighbors=1).fit_resample(X, y)
    >>> labels.tolist().count("yes"), bool(9 <= more[-1, 0] <= 9.5)
    (3, True)
    """

    name: ClassVar[str] = "smote"
    makes_rows: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "amount": CONSTRAINT,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "border": ["boolean"],
        "nominal": [str, "array-like", None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        amount: Any = "equal",
        *,
        n_neighbors: int = 5,
        border: bool = False,
        nominal: Any = "auto",
        random_state: int = 1,
    ) -> None:
        self.amount = amount
        self.n_neighbors = n_neighbors
        self.border = border
        self.nominal = nominal
        self.random_state = random_state

    def _words(self) -> str:
        return "borderline SMOTE" if self.border else "SMOTE"

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        return sample_with_new_rows(table, self.amount, lambda scarce: self._new_rows(table, scarce, generator))

    def _new_rows(self, table: Table, scarce: Scarce, generator: np.random.Generator) -> Made:
        """Return new rows of one class, the place of the row that each was made from, and notes."""
        have = len(scarce.rows)
        if have < 2:
            raise DataError(
                f"SMOTE puts new rows between rows of a class, and the class {scarce.label!r} has {have} row; expected "
                "at least 2 rows: use Oversample, which copies rows, or Weights"
            )
        notes: tuple[str, ...] = ()
        k = min(self.n_neighbors, have - 1)
        if k < self.n_neighbors:
            few = f"SMOTE took fewer than {self.n_neighbors} neighbours of class {scarce.label}"
            notes = (f"{few}: {k}, as it has {have} rows.",)
        cells = cells_of(table, scarce.rows)
        space = Space.of(cells)
        among = None
        if self.border:
            among = at_the_border(table, scarce.rows, cells, space)
            if not len(among):
                among = None
                few = f"at least half, but not all, of its {AROUND} nearest rows belong to other classes"
                notes += (f"No row of the class {scarce.label} lies at the border ({few}): SMOTE took all its rows.",)
        drawn = scarce.draw(generator, among)
        used = np.zeros(have, np.intp)
        used[drawn] = 1
        bases = np.flatnonzero(used)
        neighbours = nearest_others(space, space.placed(cells), bases, k)
        places = (np.cumsum(used) - 1)[drawn]
        return new_rows(cells, neighbours, bases, places, generator), drawn, notes
