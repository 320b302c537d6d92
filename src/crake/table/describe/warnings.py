"""Warnings before learning from a table: ids, constants, copies of the target, repeated rows, rare classes."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.table.describe.duplicates import repeated_rows
from crake.table.describe.ids import FEW_COLUMNS, FEWEST_ROWS, id_like_columns, known_values
from crake.table.schema import Column, Kind
from crake.table.table import Table
from crake.table.target import MOST_CLASSES

_RARE_SHARE, _RARE_ROWS = 0.01, 10
_LOUD_SHARE, _LOUD_ROWS = 0.1, 10
_NAMED = 5
_EMPTY = "every value is missing in"


def warnings_about(table: Table) -> tuple[str, ...]:
    """Return one sentence per warning, the gravest first."""
    return tuple(sentence for _, sentence in coded_warnings(table))


def coded_warnings(table: Table) -> tuple[tuple[str, str], ...]:
    """Return the warnings, each with a code to search for."""
    ids = id_like_columns(table)
    by_code = {
        "target": _target(table),
        "copy-of-target": _copies(table),
        "id-column": _id_like(ids),
        "constant-column": _constant(table),
        "only-gaps": warnings_of_gaps(constant_columns(table)[2]),
        "rare-class": _rare_classes(table),
        "repeated-rows": _duplicates(table, ids),
        "text-column": _text(table),
        "blanks": _blanks(table),
    }
    return tuple((code, sentence) for code, sentences in by_code.items() for sentence in sentences)


def beyond_warnings(notes: Iterable[str], warnings: Iterable[str]) -> tuple[str, ...]:
    """Return the notes of reading but for the one on empty columns, where a warning says the same."""
    is_said = any(warning.startswith(_EMPTY) for warning in warnings)
    return tuple(note for note in notes if not (is_said and note.startswith("columns without any value")))


def warnings_of_first_rows(rows: Table, keep: Collection[str] = ()) -> tuple[str, ...]:
    """Return the warning of columns that look like ids in the first rows of a scan, which nobody looked through."""
    ids = [name for name in id_like_columns(rows) if name not in keep]
    return tuple(f"of the first {len(rows):,} rows: {text}" for text in _id_like(ids))


def warnings_of_sample(sample: Table) -> tuple[str, ...]:
    """Return the warnings that a random sample allows; rare classes and repeated rows need all rows."""
    return (*_copies(sample), *_id_like(id_like_columns(sample)), *_blanks(sample))


def warnings_of_counts(table: Table, target: Column, counts: NDArray[np.intp]) -> tuple[str, ...]:
    """Return the warnings that class counts and the kinds of the columns allow, without a look at the rows."""
    return (*_rare(target, counts), *_text(table))


def named(names: Iterable[object]) -> str:
    """Return quoted names in one phrase; beyond five the rest is counted.

    >>> named(["a", "b"]), named("abcdefg")
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    quoted = [repr(str(name)) for name in names]
    more = f" and {len(quoted) - _NAMED} more" if len(quoted) > _NAMED else ""
    return ", ".join(quoted[:_NAMED]) + more


def leave_out(columns: list[str]) -> str:
    """Return the advice to leave these columns out: the option as a shell takes it."""
    options = " ".join(f"--ignore {shlex.quote(name)}" for name in columns[:_NAMED])
    return f"Leave {_them(columns)} out: {options}"


def _target(table: Table) -> Iterator[str]:
    target = _nominal_target(table)
    if target is None:
        yield from warnings_of_unusable_target(table)
        return
    known = table.target[table.target >= 0]
    counts = np.bincount(known, minlength=len(target.levels))
    is_unknown = table.target < 0
    # Rows of weight 0 are as if they were not there.
    missing = is_unknown if table.weights is None else is_unknown & (table.weights > 0)
    yield from warnings_of_target(target, counts, int(missing.sum()))


def warnings_of_target(target: Column, counts: NDArray[np.intp], missing: int) -> Iterator[str]:
    """Warn of rows without a class, of one class only, of a class for every row; `counts` are rows per class."""
    if missing:
        rows = "row has" if missing == 1 else "rows have"
        yield f"{missing:,} {rows} no value of the target {target.name!r}; learning leaves them out"
    if np.count_nonzero(counts) == 1:
        yield f"the target {target.name!r} has one class only: there is nothing to learn"
    if missing == 0 and counts.sum() >= FEWEST_ROWS and counts.max() == 1:
        yield f"the target {target.name!r} differs in every row: no class is seen twice, so none can be learned"


def warnings_of_unusable_target(table: Table) -> Iterator[str]:
    """Warn of a target that holds no classes."""
    name = table.schema.target
    if name is not None and _has_many_numbers(table, name):
        yield (
            f"the target {name!r} is numeric, with more than {MOST_CLASSES} values: regressors predict it "
            f"(crake compare FILE -t {shlex.quote(name)}); a classifier needs classes"
        )
    elif name is not None:
        yield (
            f"the target {name!r} is {table.schema[name].kind.value}; a classifier needs classes: "
            f"--nominal {shlex.quote(name)}"
        )


def _has_many_numbers(table: Table, name: str) -> bool:
    """Return True if a column of numbers has more values than classes are made of."""
    return table.schema[name].kind is Kind.NUMERIC and len(np.unique(table.column(name))) > MOST_CLASSES


def _copies(table: Table) -> Iterator[str]:
    copies = copied_columns(table)
    if copies:
        each, target = "each tell" if len(copies) > 1 else "tells", table.schema.target
        yield f"{named(copies)} {each} the target {target!r} one to one: a copy of the answer. {leave_out(copies)}"


def copied_columns(table: Table) -> list[str]:
    """Return the names of the columns that tell the target one to one; a numeric target has its equals."""
    if table.schema.target is None or len(table) < FEWEST_ROWS:
        return []
    if _nominal_target(table) is not None:
        return [column.name for column in table.schema.features if is_copy(table, column)]
    if table.schema[table.schema.target].kind is not Kind.NUMERIC:
        return []
    numbers = table.column(table.schema.target)
    return [
        column.name
        for column in table.schema.numeric
        if np.array_equal(table.column(column.name), numbers, equal_nan=True)
    ]


def is_copy(table: Table, column: Column) -> bool:
    """Return True if each value goes with one class and each class with one value, over the rows that have both."""
    target: Codes = table.target
    values = np.ascontiguousarray(table.column(column.name))
    both = (target >= 0) & (~np.isnan(values) if column.kind is Kind.NUMERIC else values >= 0)
    values, classes = values[both], target[both]
    if len(values) == 0 or not _pairs_up(values[:1000], classes[:1000]):
        return False
    return len(np.unique(classes)) > 1 and _pairs_up(values, classes)


def _pairs_up(values: NDArray[np.float64], classes: Codes) -> bool:
    """Return True if values and classes are one to one: as many values as classes as pairs of both."""
    distinct, codes = np.unique(values, return_inverse=True)
    present = np.unique(classes)
    if len(distinct) != len(present):
        return False
    pairs = np.unique(codes.astype(np.int64) * (int(present[-1]) + 1) + classes)
    return len(pairs) == len(present)


def _id_like(columns: list[str]) -> Iterator[str]:
    if columns:
        one = "looks like an id: its value differs in every row, so nothing learned from it holds for a new row"
        more = "look like ids: their values differ in every row, so nothing learned from them holds for a new row"
        yield f"{named(columns)} {one if len(columns) == 1 else more}. {leave_out(columns)}"


def _constant(table: Table) -> Iterator[str]:
    yield from warnings_of_constants(*constant_columns(table)[:2])


def constant_columns(table: Table) -> tuple[list[str], list[str], list[str]]:
    """Return the columns without a value, those with one only, and those with one and gaps, which may tell."""
    empty: list[str] = []
    constant: list[str] = []
    gaps: list[str] = []
    for column in table.schema.features:
        values = known_values(table, column)
        if len(values) == 0:
            empty.append(column.name)
        elif len(table) > 1 and (values == values[0]).all():
            (constant if len(values) == len(table) else gaps).append(column.name)
    return empty, constant, gaps


def warnings_of_constants(empty: list[str], constant: list[str]) -> Iterator[str]:
    """Warn of columns without a value, and of columns with one only."""
    if empty:
        yield f"{_EMPTY} {named(empty)}: nothing can be learned from {_them(empty)}"
    if constant:
        yield f"the value never changes in {named(constant)}: nothing can be learned from {_them(constant)}"


def warnings_of_gaps(gaps: list[str]) -> Iterator[str]:
    """Warn of columns with one value and gaps: most learners of trees and naive Bayes see nothing in them."""
    if gaps:
        yield (
            f"only gaps differ in {named(gaps)}: 1R, CHAID, logistic regression and SVM learn from a missing value; "
            "C4.5, CART and naive Bayes do not"
        )


def _them(columns: list[str]) -> str:
    return "it" if len(columns) == 1 else "them"


def _rare_classes(table: Table) -> Iterator[str]:
    target = _nominal_target(table)
    if target is None:
        return
    codes = table.target
    yield from _rare(target, np.bincount(codes[codes >= 0], minlength=len(target.levels)))


def _rare(target: Column, counts: NDArray[np.intp]) -> Iterator[str]:
    rows = int(counts.sum())
    present = np.flatnonzero(counts)
    if len(present) < 2:
        return
    rare = [int(code) for code in present if counts[code] < _RARE_SHARE * rows]
    few = [int(code) for code in present if counts[code] < _RARE_ROWS and int(code) not in rare]
    largest = int(counts.argmax())
    if rare:
        names = named(target.levels[code] for code in rare)
        share = 100 * (1 - counts[rare].sum() / rows)
        rare_rows = f"{int(counts[rare].sum()):,} of {rows:,} rows"
        if len(present) == 2:
            yield (
                f"class {names} is rare ({rare_rows}): always answering {str(target.levels[largest])!r} is "
                f"{_percent(share)} right and useless; look at recall and precision, not at accuracy"
            )
        else:
            yield (
                f"rare: {names} ({rare_rows}). Never answering any of them is still {_percent(share)} right at best, "
                f"and useless for finding them; look at recall and precision by class"
            )
    if few:
        counted = ", ".join(f"{str(target.levels[code])!r} {counts[code]}" for code in few[:_NAMED])
        more = f" and {len(few) - _NAMED} more" if len(few) > _NAMED else ""
        yield f"few rows of a class ({counted}{more}): what is measured about it is coarse"


def _percent(share: float) -> str:
    """Return a percentage that is never rounded up to 100."""
    return f"{np.floor(share * 10) / 10:.1f} %" if share < 99.9 else f"{np.floor(share * 1000) / 1000:g} %"


def _duplicates(table: Table, ids: list[str]) -> Iterator[str]:
    """Warn of rows that repeat an earlier one; a new id does not make a new row.

    Where hardly any column is left beside the ids and most rows repeat another, they are equal by chance.
    """
    left = len(table.schema.columns) - len(ids)
    without = ids if len(ids) < len(table.schema.features) else []
    repeats = repeated_rows(table, without)
    if without and left <= FEW_COLUMNS and 2 * repeats > len(table):
        repeats = repeated_rows(table)
    if repeats:
        but = f" but {named(without)}" if without and repeats > repeated_rows(table) else ""
        yield repeats_warning(repeats, len(table), but)


def repeats_warning(repeats: int, rows: int, but: str = "") -> str:
    """Return the warning of repeated rows, as loud as their share; `but` names ids, which may be measurements.

    >>> repeats_warning(1, 150)
    '1 row repeats an earlier row in every column (0.7 %): the same row may be learned and tested'
    >>> print(repeats_warning(600, 1000))
    60.0 % of the rows (600) repeat an earlier row in every column: many rows are both learned and tested, and ...
    """
    share = _share(repeats / rows)
    if repeats >= _LOUD_SHARE * rows and repeats >= _LOUD_ROWS and not but:
        return (
            f"{share} of the rows ({repeats:,}) repeat an earlier row in every column: many rows are both learned and "
            "tested, and estimates are too good unless different things look alike; --plan grouped keeps equal rows "
            "in one fold"
        )
    each = "row repeats" if repeats == 1 else "rows repeat"
    return f"{repeats:,} {each} an earlier row in every column{but} ({share}): the same row may be learned and tested"


def _share(share: float) -> str:
    return "< 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"


def _text(table: Table) -> Iterator[str]:
    columns = [column.name for column in table.schema.columns if column.kind is Kind.TEXT]
    if columns:
        yield f"running text is read by naive Bayes; other learners leave it out: {named(columns)}"


def _nominal_target(table: Table) -> Column | None:
    name = table.schema.target
    if name is None or table.schema[name].kind is not Kind.NOMINAL:
        return None
    return table.schema[name]


def _blanks(table: Table) -> Iterator[str]:
    """Yield the columns in which two values are one but for blanks at their ends."""
    for column in table.schema.columns:
        padded = [level for level in column.levels if isinstance(level, str) and level != level.strip()]
        known = {level: level for level in column.levels if isinstance(level, str)} if padded else {}
        twins = [(known[each.strip()], each) for each in padded if known.setdefault(each.strip(), each) != each]
        if twins:
            (one, other), more = (
                twins[0],
                f" (and {len(twins) - 1} more pair{'s' * (len(twins) > 2)})" * (len(twins) > 1),
            )
            yield (
                f"{one!r} and {other!r} of {column.name!r} differ in blanks only{more}: here they are two values, in a "
                "CSV file they are one"
            )
