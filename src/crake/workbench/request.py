"""The base of all requests: plain values with a check, a run, and the lines that reproduce it."""

from __future__ import annotations

import json
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from crake.errors import CrakeError
from crake.workbench.documents import from_document, to_document
from crake.workbench.progress import SILENT, Progress

if TYPE_CHECKING:
    from typing import Self

    from rich.text import Text

DEFAULT_PLAN = "cv10"


class Result(Protocol):
    """The outcome of a request, to be shown as text, as JSON or as a page."""

    def text(self, width: int) -> Text:
        """Return the result for a terminal of this width."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document that names its schema."""

    def page(self) -> str:
        """Return the result as one HTML page."""


class ReportResult(Result, Protocol):
    """A result with a report, which may show rows of the table."""

    def report(self, *, show_rows: bool = False) -> Any:
        """Return the report: `to_html()`, `save(path)`."""


class Request(ABC):
    """A request of plain values; subclasses are frozen dataclasses.

    `check` raises a CrakeError for whatever is wrong before any row is read. `run` checks, works and returns the
    result. `command_line` and `python` give the same result again.
    """

    command: ClassVar[str] = ""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build the request from a JSON document, with an error for unknown keys and wrong types."""
        return from_document(cls, values, cls.command)

    def to_dict(self) -> dict[str, Any]:
        """Return the request as a JSON document, without the values that are defaults."""
        return to_document(self)

    @abstractmethod
    def check(self) -> None:
        """Raise an error for what can be known to be wrong before the work."""

    @abstractmethod
    def run(self, progress: Progress = SILENT) -> Any:
        """Check, work, and return the result."""

    @abstractmethod
    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""

    def command_line(self) -> str:
        """Return the command for a shell that gives the same result again."""
        return shlex.join(["crake", self.command, *self.words()])


def options(**values: object) -> list[str]:
    """Return the words of those options that have a value; a tuple repeats its option, True is a flag.

    >>> options(positive=None, cost="costs.csv", learner=("1r", "c4.5"), keep=True, raw=False, bad_rows="skip")
    ['--cost', 'costs.csv', '--learner', '1r', '--learner', 'c4.5', '--keep', '--bad-rows', 'skip']
    """
    words: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, tuple):
            words += [word for part in value for word in (option, str(part))]
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words


def changed(value: Any, default: Any) -> Any:
    """Return the value, or None where it is the default and need not be said."""
    return None if value == default else value


def argument(text: str) -> str:
    """Return an argument that no shell option is taken for.

    >>> argument("-odd.csv"), argument("-"), argument("golf")
    ('./-odd.csv', '-', 'golf')
    """
    return f"./{text}" if text.startswith("-") and text != "-" else text


def requoted(columns: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns as an option takes them: one with a comma in double quotes.

    >>> requoted(["a", "last, first"])
    ('a', '"last, first"')
    """
    return tuple('"' + name.replace('"', '""') + '"' if {",", '"'} & set(name) else name for name in columns)


def settings(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return parameters as the option --set takes them: text as it is, unless it would be read as JSON.

    >>> settings({"alpha": 0.5, "prior": "laplace", "m": None, "name": "1"})
    ('alpha=0.5', 'prior=laplace', 'm=null', 'name="1"')
    """
    return tuple(f"{name}={_setting(value)}" for name, value in parameters.items())


def parameter(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE: JSON where it is JSON, the text itself otherwise.

    >>> parameter("alpha=0.5"), parameter("prior=laplace"), parameter("prior=[0.5, 0.5]"), parameter("m=null")
    (('alpha', 0.5), ('prior', 'laplace'), ('prior', [0.5, 0.5]), ('m', None))
    >>> parameter("alpha")
    Traceback (most recent call last):
    crake.errors.CrakeError: --set alpha: expected NAME=VALUE, such as alpha=0
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise CrakeError(f"--set {text}: expected NAME=VALUE, such as alpha=0")
    return name.strip(), _read(value)


def _setting(value: Any) -> str:
    if isinstance(value, str) and _read(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()
