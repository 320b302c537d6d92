"""Models of files and learners of names, for the kind of target that a table has."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from crake.errors import CrakeError, SchemaError, did_you_mean
from crake.workbench.calls import Call, Expression, call, public
from crake.workbench.learners.import_path import call_of, is_import_path, learner_at
from crake.workbench.learners.inner_learners import named_within, parted

if TYPE_CHECKING:
    from crake.table.schema import Label
    from crake.table.table import Table
    from crake.workbench.table import TableRequest

LABELS = 3
"""Classes that an error names."""


def load_predictor(file: str) -> Any:
    """Load the classifier or regressor of a file; raise an error for a file that predicts nothing."""
    return load_predictor_with_checksum(file)[0]


def load_predictor_with_checksum(file: str) -> tuple[Any, str]:
    """Load the classifier or regressor of a file, with the checksum that the file carries."""
    from crake.learners.base.classifier import TableClassifier  # noqa: PLC0415 (numba and numpy only when there is work)
    from crake.learners.base.regressor import TableRegressor  # noqa: PLC0415
    from crake.modelfile.store import load_with_checksum  # noqa: PLC0415

    model, checksum = load_with_checksum(Path(file))
    if not isinstance(model, TableClassifier | TableRegressor):
        raise CrakeError(
            f"{file} holds a {type(model).__name__}, and this command takes a classifier or a regressor; crake.load "
            "gives it to Python"
        )
    return model, checksum


def load_call(file: str) -> Call:
    """Return the call that loads a model."""
    return call(public("load"), file)


def is_regressor(model: Any) -> bool:
    """Return True if the model predicts a number."""
    from crake.learners.base.regressor import TableRegressor  # noqa: PLC0415

    if type(model).__module__.partition(".")[0] == "crake":
        return isinstance(model, TableRegressor)
    from crake.evaluation.protocol.arguments import predicts_numbers  # noqa: PLC0415 (only for other libraries)

    return predicts_numbers(model)


@dataclass(frozen=True)
class Learner:
    """The name of a learner and its parameters; a name of two learners is that of the target's kind.

    The name may be the import path of a class of another library, whose random_state is then the seed. The members of
    an ensemble are named by the parameter `estimator`, and theirs begin with `estimator.`.
    """

    name: str
    parameters: Mapping[str, Any]
    seed: int = 1

    def check(self) -> None:
        """Raise an error for a name or parameters that no learner has."""
        from crake.learners import registry  # noqa: PLC0415 (scikit-learn and numba only when there is work)

        key = self._key()
        if is_import_path(self.name):
            self._foreign()
        elif key in registry.names() and key in registry.regressor_names():
            self._check_either()
        else:
            self.configured(is_numeric=key in registry.regressor_names())

    def _check_either(self) -> None:
        """Check a name of two learners: what one of them takes may be right. The classifier's error is shown."""
        try:
            self.configured(is_numeric=False)
        except CrakeError as error:
            try:
                self.configured(is_numeric=True)
            except CrakeError:
                raise error from None

    def read(self, request: TableRequest, seed: int) -> tuple[TableRequest, Table]:
        """Read the table, its target as numbers where a scan would take it for classes and only numbers will do."""
        from crake.learners import registry  # noqa: PLC0415

        if not self._is_regressor() or request.target is None or request.source == "-":
            return request.read_labelled(seed)
        try:
            request, table = request.read_labelled(seed)
        except SchemaError:
            if request.sample is None:
                raise
            of_numbers = replace(request, numeric=(*request.numeric, str(request.target)))
            return of_numbers, of_numbers.read(seed)  # a sample of a scan with too many whole numbers for classes
        target = request.target or ""
        if table.in_memory or target in request.numeric or self._key() in registry.names():
            return request, table
        of_numbers = replace(request, numeric=(*request.numeric, target))
        return of_numbers, of_numbers.read(seed)

    def for_table(self, table: Table) -> Any:
        """Return the classifier or regressor that learns the target of this table."""
        from crake.learners import registry  # noqa: PLC0415
        from crake.table.target import check_numeric_target, check_target  # noqa: PLC0415

        if table.schema.target is None or len(table) == 0:
            check_target(table)
        if is_import_path(self.name):
            return self._foreign_for(table)
        if not has_numeric_target(table):
            if self._key() not in registry.names():
                self._raise_for_classes(table)
            return self.configured(is_numeric=False)
        if not self._is_regressor():
            self._raise_for_numbers(table)
        check_numeric_target(table)
        return self.configured(is_numeric=True)

    def configured(self, *, is_numeric: bool) -> Any:
        """Return the learner with its parameters, checked by its own constraints.

        >>> Learner("naive-bayes", {"alpha": 0}).configured(is_numeric=False)
        NaiveBayesClassifier(alpha=0)
        >>> Learner("naive-bayes", {"alhpa": 0}).configured(is_numeric=False)
        Traceback (most recent call last):
        crake.errors.CrakeError: naive-bayes has no parameter 'alhpa'. Did you mean 'alpha'? Parameters: alpha, ...
        >>> Learner("bagging", {"estimator": "cart", "estimator.max_depth": 3}).configured(is_numeric=False)
        BaggingClassifier(estimator=CARTClassifier(max_depth=3))
        """
        from crake.learners import registry  # noqa: PLC0415

        if is_import_path(self.name):
            return self._foreign()
        learner = registry.by_name(self.name, numbers=is_numeric)
        known = learner.get_params(deep=False)
        own, of_members = parted(self.parameters)
        for each in (*own, *of_members):
            if each not in known:
                hint = did_you_mean(each, known)
                raise CrakeError(f"{self.name} has no parameter {each!r}.{hint} Parameters: {', '.join(known)}")
        within = self._within(learner)
        members = {name: each.configured(is_numeric=is_numeric) for name, each in within.items()}
        learner = checked(learner.set_params(**{**own, **members}), "--set: ")
        if members:
            learner._inner_learner()  # noqa: SLF001 (raises for a member of the other kind, before any row is read)
        return learner

    def names(self, *, is_numeric: bool = False) -> Iterator[str]:
        """Yield the name of the learner and of the learners within it."""
        from crake.learners import registry  # noqa: PLC0415

        yield self.name
        if not is_import_path(self.name):
            for each in self._within(registry.by_name(self.name, numbers=is_numeric)).values():
                yield from each.names(is_numeric=is_numeric)

    def _within(self, learner: Any) -> dict[str, Learner]:
        """Return the learners within this one that are named or set, by the parameter that holds them."""
        named = named_within(learner, self.name, self.parameters)
        return {parameter: Learner(name, own, self.seed) for parameter, (name, own) in named.items()}

    def python(self, learner: Any) -> Expression:
        """Return the call that makes this learner."""
        if is_import_path(self.name):
            return call_of(self.name, self.parameters, learner, self.seed)
        own, _ = parted(self.parameters)
        within = {name: each.python(getattr(learner, name)) for name, each in self._within(learner).items()}
        return call(public(type(learner).__name__), **{**own, **within})

    def _foreign(self) -> Any:
        return learner_at(self.name, self.parameters, self.seed)

    def _foreign_for(self, table: Table) -> Any:
        """Return the learner of another library; raise if it predicts another kind than the target."""
        from crake.table.target import check_numeric_target, check_target  # noqa: PLC0415

        learner, is_numeric = self._foreign(), has_numeric_target(table)
        if is_regressor(learner) != is_numeric:
            kinds = ("a regressor", "classes") if is_regressor(learner) else ("a classifier", "numbers")
            raise SchemaError(
                f"{self.name} is {kinds[0]}, and the target {table.schema.target!r} of {table.name} holds {kinds[1]}"
            )
        if is_numeric:
            check_numeric_target(table)
        else:
            check_target(table)
        return learner

    def _is_regressor(self) -> bool:
        from crake.learners import registry  # noqa: PLC0415

        return self._key() in registry.regressor_names()

    def _key(self) -> str:
        """Return the name that the registry lists; reports call a learner by its title."""
        from crake.learners import registry  # noqa: PLC0415

        return self.name if is_import_path(self.name) else registry.listed_name(self.name)

    def _raise_for_classes(self, table: Table) -> NoReturn:
        from crake.learners import registry  # noqa: PLC0415
        from crake.table.target import check_target  # noqa: PLC0415

        if table.in_memory and not table.schema.classes:
            check_target(table)  # no value at all, or running text
        target, classes = table.schema.target or "", table.schema.classes
        text = f"{self.name} predicts a number, and the target {target!r} of {table.name} {_classes_text(classes)}"
        classifier = f"take a classifier ({', '.join(registry.names())})"
        if classes and all(isinstance(label, int | float) and not isinstance(label, bool) for label in classes):
            raise SchemaError(f"{text}: read it as numbers with --numeric {shlex.quote(target)}, or {classifier}")
        raise SchemaError(f"{text}: {classifier}, or name a column of numbers with --target")

    def _raise_for_numbers(self, table: Table) -> NoReturn:
        from crake.learners import registry  # noqa: PLC0415

        target = table.schema.target or ""
        raise SchemaError(
            f"{self.name} predicts classes, and the target {target!r} of {table.name} is numeric: take a regressor "
            f"({', '.join(registry.regressor_names())}), or read the target as classes with "
            f"--nominal {shlex.quote(target)}"
        )


def checked(learner: Any, where: str) -> Any:
    """Return the learner if its parameters meet its constraints; `where` begins the error."""
    try:
        learner._validate_params()  # noqa: SLF001 (scikit-learn's own name for it; before any row is read)
    except CrakeError:
        raise
    except ValueError as error:
        raise CrakeError(f"{where}{error}") from None
    return learner


def has_numeric_target(table: Table) -> bool:
    """Return True if the target is numeric."""
    from crake.table.schema import Kind  # noqa: PLC0415

    target = table.schema.target
    return target is not None and table.schema[target].kind is Kind.NUMERIC


def warnings_for(learner: Any, table: Table) -> tuple[str, ...]:
    """Return what to look at before learning, but for what this learner does not mind.

    A regressor wants a target without classes; naive Bayes reads running text.
    """
    from crake.table.describe.warnings import coded_warnings  # noqa: PLC0415

    coded = coded_warnings(table) if table.in_memory else ()
    is_minded = {"target": not is_regressor(learner), "text-column": not getattr(learner, "reads_text", False)}
    return tuple(warning for code, warning in coded if is_minded.get(code, True))


def check_class_options(subject: str, options: Mapping[str, Any]) -> None:
    """Raise an error for options that speak of classes, where a number is predicted."""
    for option, value in options.items():
        if value:
            raise CrakeError(f"{subject} predicts a number: {option} speaks of classes; leave it out")


def class_labelled(text: str | None, classes: Sequence[Label]) -> Label | None:
    """Return the class that is written so, whatever its type; the evaluation raises an error for any other text.

    >>> class_labelled("1", (0, 1)), class_labelled("True", (False, True)), class_labelled("x", ("x", "y"))
    (1, True, 'x')
    """
    return next((label for label in classes if str(label) == text), text)


def _classes_text(classes: Sequence[Label]) -> str:
    """Return a target of classes in a few words.

    >>> _classes_text(("no", "yes")), _classes_text((1, 2, 3, 4))
    ('has the classes no, yes', 'has the classes 1, 2, 3 and 1 more')
    """
    if not classes:
        return "is not a number"
    more = f" and {len(classes) - LABELS} more" if len(classes) > LABELS else ""
    return f"has the classes {', '.join(map(str, classes[:LABELS]))}{more}"
