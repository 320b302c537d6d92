"""What is written in a hand calculation, worked out: 2/9 × 3/9, 1/(1 + exp(−(0.5·2 − 1))), −9/14·log2(9/14)."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable

from crake.render.workings import Step, Workings

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "log": math.log,
    "ln": math.log,
    "log2": math.log2,
    "sqrt": math.sqrt,
    "Phi": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
}
_SIGNS = {
    "−": "-", "×": "*", "·": "*", "^": "**", "²": "**2", "√": "sqrt", "Φ": "Phi", "π": "pi", "[": "(", "]": ")",
    "2pi": "2*pi",
}  # fmt: skip


def value_of(written: str) -> float | None:
    """The number, or None where there is more than arithmetic: names, "… (12 more)"."""
    parsed = _parsed(written)
    return None if parsed is None else _result(parsed)


def _plain(written: str) -> str:
    """The arithmetic as Python writes it."""
    plain = written
    for sign, python in _SIGNS.items():
        plain = plain.replace(sign, python)
    return re.sub(r"\be\*\*", f"{math.e!r}**", plain).strip()


def _parsed(written: str) -> ast.expr | None:
    try:
        return ast.parse(_plain(written), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _result(parsed: ast.expr) -> float | None:
    try:
        return _worked(parsed)
    except (KeyError, TypeError, ValueError, RecursionError, ZeroDivisionError, OverflowError):
        return None


def _worked(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id == "pi":
        return math.pi
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_worked(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FUNCTIONS[node.func.id](_worked(node.args[0]))
    if isinstance(node, ast.BinOp):
        one, other = _worked(node.left), _worked(node.right)
        signs = {
            ast.Add: "__add__",
            ast.Sub: "__sub__",
            ast.Mult: "__mul__",
            ast.Div: "__truediv__",
            ast.Pow: "__pow__",
        }
        return getattr(one, signs[type(node.op)])(other)
    raise KeyError(ast.dump(node))


def half_unit(written: str) -> float:
    """Half a unit of the last digit of a number with a fraction; whole numbers are exact below 10,000.

    >>> half_unit("0.25"), half_unit("14"), half_unit("3.2e-05")
    (0.005, 0.0, 5e-07)
    """
    digits, _, exponent = written.partition("e")
    _, _, decimals = digits.partition(".")
    if not decimals and not exponent and len(digits) <= 4 and "." not in written:
        return 0.5 if len(digits) == 4 else 0.0
    return 0.5 * 10.0 ** (int(exponent or 0) - len(decimals))


def rounding(written: str, value: float) -> float:
    """Return the largest error that rounded numbers can cause: the sum of the changes by half a unit of each."""
    total, parsed, plain = 0.0, _parsed(written), _plain(written)
    assert parsed is not None
    for node in ast.walk(parsed):
        if not isinstance(node, ast.Constant) or not (unit := half_unit(plain[node.col_offset : node.end_col_offset])):
            continue
        exact, others = float(node.value), []
        for side in (-1, 1):
            node.value = exact + side * 1.01 * unit
            others.append(_result(parsed))
        node.value = exact
        total += max(math.inf if other is None else abs(other - value) for other in others)
    return total


def assert_works_out(step: Step) -> bool:
    """Whether there was something to work out; if so it gives the value written."""
    found, said = value_of(step.substitution) if step.substitution else None, value_of(step.value)
    if found is None or said is None:
        return False
    # 1.0000038 is written 1: four digits.
    last = half_unit(step.value.lstrip("-")) or 5e-4 * abs(said)
    allowed = 1.01 * last + 1e-12 * abs(found)
    if abs(found - said) > allowed:  # most steps are as exact as this; the rounding of every number takes long
        allowed += 1.01 * rounding(step.substitution, found)
    assert abs(found - said) <= allowed, (str(step), found, said, allowed)
    return True


def assert_all_work_out(workings: Workings) -> int:
    """How many steps were worked out."""
    return sum(map(assert_works_out, workings.steps))
