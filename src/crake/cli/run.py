"""One run of the command line: an error becomes one line and an exit code.

0 done; 1 a gate failed; 2 usage, unreadable input, or a fault of crake's own; 130 interrupted.
"""

from __future__ import annotations

import io
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

import typer

from crake.cli.app import command
from crake.cli.output import reader_gone
from crake.errors import CrakeError, CrakeWarning
from crake.notices import each_once
from crake.render.plain_text import visible

DONE, GATE_FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    _prepare_streams()
    debug = "--debug" in arguments
    try:
        with warnings.catch_warnings(), each_once():
            _show_warnings(verbose=debug or not {"-v", "--verbose"}.isdisjoint(arguments))
            code = command().main(list(arguments) or ["--help"], prog_name="crake", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 (the last line of defence: nobody sees a traceback unasked)
        if debug and not isinstance(error, SystemExit):
            traceback.print_exc()
        return _exit_code(error, arguments)
    if code == INTERRUPTED:
        _print("interrupted")
    return code if isinstance(code, int) else DONE


def _exit_code(error: BaseException, arguments: Sequence[str]) -> int:
    """Print one line about an error and return the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else DONE
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        _print("interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        reader_gone()
        return DONE
    if isinstance(error, (CrakeError, typer.TyperException)):
        _print(_message(error, arguments))
    elif isinstance(error, OSError) and error.strerror:
        _print(": ".join([*([str(error.filename)] if error.filename else []), error.strerror]))
    elif isinstance(error, MemoryError):
        _print("out of memory; try fewer rows or columns (--ignore)")
    else:
        _print(f"a fault of crake's own, {type(error).__name__}: {error}; run it again with --debug and report it")
    return REFUSED


def _message(error: BaseException, arguments: Sequence[str]) -> str:
    formatted = getattr(error, "format_message", None)
    if formatted is None:
        return str(error)
    expected = _expected(error.__cause__)
    if expected:
        cast("Any", error).message = expected
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", None) or _named(arguments)
    return f"{formatted().rstrip('.')}. Try '{path} --help'"


def _named(arguments: Sequence[str]) -> str:
    """Return the command that was typed: an option without its value raises an error that does not know it."""
    first = next((each for each in arguments if not each.startswith("-")), "")
    return f"crake {first}" if first in getattr(command(), "commands", ()) else "crake"


def _expected(cause: Any) -> str | None:
    """Return what an option expects and what it got; None where the cause does not tell."""
    details = cause.errors() if hasattr(cause, "errors") else []
    if not details:
        return None
    wanted = details[0]["msg"].removeprefix("Input should be ").partition(",")[0]
    kinds = {"int_parsing": "a whole number", "int_from_float": "a whole number", "float_parsing": "a number"}
    expected = kinds.get(details[0]["type"], f"a value {wanted}" if wanted.startswith(("greater", "less")) else wanted)
    return f"expected {expected}, got {details[0]['input']!r}"


def _print(message: str) -> None:
    """Print one line on stderr, whatever the message holds."""
    with suppress(OSError):
        print(f"crake: {visible(' '.join(message.split()))}", file=sys.stderr)  # noqa: T201


def _show_warnings(*, verbose: bool) -> None:
    """Print warnings of crake in one line, and those of its libraries only if `verbose`."""

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if verbose or issubclass(category, CrakeWarning):
            _print(f"warning: {message}")

    warnings.simplefilter("default")
    warnings.showwarning = cast("Any", show)


def _prepare_streams() -> None:
    """Write out characters that the terminal cannot show, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
