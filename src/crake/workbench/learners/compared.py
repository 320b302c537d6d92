"""The learners of a comparison: their names, the parameters that are set, and which are left to a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.workbench.calls import Expression
from crake.workbench.learners.import_path import is_import_path, refuse_in_model_file
from crake.workbench.models import Learner, has_numeric_target

if TYPE_CHECKING:
    from crake.table.table import Table
    from crake.workbench.progress import Progress

NOTICED_SECONDS = 4
"""Foreseen seconds from which they are said before the work starts."""
NAMED_SECONDS = 0.5
"""Those of a learner from which it is named beside them."""


@dataclass(frozen=True)
class Compared:
    """Names of learners (the usual ones if there are none) and parameters under learner.name.

    >>> Compared(("1r", "c4.5"), {"c4.5.confidence": 0.1}).learners_for(None)
    ['1r', C45Classifier(confidence=0.1)]
    >>> Compared(("bagging",), {"bagging.estimator": "cart", "bagging.estimator.max_depth": 3}).learners_for(None)
    [BaggingClassifier(estimator=CARTClassifier(max_depth=3))]
    """

    names: tuple[str, ...] = ()
    parameters: Mapping[str, Any] | None = None
    tune: bool = False
    seed: int = 1

    def check(self) -> None:
        """Raise an error for names and parameters that do not exist, and for a parameter both set and tuned."""
        by_learner = self._by_learner()
        for name in self.names:
            Learner(name, by_learner.get(_key(name), {}), self.seed).check()
        for name, parameters in by_learner.items():
            Learner(name, parameters, self.seed).check()
            self._check_compared(name, self.names)
            self._check_not_tuned(name, parameters)

    def check_file(self) -> None:
        """Raise an error for a learner that no model file can hold: one of another library, also as a member."""
        by_learner = self._by_learner()
        for name in dict.fromkeys([*map(_key, self.names), *by_learner]):
            for each in Learner(name, by_learner.get(name, {}), self.seed).names():
                refuse_in_model_file(each)

    def names_for(self, table: Table | None) -> tuple[str, ...]:
        """Return the names of the learners that are compared on the table."""
        from crake.learners.registry import compared  # noqa: PLC0415 (numpy only when there is work)

        return self.names or compared(_shape(table), numbers=_is_numeric(table))

    def is_plain(self) -> bool:
        """Return True if all learners are named and have their default parameters."""
        return not self.parameters and not any(map(is_import_path, self.names))

    def learners_for(self, table: Table | None) -> list[Any] | None:
        """Return names, and learners where parameters are set; None for the usual ones as they are."""
        if self.is_plain():
            return list(self.names) or None
        return [
            learner.configured(is_numeric=_is_numeric(table)) if _needs_making(learner) else learner.name
            for learner in self._of(table)
        ]

    def calls_for(self, table: Table) -> list[Expression | str] | None:
        """Return the learners as the arguments of the printed Python."""
        if self.is_plain():
            return list(self.names) or None
        return [
            learner.python(learner.configured(is_numeric=_is_numeric(table)))
            if _needs_making(learner)
            else learner.name
            for learner in self._of(table)
        ]

    def left_out(self, table: Table) -> tuple[str, ...]:
        """Return notes on usual learners that are left out of a long table, where `compare` cannot note it itself."""
        if self.names or self.is_plain():
            return ()
        from crake.learners.registry import too_slow  # noqa: PLC0415 (numpy only when there is work)

        return too_slow(_shape(table), numbers=_is_numeric(table))

    def note_time(self, table: Table, fits: int, progress: Progress) -> None:
        """Note how long the learners will take whose time is foreseen, if a person will notice it."""
        from crake.kernels.threads import count  # noqa: PLC0415 (numba only when there is work)
        from crake.learners.registry import foreseen_seconds  # noqa: PLC0415 (numpy only when there is work)

        shape, numbers = _shape(table), _is_numeric(table)
        each = {
            title: fits * seconds / count()
            for title, seconds in foreseen_seconds(self.names_for(table), shape, numbers=numbers).items()
        }
        if self.tune or sum(each.values()) < NOTICED_SECONDS:
            return
        longest = sorted((title for title in each if each[title] >= NAMED_SECONDS), key=lambda title: -each[title])
        about = ", ".join(f"{title} {each[title]:,.0f} s" for title in longest)
        progress.note(f"note: foreseen to take about {sum(each.values()):,.0f} s in {fits} fits: {about}")

    def _of(self, table: Table | None) -> list[Learner]:
        """Return each learner with its parameters."""
        names, by_learner = self.names_for(table), self._by_learner()
        for name in by_learner:
            self._check_compared(name, names)
        return [Learner(name, by_learner.get(_key(name), {}), self.seed) for name in names]

    def _by_learner(self) -> dict[str, dict[str, Any]]:
        """Return the parameters of each learner; raise if the learner is not named."""
        from crake.learners import registry  # noqa: PLC0415

        by_learner: dict[str, dict[str, Any]] = {}
        for path, value in (self.parameters or {}).items():
            learner, name = _parted(path)
            if not learner:
                raise CrakeError(f"--set {path}: expected LEARNER.NAME=VALUE, such as c4.5.confidence=0.1")
            if not is_import_path(learner):
                registry.by_name(learner)
            by_learner.setdefault(_key(learner), {})[name] = value
        return by_learner

    def _check_compared(self, name: str, names: tuple[str, ...]) -> None:
        if names and name not in map(_key, names):
            raise CrakeError(f"--set {name}: {name} is not compared; add -l {name}, or leave its parameters out")

    def _check_not_tuned(self, name: str, parameters: Mapping[str, Any]) -> None:
        if not self.tune or is_import_path(name):
            return
        from crake.learners.registry import by_name  # noqa: PLC0415

        grid = by_name(name).card.usual_grid or {}
        if both := [each for each in parameters if each in grid]:
            raise CrakeError(f"--set {name}.{both[0]}: --tune chooses {both[0]} itself; leave one of the two out")


def _parted(path: str) -> tuple[str, str]:
    """Return the learner and its parameter, both of which may hold dots; the learner is "" if there is none.

    >>> _parted("c4.5.confidence"), _parted("bagging.estimator.max_depth"), _parted("sklearn.svm.SVC.C")
    (('c4.5', 'confidence'), ('bagging', 'estimator.max_depth'), ('sklearn.svm.SVC', 'C'))
    """
    from crake.learners import registry  # noqa: PLC0415

    words = path.split(".")
    for end in range(1, len(words)):
        learner = ".".join(words[:end])
        if learner.lower() in registry.CLASSIFIERS or learner.lower() in registry.REGRESSORS:
            return learner, ".".join(words[end:])
    return ".".join(words[:-1]), words[-1]


def _needs_making(learner: Learner) -> bool:
    return bool(learner.parameters) or is_import_path(learner.name)


def _key(name: str) -> str:
    """Return the name by which parameters find their learner; classes of other libraries mind their capitals."""
    return name if is_import_path(name) else name.lower()


def _is_numeric(table: Table | None) -> bool:
    return table is not None and has_numeric_target(table)


def _shape(table: Table | None) -> Any:
    """Return the size of the table, by which `compare` leaves slow learners out."""
    from crake.evaluation.protocol.arguments import shape_of  # noqa: PLC0415
    from crake.evaluation.protocol.scan_together import SAMPLE_ROWS  # noqa: PLC0415

    return 0 if table is None else shape_of(table, SAMPLE_ROWS)
