"""The description of a format: how a source of its kind is recognised, and the function that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table

Opener = Callable[[Any, str, "ReadOptions"], "Table"]
"""Opens a source under a name: a path, the bytes of a file, an address, or an object, as the format takes them."""


@dataclass(frozen=True)
class Format:
    """A format of tables.

    name : what `format=` calls it.
    title : what messages call it.
    open : called with the source, its name and the options; imports what it needs when it is called.
    endings : endings of its files, in lower case.
    sniff : tells from the first bytes of a file whether it is one of these.
    schemes : schemes of its addresses, as in scheme://host/table.
    accepts : tells whether an object in memory is one of these.
    options : the options on a format (`FORMAT_OPTIONS`) that it knows; any other raises.
    can_scan : `open` may scan the rows instead of loading them.
    from_bytes : `open` takes bytes as well as a path, so the file may come from standard input.
    can_be_packed : its files may be packed (`packed.PACKINGS`); `open` then gets the unpacked bytes.
    reads_folders : `open` takes a folder or a pattern of files as well as one file.
    is_never_text : text in its files is an error. False for databases: closing a file that is open in this process
        would give up the lock that a connection to it holds.
    """

    name: str
    title: str
    open: Opener
    endings: tuple[str, ...] = ()
    sniff: Callable[[bytes | bytearray], bool] | None = None
    schemes: tuple[str, ...] = ()
    accepts: Callable[[object], bool] | None = None
    options: frozenset[str] = frozenset()
    can_scan: bool = False
    from_bytes: bool = False
    can_be_packed: bool = False
    reads_folders: bool = False
    is_never_text: bool = False
