"""The results of experiments in one DuckDB file: cells are added whole, one transaction each, by one process at a time.

A process that is killed leaves the cells it had finished: DuckDB writes a transaction to its log, flushed, before it
says that it is done, and reads the log when the file is opened again. The file first appears with its tables in it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import crake
from crake.errors import CrakeError
from crake.evaluation.experiment.cell import Cell, Folds
from crake.evaluation.experiment.database import FORMATS, WITH_MEASURES, connected, create_table, make_if_missing

if TYPE_CHECKING:
    import duckdb

_ADD_CELL = "insert into cells values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_FOLDS = """
    insert into folds select ?, unnest(?::INTEGER[]), unnest(?::BIGINT[]), unnest(?::BIGINT[]),
    unnest(?::DOUBLE[][]), unnest(?::DOUBLE[]), unnest(?::DOUBLE[])
"""
_CELLS = """
    select cell, classes, folds, fit_seconds, predict_seconds, notes from cells
    where cell in (select unnest(?::VARCHAR[]))
"""
_FOLDS = """
    select cell, fold, training_rows, test_rows, confusion, auc, log_loss from folds
    where cell in (select unnest(?::VARCHAR[])) order by cell, fold
"""

_ADD_MEASURES = "insert into measures select ?, unnest(?::INTEGER[]), ?, unnest(?::DOUBLE[])"
_MEASURES = """
    select cell, measure, fold, value from measures
    where cell in (select unnest(?::VARCHAR[])) order by cell, measure, fold
"""

_being_written: set[Path] = set()
_guard = threading.Lock()


class ResultsFile:
    """An open file of results; made if there is none. Use it in a `with` block."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._format = 0

    def __enter__(self) -> Self:
        self._claim()
        try:
            make_if_missing(self.path)
            with self._refusing("open"):
                # Looked at before it is opened for writing: what is not ours is not touched.
                self._connection = connected(self.path, read_only=True)
                self._check()
                self._connection.close()
                self._connection = connected(self.path)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._connection is not None:
            with suppress(Exception):  # what was committed is in the log; a failed tidying up costs nothing
                self._connection.close()
            self._connection = None
        with _guard:
            _being_written.discard(self.path)

    def append(self, cell: Cell, folds: Folds) -> None:
        """Add a finished cell: all of it or, on failure, nothing. Of a cell that is there, add its extra measures."""
        F, K = folds.confusion.shape[:2]
        what = (cell.key, cell.table_name, cell.learner_name, cell.seed, cell.table, cell.learner, cell.plan)
        row = (*what, crake.__version__, K, F, folds.fit_seconds, folds.predict_seconds, json.dumps(folds.notes))
        columns = (
            list(range(F)),
            folds.training_rows.tolist(),
            folds.test_rows.tolist(),
            folds.confusion.reshape(F, K * K).tolist(),
            _nulls(folds.auc),
            _nulls(folds.log_loss),
        )
        before = self._format
        with self._refusing("write"):
            self._sql("begin transaction")
            try:
                if self._sql("select 1 from cells where cell = ?", (cell.key,)).fetchone() is None:
                    self._sql(_ADD_CELL, row)
                    self._sql(_ADD_FOLDS, (cell.key, *columns))
                if folds.extra:
                    self._add_measures_table()
                for name, values in folds.extra.items():
                    self._sql(_ADD_MEASURES, (cell.key, list(range(F)), name, _nulls(values)))
                self._sql("commit")
            except BaseException:
                self._format = before
                with suppress(Exception):
                    self._sql("rollback")
                raise

    def finished(self, keys: Sequence[str], measure: str = "") -> dict[str, Folds]:
        """Return those of these cells that the file has, with the extra measure if one is named."""
        with self._refusing("read"):
            cells = self._sql(_CELLS, (list(keys),)).fetchall()
            lines = self._sql(_FOLDS, (list(keys),)).fetchall()
            extra = self._sql(_MEASURES, (list(keys),)).fetchall() if self._format == WITH_MEASURES else []
        by_cell: dict[str, list[Any]] = {}
        for key, *line in lines:
            by_cell.setdefault(key, []).append(line)
        if len({cell[0] for cell in cells}) < len(cells):
            raise self._damaged("a cell is there twice")
        measured: dict[str, dict[str, list[Any]]] = {}
        for key, name, *line in extra:
            measured.setdefault(key, {}).setdefault(name, []).append(line)
        cells_by_key = {
            key: replace(self._folds(by_cell.pop(key, []), *about), extra=self._extra(measured.get(key, {}), about[1]))
            for key, *about in cells
        }
        return {key: folds for key, folds in cells_by_key.items() if not measure or measure in folds.extra}

    def _folds(self, lines: list[Any], K: int, F: int, fit: float, predict: float, notes: str) -> Folds:
        try:
            fold, training, test, confusion, auc, log_loss = zip(*lines, strict=True)
            counts = np.array(confusion, dtype=np.float64).reshape(F, K, K)
            if fold != tuple(range(F)) or not (np.isfinite(counts).all() and (counts >= 0).all()):
                raise self._damaged("the folds of a cell are not whole")
            texts = tuple(str(note) for note in json.loads(notes))
            rows = np.array(training, np.int64), np.array(test, np.int64)
            return Folds(*rows, counts, _numbers(auc), _numbers(log_loss), float(fit), float(predict), texts)
        except (ValueError, TypeError) as error:
            if isinstance(error, CrakeError):
                raise
            raise self._damaged("a cell holds what no cell can hold") from error

    def _extra(self, measured: dict[str, list[Any]], F: int) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
        for lines in measured.values():
            if [fold for fold, _ in lines] != list(range(F)):
                raise self._damaged("the folds of a measure are not whole")
        return {name: _numbers([value for _, value in lines]) for name, lines in measured.items()}

    def _add_measures_table(self) -> None:
        if self._format != WITH_MEASURES:
            self._sql(create_table("measures"))
            self._sql("update crake_experiment set format = ?", (WITH_MEASURES,))
            self._format = WITH_MEASURES

    def _check(self) -> None:
        """Refuse a database that is not ours: other tables, other columns, another format."""
        columns = self._sql(
            "select table_name, column_name, data_type from duckdb_columns() where not internal order by column_index"
        ).fetchall()
        views = self._sql("select count(*) from duckdb_views() where not internal").fetchone()
        tables: dict[str, dict[str, str]] = {}
        for table, column, kind in columns:
            tables.setdefault(table, {})[column] = kind
        if "crake_experiment" not in tables or views != (0,):
            listed = ", ".join(list(tables)[:5]) or "none"
            raise CrakeError(
                f"{self.path.name} is a DuckDB file, but not one of crake's experiments (its tables: {listed}); "
                "give another file"
            )
        formats = self._sql("select format from crake_experiment").fetchall()
        if len(formats) != 1 or formats[0][0] not in FORMATS:
            raise CrakeError(
                f"{self.path.name} has the format {formats[0][0] if formats else 'unknown'} of experiments; this crake "
                f"({crake.__version__}) reads {' and '.join(map(str, FORMATS))}: use another file, or the crake that "
                "wrote it"
            )
        self._format = formats[0][0]
        if tables != FORMATS[self._format]:
            raise self._damaged("its tables are not those of an experiment")

    def _sql(self, statement: str, values: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            raise CrakeError(f"{self.path.name} is not open; use it in a with block")
        return self._connection.execute(statement, values)

    def _claim(self) -> None:
        with _guard:
            if self.path in _being_written:
                raise self._taken("this process")
            _being_written.add(self.path)

    @contextmanager
    def _refusing(self, verb: str) -> Iterator[None]:
        """Raise what DuckDB reports as an error of one line."""
        import duckdb  # noqa: PLC0415  # half a second, and only this needs it

        try:
            yield
        except duckdb.Error as error:
            reason = " ".join(str(error).split())[:300]
            if "Could not set lock" in reason or "being used by another process" in reason:
                raise self._taken("another process") from error
            if "different configuration" in reason:
                raise self._taken("this process, through DuckDB") from error
            if verb == "write":
                raise CrakeError(f"cannot write {self.path.name}, which holds what was finished: {reason}") from error
            raise self._damaged(reason) from error

    def _taken(self, who: str) -> CrakeError:
        return CrakeError(f"{self.path.name} is open in {who}; wait until that is done, or give another file")

    def _damaged(self, reason: str) -> CrakeError:
        return CrakeError(
            f"{self.path.name} is not a file of crake's experiments, or is damaged: {reason}. "
            "Give another file, or move this one away to begin anew"
        )


def _nulls(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _numbers(values: Sequence[float | None]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
