"""The file of an experiment: tables, learners, plan and output in TOML, every key checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError, did_you_mean

if TYPE_CHECKING:
    from crake.evaluation.experiment import Experiment
    from crake.table.table import Table

_TEXT, _WHOLE, _NAMES, _FLAG = "text", "a whole number", "a list of text", "true or false"
KEYS = {
    "tables": "a list",
    "learners": "a list",
    "folds": _WHOLE,
    "stratified": _FLAG,
    "repeats": _WHOLE,
    "seed": _WHOLE,
    "measure": _TEXT,
    "baseline": _TEXT,
    "output": _TEXT,
}
TABLE_KEYS = {
    "source": _TEXT,
    "name": _TEXT,
    "target": _TEXT,
    "nominal": _NAMES,
    "numeric": _NAMES,
    "text": _NAMES,
    "ignore": _NAMES,
    "missing": _NAMES,
    "delimiter": _TEXT,
    "decimal": _TEXT,
    "encoding": _TEXT,
    "bad_rows": _TEXT,
    "table": _TEXT,
    "query": _TEXT,
}
LEARNER_KEYS = {"learner": _TEXT, "name": _TEXT, "parameters": "a table"}


@dataclass(frozen=True)
class Grid:
    """What the file asks for; paths are relative to it."""

    file: Path
    asked: Mapping[str, Any]
    output: Path

    def with_choices(self, output: Path | None, measure: str | None, baseline: str | None) -> Grid:
        """The same with what the command line says instead."""
        given = {"measure": measure, "baseline": baseline}
        asked = {**self.asked, **{key: value for key, value in given.items() if value is not None}}
        return replace(self, asked=asked, output=output or self.output)

    def experiment(self) -> Experiment:
        """The tables read, the learners made."""
        from crake.evaluation.experiment import Experiment  # noqa: PLC0415 (numba and numpy only when there is work)
        from crake.plans import CrossValidation  # noqa: PLC0415

        learners = _named((self._learner(entry) for entry in self.asked["learners"]), "learner", self.file)
        plan = CrossValidation(
            self.asked.get("folds", 10),
            stratified=self.asked.get("stratified", True),
            random_state=self.asked.get("seed", 1),
        )
        tables = _named((self._table(entry) for entry in self.asked["tables"]), "table", self.file)
        return Experiment(
            tables,
            learners,
            plan=plan,
            repeats=self.asked.get("repeats", 10),
            measure=self.asked.get("measure", "accuracy"),
            baseline=self.asked.get("baseline", 0),
        )

    def _table(self, entry: str | Mapping[str, Any]) -> tuple[str, Table]:
        from crake.table.read import read  # noqa: PLC0415

        given: dict[str, Any] = {"source": entry} if isinstance(entry, str) else dict(entry)
        source, name = given.pop("source"), given.pop("name", None)
        beside = self.file.parent / source
        table = read(beside if beside.exists() or Path(source).suffix else source, **given)
        return name or table.name, table

    def _learner(self, entry: str | Mapping[str, Any]) -> tuple[str, Any]:
        from crake.cli.requests.learner import refuse_regressors  # noqa: PLC0415
        from crake.cli.requests.parameters import with_parameters  # noqa: PLC0415
        from crake.learners.registry import title_of  # noqa: PLC0415

        given: Mapping[str, Any] = {"learner": entry} if isinstance(entry, str) else entry
        try:
            refuse_regressors([given["learner"]])
            learner = with_parameters(given["learner"], given.get("parameters", {}))
        except CrakeError as error:
            raise CrakeError(f"{self.file}: {error}") from None
        return given.get("name") or title_of(learner), learner


def read_grid(file: Path) -> Grid:
    """The file, read and every key of it checked; tables and learners are looked at later."""
    try:
        asked = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise CrakeError(f"{file}: there is no such file") from None
    except OSError as error:
        raise CrakeError(f"{file}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CrakeError(f"{file}: this is no TOML: {error}") from None
    _check(asked, KEYS, str(file))
    for part, keys in (("tables", TABLE_KEYS), ("learners", LEARNER_KEYS)):
        if not asked.get(part):
            raise CrakeError(f"{file}: there are no {part}; expected {part} = [...], such as {_EXAMPLES[part]}")
        for number, entry in enumerate(asked[part], 1):
            where = f"{file}, {part[:-1]} {number}"
            _check_entry(entry, keys, next(iter(keys)), where)
    return Grid(file, asked, file.parent / asked.get("output", f"{file.stem}.duckdb"))


_EXAMPLES = {"tables": 'tables = ["iris"]', "learners": 'learners = ["1r", "c4.5"]'}


def _check_entry(entry: object, keys: Mapping[str, str], first: str, where: str) -> None:
    if isinstance(entry, str):
        return
    if not isinstance(entry, dict):
        raise CrakeError(f'{where}: {entry!r}; expected a name, or a table with {first} = "..."')
    _check(entry, keys, where)
    if first not in entry:
        raise CrakeError(f'{where}: there is no {first}; expected {first} = "..."')


def _check(given: Mapping[str, Any], keys: Mapping[str, str], where: str) -> None:
    """Refuse keys that are not known and values of the wrong type."""
    for key, value in given.items():
        if key not in keys:
            raise CrakeError(f"{where}: there is no key {key!r}.{did_you_mean(key, keys)} Keys: {', '.join(keys)}")
        if not _is(value, keys[key]):
            raise CrakeError(f"{where}: {key} = {value!r}; expected {keys[key]}")


def _is(value: object, kind: str) -> bool:
    """Whether a value of TOML is of this kind.

    >>> _is(3, "a whole number"), _is(True, "a whole number"), _is(["a"], "a list of text"), _is([1], "a list of text")
    (True, False, True, False)
    """
    if kind == _NAMES:
        return isinstance(value, list) and all(isinstance(part, str) for part in value)
    if kind == _WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {_TEXT: str, _FLAG: bool, "a list": list, "a table": dict}[kind])


def _named(pairs: Iterable[tuple[str, Any]], what: str, file: Path) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in pairs:
        if name in named:
            raise CrakeError(f'{file}: two {what}s are called {name!r}; give one of them a name = "..." of its own')
        named[name] = value
    return named
