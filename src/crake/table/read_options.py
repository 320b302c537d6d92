"""Options of reading: how the columns, the text and the limits of a source are to be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, Unpack

from crake.table.column_options import LAST, ColumnKeywords, ColumnOptions, Expected, as_tuple, is_position
from crake.table.schema import Kind


class ReadKeywords(ColumnKeywords, total=False):
    """The keywords of `ReadOptions.of`, those of columns among them."""

    format: str | None
    missing: Iterable[str] | None
    delimiter: str | None
    decimal: str
    bad_rows: Literal["error", "skip"]
    header: bool | None
    names: Iterable[str] | None
    skip_rows: int
    comment: str | None
    quote: str | None
    widths: Iterable[int] | None
    dates: str | None
    encoding: str | None
    table: str | None
    query: str | None
    sheet: str | None
    member: str | None
    max_bytes: int | None
    in_memory: bool | None
    expected: Expected | None


@dataclass(frozen=True)
class ReadOptions:
    """Everything a caller may say about reading a source; each format uses what concerns it.

    format : name of a format, in place of the one that the ending or the content tells.
    missing, delimiter, decimal, bad_rows, header, names, skip_rows, comment, quote, widths, dates, encoding : how a
        text is written.
    table, query : which rows of a database.
    sheet : which sheet of a workbook, by its name or its number from 1 on.
    member : which file of a zip archive.
    max_bytes : most bytes that a file may take once unpacked, or in memory.
    in_memory : True loads the rows, False scans them, None decides by size.
    expected : what a fitted model expects of the columns.
    """

    columns: ColumnOptions = field(default_factory=ColumnOptions)
    format: str | None = None
    missing: tuple[str, ...] | None = None
    delimiter: str | None = None
    decimal: str = "."
    bad_rows: Literal["error", "skip"] = "error"
    header: bool | None = None
    names: tuple[str, ...] | None = None
    skip_rows: int = 0
    comment: str | None = None
    quote: str | None = None
    widths: tuple[int, ...] | None = None
    dates: str | None = None
    encoding: str | None = None
    table: str | None = None
    query: str | None = None
    sheet: str | None = None
    member: str | None = None
    max_bytes: int | None = None
    in_memory: bool | None = None
    expected: Expected | None = None

    @classmethod
    def of(cls, **keywords: Unpack[ReadKeywords]) -> ReadOptions:
        """Return the options for the keywords of `crake.read`.

        >>> ReadOptions.of(target="play", missing="-").columns.target
        'play'
        """
        plain: dict[str, Any] = dict(keywords)
        columns = {name: plain.pop(name) for name in ColumnKeywords.__annotations__ if name in plain}
        for name in ("missing", "names"):
            if plain.get(name) is not None:
                plain[name] = as_tuple(plain[name])
        if plain.get("widths") is not None:
            plain["widths"] = tuple(map(int, plain["widths"]))
        return cls(ColumnOptions.of(**columns), **plain)

    @property
    def missing_tokens(self) -> tuple[str, ...] | None:
        """Return the tokens that mean missing: the caller's, or else those a model was trained with."""
        known = None if self.expected is None else self.expected.missing
        return known if self.missing is None else self.missing

    def named_columns(self) -> set[str]:
        """Return the columns that the caller or a model names; a target by its position names none.

        >>> sorted(ReadOptions.of(target="play", ignore=["id"]).named_columns())
        ['id', 'play']
        """
        of_model = () if self.expected is None else self.expected.kinds
        named = {*self.columns.names(), *of_model}
        target = self.columns.target
        return named if target is None or target == LAST or is_position(target) else {*named, target}

    def for_columns(self, names: Sequence[str]) -> ReadOptions:
        """Return the options for a file with these columns: those that no model expects are ignored."""
        if self.expected is None:
            return self
        return replace(self, columns=self.columns.ignoring(self.expected.unwanted(names)))

    def changed(self) -> tuple[str, ...]:
        """Return the names of the options on a format that are not at their defaults.

        >>> ReadOptions.of(target="play", delimiter=";", decimal=".").changed()
        ('delimiter',)
        """
        return tuple(f.name for f in fields(self) if f.name in FORMAT_OPTIONS and getattr(self, f.name) != f.default)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> ReadOptions:
        """Return the options of `to_dict`, after they went through JSON.

        >>> import json
        >>> options = ReadOptions.of(target="play", missing=["-"], expected=Expected({"zip": Kind.NOMINAL}))
        >>> ReadOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options
        True
        """
        plain = dict(state)
        expected, missing, names = plain.pop("expected"), plain.pop("missing"), plain.pop("names")
        widths = plain.pop("widths")
        return cls(
            ColumnOptions.of(**plain.pop("columns")),
            missing=_tokens(missing),
            names=_tokens(names),
            widths=None if widths is None else tuple(widths),
            expected=None if expected is None else _expected(**expected),
            **plain,
        )


TEXT_OPTIONS = frozenset(
    {
        "missing",
        "delimiter",
        "decimal",
        "bad_rows",
        "header",
        "names",
        "skip_rows",
        "comment",
        "quote",
        "widths",
        "dates",
    }
)
"""Options of a text whose columns declare nothing."""
SHEET_OPTIONS = frozenset({"missing", "decimal", "header", "names", "skip_rows", "sheet", "dates"})
"""Options of a workbook."""
FORMAT_OPTIONS = TEXT_OPTIONS | SHEET_OPTIONS | {"encoding", "table", "query"}
"""Options that some formats know and others do not."""


def _tokens(tokens: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(tokens)


def _expected(
    kinds: Mapping[str, str], keep: bool, missing: Sequence[str] | None, notations: Mapping[str, str]
) -> Expected:
    return Expected({name: Kind(kind) for name, kind in kinds.items()}, keep, _tokens(missing), dict(notations))
