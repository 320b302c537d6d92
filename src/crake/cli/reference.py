"""The reference page of the command line, made from the same declarations as `--help`.

`python -m crake.cli.reference > docs/cli.md` writes it; a test holds the file to it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from crake.cli.app import command

_HEAD = """# The command line

This page is made by `python -m crake.cli.reference > docs/cli.md`.

`crake data.csv --target y` is short for `crake compare data.csv --target y`. Results go to standard output, notes
and progress to standard error. `NO_COLOR` is honoured. `crake --install-completion` sets up the shell's completion.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a gate failed (`--fail-under`, `--fail-over`) |
| 2 | wrong usage, input that cannot be read or learned from, or a fault of crake's own |
| 130 | interrupted |

A column's name that holds a comma is put in double quotes inside the option: `--ignore '"last, first",id'`.
"""


def reference() -> str:
    """Return the page in Markdown."""
    group = command()
    pages = [_page(name, group.commands[name]) for name in sorted(group.commands)]
    return "\n".join([_HEAD, *pages])


def _page(name: str, of: Any) -> str:
    about = inspect.cleandoc(of.help or "")
    usage = " ".join(["crake", name, "[OPTIONS]", *_arguments(of)])
    rows = "\n".join(_rows(of))
    example = str(of.epilog).removeprefix("Example: ")
    return (
        f"## crake {name}\n\n{about}\n\n```\n{usage}\n```\n\n"
        f"| | | default |\n|---|---|---|\n{rows}\n\nExample:\n\n```\n{example}\n```\n"
    )


def _arguments(of: Any) -> list[str]:
    arguments = [parameter for parameter in of.params if parameter.param_type_name == "argument"]
    return [each.metavar if each.required else f"[{each.metavar}]" for each in arguments]


def _rows(of: Any) -> Iterator[str]:
    """Yield one line per argument and option: its names, what it does, its default."""
    for parameter in of.params:
        names = (
            [parameter.metavar]
            if parameter.param_type_name == "argument"
            else [*parameter.opts, *parameter.secondary_opts]
        )
        value = "" if getattr(parameter, "is_flag", False) or names == [parameter.metavar] else _value(parameter)
        listed = ", ".join(f"`{name}`" for name in names)
        default = parameter.default if parameter.default not in (None, False, ()) else ""
        yield f"| {listed}{value} | {_escaped(parameter.help or '')} | {default} |"


def _value(parameter: Any) -> str:
    if parameter.metavar:
        return f" {parameter.metavar}"
    choices = getattr(parameter.default, "__class__", None)
    if choices is not None and hasattr(choices, "__members__"):
        return f" {'/'.join(str(choice.value) for choice in choices)}"
    return " NUMBER"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
