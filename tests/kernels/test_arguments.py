"""No kernel takes a long list of arrays by position: what belongs together is a bundle.

Helpers that are inlined run once per row: taking arrays out of a bundle there would cost more than their work.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import crake.kernels

MOST = 10


def _is_inlined(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "inlined" for each in node.decorator_list)


def _functions() -> Iterator[tuple[str, int]]:
    """The functions of all kernel modules, helpers included, and how many arguments they take."""
    folder = Path(crake.kernels.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not _is_inlined(node):
                arguments = node.args
                number = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
                yield f"{file.relative_to(folder)}: {node.name}", number


def test_no_kernel_takes_more_than_ten_arguments() -> None:
    long = [f"{name} takes {number}" for name, number in _functions() if number > MOST]
    assert not long, "\n".join(long)
