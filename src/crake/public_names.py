"""Public names of a package, loaded when they are first used. The stub beside its `__init__.py` is the only list.

Parsing the stub by words takes a tenth of a millisecond; importing `ast` or `typing` would take longer than all else.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def attach(
    package: str, file: str, also: tuple[str, ...] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package, given its name and the path of its `__init__.py`.

    `also` names what the package defines itself.
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:  # noqa: PTH123 (pathlib is slow to import)
        homes = names_in(stub.read())
    every = sorted({*homes, *also})

    def __getattr__(name: str) -> object:  # noqa: N807
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        if home == package:  # a module of the package itself
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home), name)
        setattr(import_module(package), name, value)  # found without this function the next time
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return list(every)

    return __getattr__, __dir__, every


def names_in(stub: str) -> dict[str, str]:
    r"""Return the names that a stub imports, each with its module: lines of the form `from M import N as N`.

    >>> names_in("from crake.plans import Holdout as Holdout\n__version__: str\n")
    {'Holdout': 'crake.plans'}
    """
    lines = (line.split() for line in stub.splitlines())
    return {words[5]: words[1] for words in lines if len(words) == 6 and words[0] == "from"}
