"""The sampler GAN: parameters, training on the rare classes, the rows made, and their quality."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Longs, Rows
from crake.balance.amounts import CONSTRAINT, rows_to_have
from crake.balance.cells import Cells, cells_of, table_of_cells, together
from crake.balance.gan.encoding import Encoding, Matrix
from crake.balance.gan.network import Shape
from crake.balance.gan.training import EVERY, Look, Trained, rows_of, train
from crake.balance.quality.distances import column_distances, mean_difference
from crake.balance.quality.quality import Quality, quality_of
from crake.balance.sample import Sample
from crake.balance.sampler import Sampler
from crake.balance.scarce import Scarce, scarce_classes
from crake.errors import CrakeError, DataError
from crake.learners.base.parameters import Interval
from crake.table.table import Table

FEWEST = 50
"""Rows of a class below which no network can be trained on it."""
MOST = 50_000
"""Rows of a class that the network is trained on; of more a part is drawn."""
LOOKED_AT = 2000
"""Made-up rows of a class that are compared with real ones, at least."""


class GAN(Sampler):
    """Make up rows of rare classes with a small conditional generative adversarial network (needs `crake[gan]`).

    A generator makes rows from random numbers, and a critic learns to tell them from real rows; each learns from the
    other. Both are told the class, and the mode or the name of one column of a real row, which the made-up row is to
    have too. Numbers are given as a mode and a place within it (a mixture of normal distributions per column, with
    frequent values as modes of their own). Missing values are a mode or a name of their own. Made-up numbers stay
    within the range of the rare classes, and are whole where all real ones are.

    The training looks at the made-up rows every 250 steps and keeps the generator with the smallest distance: that of
    the farthest column plus the mean difference of correlations. It stops and says so if the losses diverge. The
    quality of the rows is measured (`quality_`), and where it is beyond the stated limits, the notes advise against the
    rows. A class needs 50 rows at least, and a few hundred are few for a GAN: SMOTE takes a second where a GAN takes a
    minute. Of a class with more than 50,000 rows, 50,000 are drawn to learn from, and a note says so.

    Parameters
    ----------
    amount : "equal", float, int or dict, default="equal"
        Rows to have. "equal": each class as many as the largest. A float is a ratio to the largest class, an int a
        number of rows; a dict has one of these by class.
    steps : int, default=3000
        Steps of training, in portions of 250; each takes 500 rows.
    learning_rate : float, default=0.001
        Size of the first step of Adam; it falls to 0 towards the last one.
    verbose : bool, default=False
        Write the losses and the distance to standard error, every 250 steps.
    nominal : "auto" or list, default="auto"
        Columns of X that `fit_resample` reads as nominal. A Table knows its own.
    random_state : int, default=1
        Seed. On one machine the same rows and the same seed give the same made-up rows.

    Attributes
    ----------
    quality_ : list of Quality
        Distances between real and made-up rows, one for each class that got rows; of 2,000 made-up rows at least.
    history_ : list of Look
        Losses and the distance, every 250 steps.

    References
    ----------
    Xu, Skoularidou, Cuesta-Infante and Veeramachaneni (2019), Modeling tabular data using conditional GAN.
    """

    name: ClassVar[str] = "gan"
    makes_rows: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "amount": CONSTRAINT,
        "steps": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["boolean"],
        "nominal": [str, "array-like", None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        amount: Any = "equal",
        *,
        steps: int = 3000,
        learning_rate: float = 0.001,
        verbose: bool = False,
        nominal: Any = "auto",
        random_state: int = 1,
    ) -> None:
        self.amount = amount
        self.steps = steps
        self.learning_rate = learning_rate
        self.verbose = verbose
        self.nominal = nominal
        self.random_state = random_state

    def _words(self) -> str:
        return "GAN"

    def checked(self) -> GAN:
        """Check the parameters, and that JAX is installed."""
        require_jax()
        return super().checked()

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        require_jax()
        classes = table.schema.classes
        wanted, notes = rows_to_have(self.amount, np.bincount(table.target, minlength=len(classes)), classes, "more")
        scarce = list(scarce_classes(table, wanted))
        every = np.arange(len(table))
        self.quality_: list[Quality] = []
        self.history_: list[Look] = []
        if not scarce:
            return Sample(every, notes=notes)
        for each in scarce:
            if len(each.rows) < FEWEST:
                raise DataError(
                    f"a GAN learns from the rows of a class, and the class {each.label!r} has {len(each.rows)}; "
                    f"expected at least {FEWEST}: use SMOTE or Oversample"
                )
        if not table.schema.features:
            raise DataError("the table has no numeric and no nominal feature; expected one that a GAN can make up")
        seen = [cells_of(table, _some(each, generator)) for each in scarce]
        workshop = Workshop(seen, generator)
        trained = workshop.train(self.steps, self.learning_rate, self._watch)
        self.history_ = list(trained.looks)
        made, origin = [], []
        for number, each in enumerate(scarce):
            places = generator.integers(len(seen[number]), size=max(each.missing, LOOKED_AT))
            new = workshop.rows(trained, number, places)
            self.quality_.append(quality_of(table.schema, each.label, seen[number], new))
            made.append(new.take(np.arange(each.missing)))
            origin.append(each.rows[each.draw(generator)])
        notes += tuple(
            f"The GAN learned from a part of class {each.label}: {len(cells):,} of its {len(each.rows):,} rows, drawn."
            for each, cells in zip(scarce, seen, strict=True)
            if len(cells) < len(each.rows)
        )
        if trained.diverged is not None:
            notes += (_diverged(trained),)
        notes += tuple(quality.advice for quality in self.quality_ if quality.problems)
        remarks = tuple(quality.advice for quality in self.quality_ if not quality.problems)
        codes = np.repeat([each.code for each in scarce], [each.missing for each in scarce]).astype(np.int32)
        made_up = table_of_cells(table, together(made), codes, np.concatenate(origin))
        return Sample(every, made=made_up, notes=notes, remarks=remarks)

    def _watch(self, look: Look) -> None:
        if self.verbose:
            sys.stderr.write(
                f"GAN, step {look.step:,} of {-(-self.steps // EVERY) * EVERY:,}: loss of the critic "
                f"{look.critic_loss:.3f}, of the generator {look.generator_loss:.3f}; distance {look.distance:.3f}\n"
            )


class Workshop:
    """Encoded rows of the rare classes, and the making of more of them."""

    def __init__(self, seen: Sequence[Cells], generator: np.random.Generator) -> None:
        self.seen = seen
        self.seed = int(generator.integers(2**31))
        self.encoding = Encoding.of(together(seen))
        self.shape = Shape.of(self.encoding, len(seen))
        self.matrices: list[Matrix] = [self.encoding.encoded(cells, generator) for cells in seen]
        self.starts: Longs = np.concatenate([[0], np.cumsum([len(cells) for cells in seen])[:-1]]).astype(np.int64)

    def train(self, steps: int, rate: float, watch: Any) -> Trained:
        """Return the networks, trained on all classes together."""
        rows = np.concatenate(self.matrices)
        return train(
            rows, self.starts, self.shape, seed=self.seed, steps=steps, rate=rate, distance=self._distance, watch=watch
        )

    def rows(self, trained: Trained, number: int, places: Rows) -> Cells:
        """Return made-up rows of one class, each told a block of the real row at its place."""
        told, classes = self.matrices[number][places], np.full(len(places), number, np.int64)
        return self.encoding.decoded(rows_of(trained, told, classes, self.seed + number + 1))

    def _distance(self, trained: Trained) -> float:
        """Return the distance of the farthest column plus the mean difference of correlations, of the worst class."""
        far = []
        for number, cells in enumerate(self.seen):
            made = self.rows(trained, number, np.arange(LOOKED_AT) % len(cells))
            far.append(column_distances(cells, made).max() + mean_difference(cells, made))
        return float(max(far))


def require_jax() -> None:
    """Raise if JAX is not installed."""
    if importlib.util.find_spec("jax") is None:
        raise CrakeError("a GAN needs JAX, which is not installed; pip install 'crake[gan]', or use SMOTE")


def _some(scarce: Scarce, generator: np.random.Generator) -> Rows:
    if len(scarce.rows) <= MOST:
        return scarce.rows
    return np.sort(generator.choice(scarce.rows, MOST, replace=False))


def _diverged(trained: Trained) -> str:
    kept = max((look.step for look in trained.looks), default=0)
    return (
        f"The losses of the GAN diverged, and its training was stopped: before step {trained.diverged:,}. The rows "
        f"come from the best of the {kept:,} steps before. A smaller learning_rate may help."
    )
