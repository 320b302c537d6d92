"""The base of samplers: from training rows to a balanced sample of them, for learners and as `fit_resample`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from crake.arrays import Rows
from crake.balance.amounts import check_amount
from crake.balance.facts import Balance
from crake.balance.forms import in_one_dimension, resampled
from crake.balance.sample import Sample, copied_table
from crake.errors import CrakeError
from crake.learners.base.completion import completed
from crake.learners.base.parameters import check_parameters
from crake.learners.base.scikit_learn import Estimator
from crake.learners.base.training_rows import checked_features, labels_beside, present_rows
from crake.notices import warn_once
from crake.table.convert.frames import from_xy
from crake.table.table import Table


class Sampler(Estimator, ABC):  # type: ignore[misc]
    """Balances the classes of training rows.

    A sampler implements `_resample(table, generator)`, which returns a `Sample`, and `_words`. Its parameters are
    declared once in `_parameter_constraints`. It is given the rows of known class and positive weight, in memory.

    Fitted by `fit_resample`, which warns of the notes of the sample: `balance_` (the shares of the classes before and
    after), `sample_indices_`.
    """

    amount: Any
    random_state: int
    nominal: Any = "auto"
    """The columns of X that `fit_resample` reads as nominal; in a Table the schema says so."""
    name: ClassVar[str] = ""
    """The name on the command line: `--balance under`."""
    makes_rows: ClassVar[bool] = False
    """True for samplers that make rows up."""
    weighs_classes: ClassVar[bool] = False
    """True if the sample is all rows, with one weight for all rows of a class."""
    balance_: Balance
    sample_indices_: Rows
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def fit_resample(self, X: Any, y: Any = None) -> Any:
        """Return balanced X and y in the form they were given; a Table brings its target and gives a Table."""
        self.checked()
        if isinstance(X, Table):
            if y is not None:
                raise CrakeError("a Table brings its own target: call fit_resample(table), or fit_resample(X, y)")
            table = present_rows(self._in_memory(X))
            sample = self.sample(table)
            self._note(table, sample)
            return copied_table(table, sample)
        if y is None:
            raise CrakeError("requires y to be passed, but the target y is None; give fit_resample(X, y) the labels")
        X = checked_features(self, X, reset=True)
        labels = labels_beside(X, y)
        whole = from_xy(X, labels, nominal=self.nominal)
        known = np.flatnonzero(whole.target >= 0)
        table = whole if len(known) == len(whole) else whole.take(known)
        sample = self.sample(table)
        self._note(table, sample)
        self.sample_indices_ = known[self.sample_indices_]
        return resampled(X, in_one_dimension(y, labels), self.sample_indices_, sample.made)

    def sample(self, table: Table, random_state: int | None = None) -> Sample:
        """Return a balanced sample of a table in memory whose rows all have a class and a weight.

        `random_state` is the seed in place of the sampler's own.
        """
        seed = getattr(self, "random_state", 1) if random_state is None else random_state
        return self._resample(self._in_memory(table), np.random.default_rng(seed))

    @abstractmethod
    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        """Return a balanced sample of the rows."""

    @abstractmethod
    def _words(self) -> str:
        """Return the sampler in words, for titles: "undersampling"."""

    def words(self) -> str:
        """Return the sampler in words, for titles; an amount other than "equal" is named."""
        amount = getattr(self, "amount", "equal")
        return self._words() if isinstance(amount, str) else f"{self._words()} ({amount})"

    def checked(self) -> Self:
        """Check the parameters and return the sampler itself; `fit_resample` does so on its own."""
        self._validate_params()
        return self

    def check_stored(self) -> None:
        """Check parameters from a model file."""
        self._validate_params()

    def _validate_params(self) -> None:
        check_parameters(self._parameter_constraints, self.get_params(deep=False), type(self).__name__)
        if hasattr(self, "amount"):
            check_amount(self.amount)

    def __dir__(self) -> list[str]:
        """Return the names that tab completion shows."""
        return completed(super().__dir__(), self._get_param_names())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def _in_memory(self, table: Table) -> Table:
        table.require_memory(type(self).__name__)
        return table

    def _note(self, table: Table, sample: Sample) -> None:
        self.balance_ = Balance.of(table, sample)
        self.sample_indices_ = sample.rows
        for note in sample.notes:
            warn_once(note)
