"""Output of results and notes: data to stdout, notes to stderr, files beside their name and then renamed."""

from __future__ import annotations

import functools
import io
import json
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from crake.errors import CrakeError
from crake.files import check_writable, replace_file
from crake.render.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.text import Text

    from crake.workbench.request import ReportResult, Result

REPORTS = (".html", ".md", ".json", ".txt")
_STDOUT = Path("-")


@dataclass(frozen=True)
class Output:
    """Options on showing a result; `check` is called before the work, so that nothing is computed in vain."""

    as_json: bool
    html: Path | None
    quiet: bool
    verbose: bool
    reports: tuple[Path, ...] = ()

    def check(self) -> None:
        """Raise an error for what could not be written at the end."""
        if self.as_json and self.html == _STDOUT:
            raise CrakeError("--json and --html - both print to standard output; give --html a file")
        if self.html is not None and self.html != _STDOUT:
            check_writable(self.html)
        for path in self.reports:
            if path.suffix.lower() not in REPORTS:
                raise CrakeError(f"--report {path}: expected a name that ends in {', '.join(REPORTS)}")
            check_writable(path)

    def show(self, result: Result) -> None:
        """Print the result as text, JSON or HTML; only what is needed is made."""
        self._print(result, result.page)

    def show_report(self, result: ReportResult, *, show_rows: bool = False) -> None:
        """Print a result whose page is a report, which is made once for all its files."""
        report = functools.cache(lambda: result.report(show_rows=show_rows))
        self._print(result, lambda: str(report().to_html()))
        for path in self.reports:
            report().save(path)
            self.note(f"written: {path}")

    def _print(self, result: Result, page: Callable[[], str]) -> None:
        if self.html == _STDOUT:
            write_stdout(page())
            return
        if self.as_json:
            write_stdout(json_text(result.to_dict()))
        else:
            print_text(result.text)
        if self.html is not None:
            write_file(self.html, page())
            self.note(f"written: {self.html}")

    def note(self, message: str) -> None:
        """Write a message to stderr, unless `--quiet` is set."""
        if not self.quiet:
            write_stderr(message)

    def detail(self, message: str) -> None:
        """Write a message to stderr if `--verbose` is set."""
        if self.verbose:
            write_stderr(message)


def json_text(document: dict[str, Any]) -> str:
    """Return the document as JSON; NaN, for which JSON has no word, raises."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(document, indent=2, ensure_ascii=not is_unicode, allow_nan=False)


def print_text(text: Callable[[int], Text]) -> None:
    """Print text in the width and colours of the terminal; without colours if there is none or NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415 (not needed for --json)

    console = Console(highlight=False, markup=False, emoji=False)
    try:
        console.print(text(console.width), soft_wrap=True)
    except BrokenPipeError:
        reader_gone()


def write_stdout(text: str) -> None:
    """Write the text and a line end; keep quiet when the reader has gone."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        reader_gone()


def stdout_bytes() -> IO[bytes]:
    """Return standard output for rows of a table; cells of strangers must not steer a terminal."""
    return cast("IO[bytes]", VisibleBytes(sys.stdout.buffer)) if is_terminal(sys.stdout) else sys.stdout.buffer


def is_terminal(stream: IO[str]) -> bool:
    """Return True if people read the stream as it is written."""
    return stream.isatty()


class VisibleBytes(io.RawIOBase):
    """A stream in which every control and direction mark is written out, line ends and tabs aside; whole lines only."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        r"""Write what is whole; a letter that is cut waits for its end.

        >>> stream = io.BytesIO()
        >>> _ = VisibleBytes(stream).write(b"a,\x1b[2J\x07\n")
        >>> stream.getvalue()
        b'a,\\x1b[2J\\x07\n'
        """
        raw = bytes(data)
        head, line_end, tail = (self._rest + raw).rpartition(b"\n")
        self._rest = tail
        self._write(head + line_end)
        return len(raw)

    def flush(self) -> None:
        """Write the rest."""
        rest, self._rest = self._rest, b""
        self._write(rest)
        self._stream.flush()

    def _write(self, data: bytes) -> None:
        parts = re.split("([\n\t])", data.decode("utf-8", "backslashreplace"))
        self._stream.write("".join(p if p in "\n\t" else visible(p) for p in parts).encode("utf-8", "backslashreplace"))


def write_stderr(message: str) -> None:
    """Write one line; a terminal that has gone does not stop the run."""
    with suppress(OSError):
        sys.stderr.write(f"{visible(message)}\n")
        sys.stderr.flush()


def write_file(path: Path, text: str) -> None:
    """Write the text as UTF-8, whole or not at all."""
    replace_file(path, text.encode("utf-8", "backslashreplace"))


def reader_gone() -> None:
    """Send the rest nowhere if nobody reads any more (`| head`), so that Python does not complain at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
