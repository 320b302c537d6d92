"""One run of the command line: what a command raises becomes one line and an exit code.

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
from crake.render.plain_text import visible

DONE, GATE_FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


def run(arguments: Sequence[str]) -> int:
    """Run one command and say how it ended."""
    _prepare_streams()
    debug = "--debug" in arguments
    try:
        with warnings.catch_warnings():
            _say_warnings(verbose=debug or not {"-v", "--verbose"}.isdisjoint(arguments))
            code = command().main(list(arguments) or ["--help"], prog_name="crake", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 (the last line of defence: nobody sees a traceback unasked)
        if debug and not isinstance(error, SystemExit):
            traceback.print_exc()
        return _ended(error)
    if code == INTERRUPTED:
        _say("interrupted")
    return code if isinstance(code, int) else DONE


def _ended(error: BaseException) -> int:
    """The exit code for what was raised, after one line about it."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else DONE
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        _say("interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        reader_gone()
        return DONE
    if isinstance(error, (CrakeError, typer.TyperException)):
        _say(_message(error))
    elif isinstance(error, OSError) and error.strerror:
        _say(": ".join([*([str(error.filename)] if error.filename else []), error.strerror]))
    elif isinstance(error, MemoryError):
        _say("out of memory; try fewer rows or columns (--ignore)")
    else:
        _say(f"a fault of crake's own, {type(error).__name__}: {error}; run it again with --debug and report it")
    return REFUSED


def _message(error: BaseException) -> str:
    formatted = getattr(error, "format_message", None)
    if formatted is None:
        return str(error)
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "crake")
    return f"{formatted().rstrip('.')}. Try '{path} --help'"


def _say(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    with suppress(OSError):
        print(f"crake: {visible(' '.join(message.split()))}", file=sys.stderr)  # noqa: T201


def _say_warnings(*, verbose: bool) -> None:
    """What crake warns of is said in one line; what its libraries warn of, only when asked."""

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        if verbose or issubclass(category, CrakeWarning):
            _say(f"warning: {message}")

    warnings.simplefilter("default")
    warnings.showwarning = cast("Any", show)


def _prepare_streams() -> None:
    """A character that the terminal cannot show is written out, not a reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
