"""A model as one ES module: `predict(row)` and `predictProba(row)` of an object by column."""

from __future__ import annotations

import json
from collections.abc import Sequence

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.code import Procedures, features_text
from crake.export.exported import Exported
from crake.export.syntax import Syntax
from crake.kernels.tree.impurity import NOTHING

SAFE = 2**53 - 1
"""The largest whole number that JavaScript tells from its neighbours."""
HELPERS = """
function add(out, own, weight, width) {
  for (let k = 0; k < width; k++) out[k] += own[k] * weight;
}
function vote(out, own, weight, tie, width) {
  const least = Math.max(...own) - tie;
  out[own.findIndex((each) => each >= least)] += weight;
}
function win(out, winner, weight) {
  out[winner] += weight;
}
function look_up(branches, code) {
  return code >= 0 ? branches[code] : -1;
}
function take(out, left, part, answers, width) {
  if (part <= NOTHING || left <= NOTHING) return left;
  const taken = left * (1 - part) <= NOTHING ? left : left * part;
  add(out, answers, taken, width);
  return left - taken;
}
function mix(tree, x, forced, part, first, count, share, answers, width, out) {
  const leaf = tree(x, forced);
  if (leaf >= 0) {
    add(out, answers[leaf], part, width);
    return;
  }
  const node = -1 - leaf;
  for (let branch = 0; branch < count[node]; branch++) {
    const own = share[first[node] + branch];
    if (own > 0) {
      forced[node] = branch + 1;
      mix(tree, x, forced, part * own, first, count, share, answers, width, out);
    }
  }
  forced[node] = 0;
}
function level_term(out, code, values, width) {
  add(out, values[code + 2], 1, width);
}
function number_term(out, x, unit, centre, rest, scale, farthest, values, width) {
  if (x !== x) {
    add(out, values[1], 1, width);
    return;
  }
  const z = (x * unit - centre - rest) * scale;
  add(out, values[0], Math.min(Math.max(z, -farthest), farthest), width);
}
function normal_term(out, x, scale, logFloor, values, width) {
  if (x !== x) return;
  for (let k = 0; k < width; k++) {
    if (values[2][k] > 0) {
      const z = (x * scale - values[0][k] - values[1][k]) * values[2][k];
      out[k] += Math.max(logFloor, -0.5 * (z * z) - values[3][k]);
    }
  }
}
function interval(x, cuts, size) {
  let at = 0;
  while (at < size && x > cuts[at]) at++;
  return x !== x ? size + 1 : at;
}
function step_term(out, x, cuts, size, values, width) {
  add(out, values[interval(x, cuts, size)], 1, width);
}
function empty(out) {
  out.fill(-Infinity);
}
function join(out, own, width) {
  for (let k = 0; k < width; k++) {
    const top = Math.max(out[k], own[k]);
    const other = Math.min(out[k], own[k]);
    out[k] = other === -Infinity ? top : top + Math.log1p(Math.exp(other - top));
  }
}
function softmax(out, fallback, width) {
  const top = Math.max(...out);
  for (let k = 0; k < width; k++) {
    out[k] = top === -Infinity ? fallback[k] : Math.exp(out[k] - top);
  }
  if (top !== -Infinity) shares(out, 1, 0, width);
}
function logistic(out, score, a, b, least) {
  const p = Math.min(Math.max(1 / (1 + Math.exp(-(a * score + b))), least), 1 - least);
  out[0] += 1 - p;
  out[1] += p;
}
function shares(out, factor, constant, width) {
  let total = 0;
  for (const each of out) total += each;
  for (let k = 0; k < width; k++) out[k] = (out[k] / total) * factor + constant;
}
"""

READING = """
function cells(row) {
  return COLUMNS.map(([name, levels]) => {
    if (!Object.hasOwn(row, name)) throw new Error(`expected a value, or null, for the column ${JSON.stringify(name)}`);
    const value = row[name];
    if (value === null || value === undefined || Number.isNaN(value)) return levels === null ? NaN : -1;
    if (levels === null) return Number(value);
    return levels.has(value) ? levels.get(value) : -2;
  });
}
"""

CLASSES = """
/** The probability of each of the CLASSES. */
export function predictProba(row) {
  const out = new Array(CLASSES.length).fill(0);
  MODEL(cells(row), out);
  return out;
}
/** The most probable class, the first of equals. */
export function predict(row) {
  const out = predictProba(row);
  return CLASSES[out.indexOf(Math.max(...out))];
}
"""

NUMBER = """
/** The number that is expected. */
export function predict(row) {
  const out = [0];
  MODEL(cells(row), out);
  return out[0];
}
"""


class JavaScriptSyntax(Syntax):
    """The words of JavaScript."""

    def number(self, value: float) -> str:
        """Write a number with all its digits."""
        text = repr(float(value))
        return text.replace("inf", "Infinity")

    def table(self, name: str, lines: Floats) -> str:
        """Write a constant table of numbers."""
        written = [f"  [{', '.join(map(self.number, line))}],\n" for line in lines.tolist()]
        return f"const {name} = [\n{''.join(written)}];\n"

    def whole_numbers(self, name: str, values: Sequence[int]) -> str:
        """Write a constant list of whole numbers."""
        return f"const {name} = {list(map(int, values))};\n"

    def array(self, name: str, size: int) -> str:
        """Write a new list of zeros."""
        return f"const {name} = new Array({size}).fill(0);"

    def procedure(self, name: str, body: Sequence[str]) -> str:
        """Write a procedure of a row and the numbers that it adds to."""
        return _function(f"function {name}(x, out) {{", body)

    def question(self, name: str, body: Sequence[str]) -> str:
        """Write a function of a row and forced branches that returns a leaf."""
        return _function(f"function {name}(x, forced) {{", body)

    def whole(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a whole number."""
        return f"let {name} = {value};" if is_new else f"{name} = {value};"

    real = whole

    def choice(self, condition: str, yes: str, no: str) -> str:
        """Write one of two values."""
        return f"({condition} ? {yes} : {no})"

    def branches(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """Write lines for the first condition that holds; "" holds always."""
        return braces(cases)


def braces(cases: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Write branches as C and JavaScript have them."""
    lines = []
    for at, (condition, body) in enumerate(cases):
        word = f"{'} else ' if at else ''}if ({condition}) {{" if condition else "} else {"
        lines += [word, *(f"  {line}" for line in body)]
    return [*lines, "}"]


def to_javascript(model: Exported) -> str:
    """Return the text of the module."""
    procedures = Procedures(JavaScriptSyntax(), model)
    top = procedures.write(model.form)
    columns = "".join(f"  [{_text(name)}, {_levels(levels)}],\n" for name, levels in features_text(model))
    head = f"// A model of crake: {model.title}.\nconst NOTHING = {NOTHING!r};\nconst none = [];\n"
    names = f"export const CLASSES = [{', '.join(map(_text, model.classes))}];\n" if model.classes else ""
    reading = f"{head}export const COLUMNS = [\n{columns}];\n{names}"
    last = CLASSES if model.classes else NUMBER
    return "".join([reading, HELPERS, *procedures.parts, f"const MODEL = {top};\n", READING, last])


def _text(label: object) -> str:
    """Write a constant; JSON in ASCII is JavaScript, whatever the text holds."""
    if isinstance(label, int) and abs(label) > SAFE:
        raise CrakeError(
            f"{label} cannot be exported to JavaScript, whose numbers are whole up to {SAFE:,}; make the column, or "
            "the class, a text"
        )
    return json.dumps(label, ensure_ascii=True)


def _levels(levels: Sequence[object] | None) -> str:
    if levels is None:
        return "null"
    return f"new Map([{', '.join(f'[{_text(level)}, {code}]' for code, level in enumerate(levels))}])"


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join([head, *(f"  {line}" for line in body), "}", ""])
