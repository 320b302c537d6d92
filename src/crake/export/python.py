"""A model as one file of plain Python that imports nothing: `predict(row)` and `predict_proba(row)` of a mapping."""

from __future__ import annotations

from collections.abc import Sequence

from crake.arrays import Floats
from crake.export.code import Procedures, features_text
from crake.export.exported import Exported
from crake.export.syntax import Syntax
from crake.kernels.tree.impurity import NOTHING

HELPERS = f"""
def add(out, own, weight, width):
    for k in range(width):
        out[k] += own[k] * weight


def vote(out, own, weight, tie, width):
    least = max(own) - tie
    for k in range(width):
        if own[k] >= least:
            out[k] += weight
            return


def win(out, winner, weight):
    out[winner] += weight


def look_up(branches, code):
    return branches[int(code)] if code >= 0 else -1


def take(out, left, part, answers, width):
    if part <= {NOTHING!r} or left <= {NOTHING!r}:
        return left
    taken = left if left * (1.0 - part) <= {NOTHING!r} else left * part
    add(out, answers, taken, width)
    return left - taken


def mix(tree, x, forced, part, first, count, share, answers, width, out):
    leaf = tree(x, forced)
    if leaf >= 0:
        add(out, answers[leaf], part, width)
        return
    node = -1 - leaf
    for branch in range(count[node]):
        own = share[first[node] + branch]
        if own > 0.0:
            forced[node] = branch + 1
            mix(tree, x, forced, part * own, first, count, share, answers, width, out)
    forced[node] = 0


def level_term(out, code, values, width):
    add(out, values[int(code) + 2], 1.0, width)


def number_term(out, x, unit, centre, rest, scale, farthest, values, width):
    if x != x:
        add(out, values[1], 1.0, width)
        return
    z = ((x * unit - centre) - rest) * scale
    add(out, values[0], min(max(z, -farthest), farthest), width)


def normal_term(out, x, scale, log_floor, values, width):
    if x != x:
        return
    for k in range(width):
        if values[2][k] > 0.0:
            z = ((x * scale - values[0][k]) - values[1][k]) * values[2][k]
            out[k] += max(log_floor, -0.5 * (z * z) - values[3][k])


def interval(x, cuts, size):
    at = 0
    while at < size and x > cuts[at]:
        at += 1
    return size + 1 if x != x else at


def step_term(out, x, cuts, size, values, width):
    add(out, values[interval(x, cuts, size)], 1.0, width)


def empty(out, width):
    for k in range(width):
        out[k] = float("-inf")


def exp(x):
    return 2.718281828459045 ** x if x > -700.0 else 0.0


def log_of_one_and(x):
    part = x / (2.0 + x)
    power, total = part, 0.0
    for odd in range(1, 41, 2):
        total += power / odd
        power *= part * part
    return 2.0 * total


def join(out, own, width):
    for k in range(width):
        top, other = max(out[k], own[k]), min(out[k], own[k])
        out[k] = top if other == float("-inf") else top + log_of_one_and(exp(other - top))


def softmax(out, fallback, width):
    top = max(out)
    if top == float("-inf"):
        out[:] = fallback
        return
    for k in range(width):
        out[k] = exp(out[k] - top)
    shares(out, 1.0, 0.0, width)


def logistic(out, score, a, b, least):
    odds = a * score + b
    p = 0.0 if odds < -700.0 else 1.0 if odds > 700.0 else 1.0 / (1.0 + 2.718281828459045**-odds)
    p = min(max(p, least), 1.0 - least)
    out[0] += 1.0 - p
    out[1] += p


def shares(out, factor, constant, width):
    total = sum(out)
    for k in range(width):
        out[k] = out[k] / total * factor + constant
"""

READING = '''
def cells(row):
    """Return the numbers of a row: a mapping by column; None and NaN are missing."""
    x = []
    for name, levels in COLUMNS:
        if name not in row:
            raise KeyError(f"expected a value, or None, for the column {name!r}")
        value = row[name]
        if value is None or value != value:
            x.append(float("nan") if levels is None else -1)
        else:
            x.append(float(value) if levels is None else levels.get((isinstance(value, bool), value), -2))
    return x
'''

CLASSES = '''
def predict_proba(row):
    """Return the probability of each of the CLASSES."""
    out = [0.0] * len(CLASSES)
    MODEL(cells(row), out)
    return out


def predict(row):
    """Return the most probable class, the first of equals."""
    out = predict_proba(row)
    return CLASSES[out.index(max(out))]
'''

NUMBER = '''
def predict(row):
    """Return the number that is expected."""
    out = [0.0]
    MODEL(cells(row), out)
    return out[0]
'''


class PythonSyntax(Syntax):
    """The words of Python."""

    end = ""

    def number(self, value: float) -> str:
        """Write a number with all its digits."""
        text = repr(float(value))
        return f'float("{text}")' if "inf" in text or "nan" in text else text

    def table(self, name: str, lines: Floats) -> str:
        """Write a constant table of numbers."""
        written = [f"    [{', '.join(map(self.number, line))}],\n" for line in lines.tolist()]
        return f"{name} = [\n{''.join(written)}]\n"

    def whole_numbers(self, name: str, values: Sequence[int]) -> str:
        """Write a constant list of whole numbers."""
        return f"{name} = {list(map(int, values))}\n"

    def array(self, name: str, size: int) -> str:
        """Write a new list of zeros."""
        return f"{name} = [0] * {size}"

    def procedure(self, name: str, body: Sequence[str]) -> str:
        """Write a procedure of a row and the numbers that it adds to."""
        return _function(f"def {name}(x, out):", body)

    def question(self, name: str, body: Sequence[str]) -> str:
        """Write a function of a row and forced branches that returns a leaf."""
        return _function(f"def {name}(x, forced):", body)

    def whole(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a whole number."""
        del is_new
        return f"{name} = {value}"

    real = whole

    def choice(self, condition: str, yes: str, no: str) -> str:
        """Write one of two values."""
        return f"({yes} if {condition} else {no})"

    def condition(self, text: str) -> str:
        """Return a condition in Python's words."""
        return text.replace("&&", "and").replace("||", "or")

    def branches(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """Write lines for the first condition that holds; "" holds always."""
        lines = []
        for at, (condition, body) in enumerate(cases):
            word = f"{'elif' if at else 'if'} {self.condition(condition)}:" if condition else "else:"
            lines += [word, *(f"    {line}" for line in body)]
        return lines


def to_python(model: Exported) -> str:
    """Return the text of the file."""
    procedures = Procedures(PythonSyntax(), model)
    top = procedures.write(model.form)
    columns = "".join(f"    ({name!a}, {_levels(levels)}),\n" for name, levels in features_text(model))
    head = f'"""A model of crake: {model.title}."""\n\nCOLUMNS = [\n{columns}]\n'
    names = f"CLASSES = {_labels(model.classes)}\n" if model.classes else ""
    blocks = [f"{head}{names}none = ()\n", HELPERS, *(f"\n{part}" for part in procedures.parts)]
    return "".join([*blocks, f"\nMODEL = {top}\n\n", READING, "\n", CLASSES if model.classes else NUMBER])


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join(["", head, *(f"    {line}" for line in body), "", ""])


def _labels(labels: Sequence[object]) -> str:
    return f"[{', '.join(map(ascii, labels))}]"


def _levels(levels: Sequence[object] | None) -> str:
    """Write the codes of levels; True and 1 are two of them."""
    if levels is None:
        return "None"
    return f"{{{', '.join(f'({isinstance(v, bool)}, {v!a}): {code}' for code, v in enumerate(levels))}}}"
