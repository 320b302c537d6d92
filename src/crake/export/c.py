"""A model as one C header: static functions of a row of doubles, C99, without allocation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.code import Procedures, features_text
from crake.export.exported import Exported
from crake.export.javascript import braces
from crake.export.syntax import Syntax
from crake.kernels.tree.impurity import NOTHING

HELPERS = """
typedef int (*P_tree)(const double *x, const int *forced);
static inline void P_add(double *out, const double *own, double weight, int width) {
  for (int k = 0; k < width; k++) out[k] += own[k] * weight;
}
static inline void P_vote(double *out, const double *own, double weight, double tie, int width) {
  double least = own[0];
  int first = 0;
  for (int k = 1; k < width; k++) if (own[k] > least) least = own[k];
  while (own[first] < least - tie) first++;
  out[first] += weight;
}
static inline void P_win(double *out, int winner, double weight) { out[winner] += weight; }
static inline int P_code(double code, int size) { return code >= 0 && code < size ? (int)code : code == -2 ? -2 : -1; }
static inline int P_look_up_at(const int *branches, int size, double code) {
  int own = P_code(code, size);
  return own >= 0 ? branches[own] : -1;
}
#define P_look_up(branches, code) P_look_up_at(branches, (int)(sizeof branches / sizeof branches[0]), code)
static inline double P_take(double *out, double left, double part, const double *answers, int width) {
  if (part <= NOTHING || left <= NOTHING) return left;
  double taken = left * (1.0 - part) <= NOTHING ? left : left * part;
  P_add(out, answers, taken, width);
  return left - taken;
}
static inline void P_mix_at(P_tree tree, const double *x, int *forced, double part, const int *first, const int *count,
                            const double *share, const double *answers, int width, double *out) {
  int leaf = tree(x, forced);
  if (leaf >= 0) {
    P_add(out, answers + (long)leaf * width, part, width);
    return;
  }
  int node = -1 - leaf;
  for (int branch = 0; branch < count[node]; branch++) {
    double own = share[first[node] + branch];
    if (own > 0.0) {
      forced[node] = branch + 1;
      P_mix_at(tree, x, forced, part * own, first, count, share, answers, width, out);
    }
  }
  forced[node] = 0;
}
#define P_mix(tree, x, forced, part, first, count, share, answers, width, out) \\
  P_mix_at(tree, x, forced, part, first, count, share, &answers[0][0], width, out)
#define P_level_term(out, code, values, width) \
  P_add(out, values[P_code(code, (int)(sizeof values / sizeof values[0]) - 2) + 2], 1.0, width)
static inline void P_number_at(double *out, double x, double unit, double centre, double rest, double scale,
                               double farthest, const double *values, int width) {
  if (x != x) {
    P_add(out, values + width, 1.0, width);
    return;
  }
  double z = ((x * unit - centre) - rest) * scale;
  P_add(out, values, z > farthest ? farthest : z < -farthest ? -farthest : z, width);
}
#define P_number_term(out, x, unit, centre, rest, scale, farthest, values, width) \\
  P_number_at(out, x, unit, centre, rest, scale, farthest, &values[0][0], width)
static inline void P_normal_at(double *out, double x, double scale, double log_floor, const double *values, int width) {
  if (x != x) return;
  for (int k = 0; k < width; k++) {
    double precision = values[2 * width + k];
    if (precision > 0.0) {
      double z = ((x * scale - values[k]) - values[width + k]) * precision;
      double density = -0.5 * (z * z) - values[3 * width + k];
      out[k] += density > log_floor ? density : log_floor;
    }
  }
}
#define P_normal_term(out, x, scale, log_floor, values, width) \\
  P_normal_at(out, x, scale, log_floor, &values[0][0], width)
static inline int P_interval(double x, const double *cuts, int size) {
  int at = 0;
  if (x != x) return size + 1;
  while (at < size && x > cuts[at]) at++;
  return at;
}
static inline void P_empty(double *out, int width) {
  for (int k = 0; k < width; k++) out[k] = -HUGE_VAL;
}
static inline void P_join(double *out, const double *own, int width) {
  for (int k = 0; k < width; k++) {
    double top = out[k] > own[k] ? out[k] : own[k], other = out[k] > own[k] ? own[k] : out[k];
    out[k] = other == -HUGE_VAL ? top : top + log1p(exp(other - top));
  }
}
#define P_step_term(out, x, cuts, size, values, width) P_add(out, values[P_interval(x, cuts, size)], 1.0, width)
static inline void P_shares(double *out, double factor, double constant, int width) {
  double total = 0.0;
  for (int k = 0; k < width; k++) total += out[k];
  for (int k = 0; k < width; k++) out[k] = out[k] / total * factor + constant;
}
static inline void P_softmax(double *out, const double *fallback, int width) {
  double top = out[0];
  for (int k = 1; k < width; k++) if (out[k] > top) top = out[k];
  for (int k = 0; k < width; k++) out[k] = top == -HUGE_VAL ? fallback[k] : out[k] == top ? 1.0 : exp(out[k] - top);
  if (top != -HUGE_VAL) P_shares(out, 1.0, 0.0, width);
}
static inline void P_logistic(double *out, double score, double a, double b, double least) {
  double p = 1.0 / (1.0 + exp(-(a * score + b)));
  p = p < least ? least : p > 1.0 - least ? 1.0 - least : p;
  out[0] += 1.0 - p;
  out[1] += p;
}
static const int P_none[1] = {0};
"""

CLASSES = """
/* Writes the probability of each class. */
static inline void P_probabilities(const double *x, double *out) {
  for (int k = 0; k < P_CLASSES; k++) out[k] = 0.0;
  P_MODEL(x, out);
}
/* Returns the number of the most probable class, the first of equals. */
static inline int P_predict(const double *x) {
  double out[P_CLASSES];
  int best = 0;
  P_probabilities(x, out);
  for (int k = 1; k < P_CLASSES; k++) if (out[k] > out[best]) best = k;
  return best;
}
"""

NUMBER = """
/* Returns the number that is expected. */
static inline double P_predict(const double *x) {
  double out[1] = {0.0};
  P_MODEL(x, out);
  return out[0];
}
"""

LEVEL = """
/* Returns what a row holds for the text of a column of names: -1 for NULL (missing), -2 for a text that is new. */
static inline double P_level(int column, const char *text) {
  if (text == NULL) return -1.0;
  for (int code = 0; P_levels[column] != NULL && P_levels[column][code] != NULL; code++)
    if (strcmp(P_levels[column][code], text) == 0) return code;
  return -2.0;
}
"""


class CSyntax(Syntax):
    """The words of C."""

    def number(self, value: float) -> str:
        """Write a number with all its digits."""
        text = repr(float(value))
        return text.replace("inf", "HUGE_VAL")

    def table(self, name: str, lines: Floats) -> str:
        """Write a constant table of numbers."""
        written = [f"  {{{', '.join(map(self.number, line))}}},\n" for line in lines.tolist()]
        return f"static const double {name}[{lines.shape[0]}][{lines.shape[1]}] = {{\n{''.join(written)}}};\n"

    def whole_numbers(self, name: str, values: Sequence[int]) -> str:
        """Write a constant list of whole numbers."""
        return f"static const int {name}[{len(values)}] = {{{', '.join(map(str, map(int, values)))}}};\n"

    def array(self, name: str, size: int) -> str:
        """Write a new list of zeros."""
        kind = "int" if "forced" in name else "double"
        return f"{kind} {name}[{size}] = {{0}};"

    def procedure(self, name: str, body: Sequence[str]) -> str:
        """Write a procedure of a row and the numbers that it adds to."""
        return _function(f"static inline void {name}(const double *x, double *out) {{", body)

    def question(self, name: str, body: Sequence[str]) -> str:
        """Write a function of a row and forced branches that returns a leaf."""
        return _function(f"static int {name}(const double *x, const int *forced) {{", body)

    def whole(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a whole number."""
        return f"int {name} = {value};" if is_new else f"{name} = {value};"

    def whole_number(self, cell: str) -> str:
        """Write the whole number that a cell of names holds."""
        return f"({cell} >= 0 && {cell} < 1e9 ? (int){cell} : -1)"

    def real(self, name: str, value: str, *, is_new: bool = True) -> str:
        """Write a variable that holds a number."""
        return f"double {name} = {value};" if is_new else f"{name} = {value};"

    def choice(self, condition: str, yes: str, no: str) -> str:
        """Write one of two values."""
        return f"({condition} ? {yes} : {no})"

    def branches(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """Write lines for the first condition that holds; "" holds always."""
        return braces(cases)


def to_c(model: Exported, name: str = "model") -> str:
    """Return the text of the header; its names begin with `name`."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,40}", name):
        raise CrakeError(f"name={name!r}; expected a letter, then up to 40 letters, digits or _, for the names in C")
    procedures = Procedures(CSyntax(), model, f"{name}_")
    top = procedures.write(model.form)
    columns = features_text(model)
    guard = f"{name.upper()}_H"
    head = [
        f"/* A model of crake: {model.title}. A row is {len(columns)} doubles. */",
        f"/* Of a number NAN is missing; of a name, {name}_level(column, text) says what the row holds. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "#include <math.h>",
        "#include <stddef.h>",
        "#include <string.h>",
        f"#define {name}_COLUMNS {len(columns)}",
        f"static const char *const {name}_column_names[] = {_texts([each for each, _ in columns])};",
        *(
            f"static const char *const {name}_levels_{at}[] = {_texts(own)};"
            for at, (_, own) in enumerate(columns)
            if own is not None
        ),
        _level_tables(name, columns),
    ]
    if model.classes:
        head += [
            f"#define {name}_CLASSES {len(model.classes)}",
            f"static const char *const {name}_class_names[] = {_texts(model.classes)};",
        ]
    fixed = HELPERS.replace("NOTHING", repr(NOTHING)).replace("P_", f"{name}_")
    last = f"#define {name}_MODEL {top}\n" + (CLASSES if model.classes else NUMBER).replace("P_", f"{name}_")
    level = LEVEL.replace("P_", f"{name}_")
    return "".join(["\n".join(head), "\n", fixed, *procedures.parts, last, level, "#endif\n"])


def _level_tables(name: str, columns: Sequence[tuple[str, tuple[object, ...] | None]]) -> str:
    tables = [f"{name}_levels_{at}" if own is not None else "NULL" for at, (_, own) in enumerate(columns)]
    return f"static const char *const *const {name}_levels[] = {{{', '.join([*tables, 'NULL'])}}};"


def _texts(labels: Sequence[object]) -> str:
    return f"{{{', '.join([*map(text_literal, labels), 'NULL'])}}}"


def text_literal(label: object) -> str:
    r"""Write a string: bytes that are no plain letters, digits or signs by their number.

    >>> print(text_literal('say "é"'))
    "say \042\303\251\042"
    """
    data = str(label).encode()
    if b"\0" in data:
        raise CrakeError(f"{label!r} has a character of code 0, at which a string of C ends; rename it")
    plain = b" !#$%&'()*+,-./:;<=>@[]^_`{|}~"
    return '"' + "".join(chr(b) if bytes([b]).isalnum() or b in plain else f"\\{b:03o}" for b in data) + '"'


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join([head, *(f"  {line}" for line in body), "}", ""])
