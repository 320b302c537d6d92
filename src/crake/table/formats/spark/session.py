"""Errors of Spark in one line, and what the plan of a data frame tells."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from crake.errors import CrakeError, DataError, ReadError, SchemaError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SPARK = "org.apache.spark.sql."
_PLAIN = tuple(
    f"{_SPARK}execution.datasources.{name}"
    for name in ("LogicalRelation", "HadoopFsRelation", "parquet.ParquetFileFormat")
)
_OTHER_NAMES = tuple(f"{_SPARK}catalyst.plans.logical.{name}" for name in ("SubqueryAlias", "View"))
"""Steps of a plan that pass on the columns of the step below them, at most under other names."""
_CHOICE = f"{_SPARK}catalyst.plans.logical.Project"
_COLUMN, _RENAMED = (f"{_SPARK}catalyst.expressions.{name}" for name in ("AttributeReference", "Alias"))
_ADAPTIVE = "org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec"
_CALENDAR, _BY_NUMBER = (f"spark.sql.parquet.{name}" for name in ("datetimeRebaseModeInRead", "fieldId.read.enabled"))
_CALENDAR_OPTION = "datetimeRebaseMode"
"""Settings by which Spark reads other days than a file has before 1582, and columns by numbers in place of names."""
BATCH_ROWS, BATCH_BYTES = (f"spark.sql.execution.arrow.{name}" for name in ("maxRecordsPerBatch", "maxBytesPerBatch"))
DEFAULT_ROWS, NO_LIMIT = 10_000, str(2**31 - 1)
ROWS_OF_NUMBERS, ROWS_OF_NAMES, CELLS_PER_BATCH = 1 << 16, 1 << 15, 1 << 20
"""The most rows, and about the most cells, that Spark hands over at a time; names may be long."""
_OURS = re.compile(r"crake\.errors\.(\w+): (.*)")
_CALL = re.compile(r"^An error occurred while calling \S+ : (?:[a-z]+\.)+\w+: ")
_CAUSE = re.compile(r"\s*(?:Caused by: )?(?:\w+\.)*\w+(?:Error|Exception): \S")
LONGEST = 300
"""Characters of Spark's own words."""
_KINDS: dict[str, type[CrakeError]] = {"SchemaError": SchemaError, "CellError": SchemaError, "DataError": DataError}


@contextlib.contextmanager
def one_line(name: str) -> Iterator[None]:
    """Turn an error of Spark into a ReadError of one line; one that crake raised in a task keeps its words."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 (it is there if a data frame is)

    with warnings.catch_warnings():
        # Spark warns of the version of pandas, which crake does not use.
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\..*")
        failures: tuple[type[Exception], ...] = (PySparkException, *_java_errors())
        try:
            yield
        except failures as error:
            raise error_of(str(error), name) from None


def _java_errors() -> tuple[type[Exception], ...]:
    """Return the error of a job that failed in Java; under Connect there may be none."""
    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 (it comes with classic Spark)
    except ImportError:
        return ()
    return (Py4JError,)


def error_of(text: str, name: str) -> CrakeError:
    r"""Return the error for what Spark says.

    >>> error_of("Traceback\n  File …\ncrake.errors.SchemaError: column 'a' is odd\n", "table")
    SchemaError("column 'a' is odd")
    >>> error_of("An error occurred while calling o7.collect.\n: org.apache.spark.SparkException: [GONE] a", "t")
    ReadError('t: Spark says: [GONE] a')
    >>> error_of(f"Job aborted{' at a.b.C' * 40}\nCaused by: java.io.IOException: no disk\n", "t").args[0][-41:]
    '… Caused by: java.io.IOException: no disk'
    """
    ours = _OURS.search(text)
    if ours is not None:
        return _KINDS.get(ours[1], CrakeError)(ours[2])
    if "No module named 'crake" in text:
        return ReadError(
            "the workers of Spark have no crake: install it there, or send an environment with it; "
            "docs/engines/spark.md says how",
            file=name,
        )
    lines = [line for line in text.split("JVM stacktrace:", maxsplit=1)[0].splitlines() if line.strip()]
    words = _CALL.sub("", " ".join(" ".join(lines).split()))
    causes = [line.strip() for line in lines if _CAUSE.match(line)]
    if len(words) > LONGEST and causes:  # the last of a long text is the first that went wrong
        words = f"{words[: LONGEST // 2]} … {causes[-1]}"
    return ReadError(f"Spark says: {words[:LONGEST]}", file=name)


@dataclass(frozen=True)
class PlainFiles:
    """Local Parquet files whose rows a data frame has, all of them; `columns` are theirs, in the frame's order."""

    paths: tuple[str, ...]
    columns: tuple[str, ...]


def plain_files(frame: DataFrame) -> PlainFiles | None:
    """Return the Parquet files that the frame reads whole, with some of their columns; None for anything else.

    Columns may be chosen, dropped, put into another order and given other names. A filter, a computed column, a cache,
    Delta and Iceberg (whose files hold rows that were deleted) have other plans. Under Connect the plan cannot be seen.
    """
    plan: Any = getattr(frame, "_jdf", None)
    if plan is None:
        return None
    unseen: tuple[type[Exception], ...] = (*_java_errors(), KeyError)
    try:
        top = plan.queryExecution().withCachedData()
        columns = _columns_of_files(top, _numbers_of(top.output()))
    except unseen:
        return None
    if columns is None:
        return None
    paths = [urlsplit(path) for path in frame.inputFiles()]
    if not paths or any(path.scheme != "file" for path in paths):
        return None
    return PlainFiles(tuple(unquote(path.path) for path in paths), columns)


def _columns_of_files(step: Any, taken: list[int]) -> tuple[str, ...] | None:
    """Return the names in the files of a step's columns, of which `taken` has the numbers; None without such files."""
    if _class(step) == _PLAIN[0]:
        files = step.relation()
        if _class(files) != _PLAIN[1] or _class(files.fileFormat()) != _PLAIN[2] or files.partitionSchema().size():
            return None
        paths = list(files.location().inputFiles())
        if len(paths) > len(set(paths)) or _reads_other_cells(files):  # of a path that is named twice rows come twice
            return None
        names = {column.exprId().id(): str(column.name()) for column in _each(step.output())}
        return tuple(names[number] for number in taken)
    below, steps = _numbers_below(step, taken), step.children()
    return _columns_of_files(steps.apply(0), below) if below is not None and steps.size() == 1 else None


def _reads_other_cells(files: Any) -> bool:
    """Return True if Spark is asked to read these files by another calendar, or columns by their numbers."""
    settings = files.sparkSession().conf()
    calendar = files.options().get(_CALENDAR_OPTION)
    mode = str(calendar.get() if calendar.isDefined() else settings.get(_CALENDAR))
    return mode.upper() != "CORRECTED" or str(settings.get(_BY_NUMBER)).lower() == "true"


def _numbers_below(step: Any, taken: list[int]) -> list[int] | None:
    """Return Spark's numbers of the same columns before a step; None if the step does more than choose and rename."""
    kind = _class(step)
    if kind in _OTHER_NAMES:
        own, below = _numbers_of(step.output()), _numbers_of(step.children().apply(0).output())
        same_place = dict(zip(own, below, strict=False))
        return [same_place[number] for number in taken] if len(own) == len(below) else None
    if kind != _CHOICE:
        return None
    sources = {}
    for column in _each(step.projectList()):
        number = column.exprId().id()
        if _class(column) == _RENAMED:
            column = column.child()  # noqa: PLW2901 (the column that is renamed)
        if _class(column) != _COLUMN:
            return None
        sources[number] = column.exprId().id()
    return [sources[number] for number in taken]


def _numbers_of(columns: Any) -> list[int]:
    """Return the numbers by which Spark knows columns: names may stand for several of them."""
    return [int(column.exprId().id()) for column in _each(columns)]


def _each(sequence: Any) -> list[Any]:
    """Return the items of a sequence of Scala."""
    return [sequence.apply(place) for place in range(sequence.size())]


def rows_told_by(files: Sequence[str]) -> int | None:
    """Return the rows of Parquet files, as their ends tell it; None without files, or where one cannot be opened."""
    try:
        return sum(pq.read_metadata(path).num_rows for path in files) if files else None
    except (OSError, pa.ArrowException):
        return None


@contextlib.contextmanager
def larger_batches(frame: DataFrame, types: Sequence[str]) -> Iterator[None]:
    """Let Spark hand over more rows at a time than by default, if they are not wide: each batch has its price.

    Spark also looks at the bytes of a batch after every row, which takes a third of what handing over takes. Rows are
    few enough to do without. What the user has set is left alone.
    """
    settings = frame.sparkSession.conf
    rows = min(ROWS_OF_NAMES if "string" in types else ROWS_OF_NUMBERS, CELLS_PER_BATCH // max(1, len(types)))
    own = [name for name in (BATCH_ROWS, BATCH_BYTES) if settings.get(name, None) is not None]
    if own or rows <= DEFAULT_ROWS:
        yield
        return
    settings.set(BATCH_ROWS, str(rows))
    settings.set(BATCH_BYTES, NO_LIMIT)
    try:
        yield
    finally:
        settings.unset(BATCH_ROWS)
        settings.unset(BATCH_BYTES)


def partitions_of(frame: DataFrame) -> int | None:
    """Return about how many partitions there are; None where Spark does not tell, as under Connect.

    No job runs. What has been planned here is not planned again when the frame is collected. Behind a shuffle Spark
    decides on partitions when it has run it: the number that it begins with is told.
    """
    plan: Any = getattr(frame, "_jdf", None)
    if plan is None:
        return None
    physical = plan.queryExecution().executedPlan()
    if _class(physical) == _ADAPTIVE:
        return int(physical.executedPlan().outputPartitioning().numPartitions()) or None
    return int(plan.queryExecution().toRdd().getNumPartitions())


def rows_of(frame: DataFrame, *, ahead: bool = False) -> Iterator[Any]:
    """Yield the rows of a frame, a partition at a time; `ahead`: the next one comes while one is read.

    After `DataFrame.toLocalIterator` Spark 4.3 keeps every partition in Java's memory for as long as it runs. After
    that of its RDD it does not. Connect has no RDDs, and no Java on this side.
    """
    if getattr(frame, "_jdf", None) is None:
        yield from frame.toLocalIterator(prefetchPartitions=ahead)
    else:
        yield from frame.rdd.toLocalIterator(prefetchPartitions=ahead)


def _class(thing: Any) -> str:
    return str(thing.getClass().getName())
