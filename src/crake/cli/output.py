"""Where results and notes go: data to stdout, notes to stderr, files beside their name and then renamed."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.files import replace_file
from crake.render.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.text import Text

    from crake.render.report.report import Report

REPORTS = (".html", ".md", ".json", ".txt")
_STDOUT = Path("-")


@dataclass(frozen=True)
class Output:
    """How one run shows its result; `check` is called before the work, so that nothing is computed in vain."""

    as_json: bool
    html: Path | None
    quiet: bool
    verbose: bool
    reports: tuple[Path, ...] = ()

    def check(self) -> None:
        """Refuse what could not be written at the end."""
        if self.as_json and self.html == _STDOUT:
            raise CrakeError("--json and --html - both print to standard output; give --html a file")
        if self.html is not None and self.html != _STDOUT:
            refuse_unwritable(self.html)
        for path in self.reports:
            if path.suffix.lower() not in REPORTS:
                raise CrakeError(f"--report {path}: expected a name that ends in {', '.join(REPORTS)}")
            refuse_unwritable(path)

    def show(
        self, text: Callable[[int], Text], document: Callable[[], dict[str, Any]], page: Callable[[], str]
    ) -> None:
        """The result as text, JSON or HTML, whichever was asked for; only what is needed is made."""
        if self.html == _STDOUT:
            write_stdout(page())
            return
        if self.as_json:
            write_stdout(json_text(document()))
        else:
            print_text(text)
        if self.html is not None:
            write_file(self.html, page())
            self.note(f"written: {self.html}")

    def show_report(
        self,
        text: Callable[[int], Text],
        document: Callable[[], dict[str, Any]],
        report: Callable[[], Report],
    ) -> None:
        """The same where the page is a report, which is made once for all files that were asked for."""
        made: list[Report] = []

        def once() -> Report:
            if not made:
                made.append(report())
            return made[0]

        self.show(text, document, lambda: once().to_html())
        for path in self.reports:
            once().save(path)
            self.note(f"written: {path}")

    def note(self, message: str) -> None:
        """Something to know that is not the result."""
        if not self.quiet:
            write_stderr(message)

    def detail(self, message: str) -> None:
        """Something to know for who asked for more."""
        if self.verbose:
            write_stderr(message)


def json_text(document: dict[str, Any]) -> str:
    """The document; what JSON has no word for (NaN) is refused and not written."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(document, indent=2, ensure_ascii=not is_unicode, allow_nan=False)


def print_text(text: Callable[[int], Text]) -> None:
    """Text in the width and colours of the terminal; without colours if there is none or NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415 (not needed for --json)

    console = Console(highlight=False, markup=False, emoji=False)
    try:
        console.print(text(console.width), soft_wrap=True)
    except BrokenPipeError:
        reader_gone()


def write_stdout(text: str) -> None:
    """The text and a line end; quiet when the reader has gone."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        reader_gone()


def write_stderr(message: str) -> None:
    """One line; a terminal that has gone is no reason to stop."""
    with suppress(OSError):
        sys.stderr.write(f"{visible(message)}\n")
        sys.stderr.flush()


def refuse_unwritable(path: Path) -> None:
    """An error now instead of after the work."""
    if path.is_dir():
        raise CrakeError(f"cannot write {path}: it is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise CrakeError(f"cannot write {path}: there is no folder {path.parent}; make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CrakeError(f"cannot write {path}: no permission")


def write_file(path: Path, text: str) -> None:
    """The text as UTF-8, whole or not at all."""
    replace_file(path, text.encode("utf-8", "backslashreplace"))


def reader_gone() -> None:
    """Nobody reads any more (`| head`): the rest goes nowhere, and Python does not complain at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
