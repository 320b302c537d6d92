"""Python source from a tree of calls: the lines that reproduce a run."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class Expression:
    """A node of Python source: a name, or a call."""

    def then(self, method: str, *arguments: Any, **keywords: Any) -> Call:
        """Return a call of a method of this expression.

        >>> print(Name("table").then("sample", 5, random_state=1))
        table.sample(5, random_state=1)
        """
        return Call(Attribute(self, method), arguments, keywords)


@dataclass(frozen=True)
class Name(Expression):
    """A variable, function or class, with the import that brings it."""

    text: str
    imported_by: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Attribute(Expression):
    """A part of an expression."""

    owner: Expression
    name: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"


@dataclass(frozen=True)
class Call(Expression):
    """A function with its arguments."""

    function: Expression
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words = [*map(source, self.arguments), *(f"{name}={source(value)}" for name, value in self.keywords.items())]
        return f"{self.function}({', '.join(words)})"

    def adding(self, **keywords: Any) -> Call:
        """Return the call with more keywords; those that are None are left out."""
        more = {name: value for name, value in keywords.items() if value is not None}
        return Call(self.function, self.arguments, {**self.keywords, **more})


@dataclass(frozen=True)
class Script:
    """Lines of Python: each assigns to a name, or with the name "" only evaluates."""

    lines: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        imports = dict.fromkeys(line for _, value in self.lines for line in _imports(value))
        body = [f"{name} = {source(value)}" if name else source(value) for name, value in self.lines]
        return "\n".join([*sorted(imports, key=lambda line: (line != "import crake", line)), *body])


def public(name: str) -> Name:
    """Return a public name of crake.

    >>> print(public("read"))
    crake.read
    """
    return Name(f"crake.{name}", "import crake")


def imported(module: str, name: str) -> Name:
    """Return a name that is imported from a module."""
    return Name(name, f"from {module} import {name}")


def call(function: Expression, *arguments: Any, **keywords: Any) -> Call:
    """Return a call; keywords that are None are left out.

    >>> print(call(public("read"), "golf", target=None, ignore=["temp"]))
    crake.read("golf", ignore=["temp"])
    """
    return Call(function, arguments).adding(**keywords)


def printed(value: Any) -> Call:
    """Return the call that prints a value."""
    return Call(Name("print"), (value,))


def instance(value: Any, **changed: Any) -> Call:
    """Return the call that makes a public dataclass of crake, such as a plan.

    >>> from crake.plans import CrossValidation
    >>> print(instance(CrossValidation(5)))
    crake.CrossValidation(folds=5, repeats=1, stratified=True, random_state=1)
    """
    values = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
    return Call(public(type(value).__name__), (), {**values, **changed})


def source(value: Any) -> str:
    r"""Return a value as Python writes it, text in double quotes.

    >>> print(source(["a\nb", 1.5, None, {"x": True}]))
    ["a\nb", 1.5, None, {"x": True}]
    """
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{source(key)}: {source(part)}' for key, part in value.items())}}}"
    return f"[{', '.join(map(source, value))}]" if isinstance(value, list | tuple) else repr(value)


def _imports(value: Any) -> Iterator[str]:
    """Yield the imports that an expression needs."""
    if isinstance(value, Name) and value.imported_by:
        yield value.imported_by
    parts: tuple[Any, ...] = ()
    if isinstance(value, Attribute):
        parts = (value.owner,)
    elif isinstance(value, Call):
        parts = (value.function, *value.arguments, *value.keywords.values())
    elif isinstance(value, Mapping):
        parts = (*value, *value.values())
    elif isinstance(value, list | tuple):
        parts = tuple(value)
    for part in parts:
        yield from _imports(part)
