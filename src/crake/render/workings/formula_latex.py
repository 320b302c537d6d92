r"""Formulas as they are written here, (2 + 1)/(9 + 3) or e^−z, as LaTeX; what is not mathematics becomes \text."""

from __future__ import annotations

import re

_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedblright{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
}  # fmt: skip
_SYMBOLS = {
    "−": "-", "×": r"\times ", "·": r"\cdot ", "±": r"\pm ", "≥": r"\ge ", "≤": r"\le ", "→": r"\to ",
    "←": r"\leftarrow ", "…": r"\dots ", "∞": r"\infty ", "√": r"\surd ", "Σ": r"\sum ", "Π": r"\prod ",
    "π": r"\pi ", "Φ": r"\Phi ", "φ": r"\varphi ", "σ": r"\sigma ", "β": r"\beta ", "θ": r"\theta ", "γ": r"\gamma ",
    "α": r"\alpha ", "κ": r"\kappa ", "²": "{}^{2}", "½": r"\tfrac{1}{2}", "≈": r"\approx ", "∝": r"\propto ",
}  # fmt: skip
_PLAIN = set("+-*/=()[],;:!? ")
_SIGNS = set("+-−*/=×·±≥≤<>→←≈∝ΣΠ√|^ ")
_WORDS = re.compile(r"\\text\{([^{}]*)\}")
SPACE = "\\ "
_TOKEN = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(log2|log|exp|ln)(?=\()|([^\W\d_](?:_[^\W\d_])?)(?![^\W²])|(\w+)|(.)", re.DOTALL)  # noqa: E501  # fmt: skip
_BREAKS = re.compile(r"(?= [+×−] (?![^(\[]*[)\]]))")

WIDEST = 70
"""Characters of one line of a formula; longer sums and products go on in the next."""


def text_of(plain: str) -> str:
    r"""Return text that LaTeX prints as it is; our own symbols, which its fonts may lack, as mathematics.

    >>> print(text_of("50 % of {a_b} ≥ 3"))
    50 \% of \{a\_b\} $\ge $ 3
    >>> print(text_of("σ = 2"), text_of("σπίτι"))
    $\sigma $ = 2 σπίτι
    """
    return "".join(_TEXT.get(c) or (f"${_SYMBOLS[c]}$" if _is_symbol(plain, at) else c) for at, c in enumerate(plain))


def _is_symbol(plain: str, at: int) -> bool:
    """Return True for one of our symbols; a Greek letter inside a Greek word belongs to a name of the table."""
    if plain[at] not in _SYMBOLS or not plain[at].isalpha():
        return plain[at] in _SYMBOLS
    beside = (plain[at - 1 : at], plain[at + 1 : at + 2])
    return not any(letter.isalpha() and not letter.isascii() for letter in beside)


DEEPEST = 20
"""Brackets in brackets that are looked into: a name may hold a thousand."""


def mathematics(formula: str, depth: int = 0) -> str:
    r"""Return the formula for LaTeX's mathematical mode.

    >>> print(mathematics("(2 + 1)/(9 + 3)"), mathematics("2/9 × 3/9"), mathematics("3.2e-11"))
    \frac{2 + 1}{9 + 3} \frac{2}{9} \times \frac{3}{9} 3.2 \times 10^{-11}
    >>> print(mathematics("1 / (1 + e^−z)"), mathematics("p × ways to merge, at most 1"))
    1 / (1 + e{}^{-z}) p \times \text{ways to merge},\ \text{at most}\ 1
    """
    out: list[str] = []
    at = 0
    while at < len(formula):
        if formula[at] == " " and _parts_words(formula, at):
            out.append(SPACE)
            at += 1
            continue
        above, end = _atom(formula, at, depth)
        if end < len(formula) - 1 and formula[end] == "/" and _is_atom(formula[at]) and _is_atom(formula[end + 1]):
            below, end = _atom(formula, end + 1, depth)
            out.append(rf"\frac{{{_bare(above)}}}{{{_bare(below)}}}")
        else:
            out.append(above)
        at = end
    return re.sub(" +", " ", "".join(_sentences(out)))


def broken(formula: str) -> list[str]:
    """Return a long sum or product in lines, each at most `WIDEST` wide where it has signs to be broken at.

    >>> len(broken(" + ".join(["0.25 × 3/9"] * 20)))
    4
    """
    lines: list[str] = []
    for piece in _BREAKS.split(formula):
        if lines and len(lines[-1]) + len(piece) <= WIDEST:
            lines[-1] += piece
        else:
            lines.append(piece)
    return lines


def _parts_words(formula: str, at: int) -> bool:
    """Return True for a space between words or numbers: mathematics, which spaces its signs itself, would drop
    it.
    """
    before, after = formula[at - 1 : at], formula[at + 1 : at + 2]
    return bool(before and after) and before not in _SIGNS and after not in _SIGNS


def _sentences(parts: list[str]) -> list[str]:
    """Words with nothing but spaces between them as one text."""
    out: list[str] = []
    for part in parts:
        if len(out) > 1 and out[-1] == SPACE and _WORDS.fullmatch(out[-2]) and (word := _WORDS.fullmatch(part)):
            out.pop()
            out[-1] = f"{out[-1][:-1]} {word[1]}}}"
        else:
            out.append(part)
    return out


def _atom(formula: str, at: int, depth: int) -> tuple[str, int]:
    """Return one thing that can stand above or below a line, as LaTeX with its square, and where it ends."""
    atom, end = _unsquared(formula, at, depth)
    return (f"{atom}{{}}^{{2}}", end + 1) if formula[end : end + 1] == "²" else (atom, end)


def _unsquared(formula: str, at: int, depth: int) -> tuple[str, int]:
    if formula[at] == "(" and depth < DEEPEST and (end := _closing(formula, at)):
        return f"({mathematics(formula[at + 1 : end - 1], depth + 1)})", end
    if formula[at : at + 2] == "√(" and depth < DEEPEST and (end := _closing(formula, at + 1)):
        return rf"\sqrt{{{mathematics(formula[at + 2 : end - 1], depth + 1)}}}", end
    if formula[at] == "√" and depth < DEEPEST and formula[at + 1 : at + 2].isalnum() and formula[at + 1].isascii():
        inner, end = _atom(formula, at + 1, depth + 1)
        return rf"\sqrt{{{inner}}}", end
    if formula[at] == "^" and depth < DEEPEST and at + 1 < len(formula):
        sign = "-" if formula[at + 1] == "−" and at + 2 < len(formula) else ""
        power, end = _atom(formula, at + 1 + len(sign), depth + 1)
        # The empty group before it allows one power after the other, which LaTeX else refuses.
        return f"{{}}^{{{sign}{_bare(power)}}}", end
    match = _TOKEN.match(formula, at)
    assert match is not None  # noqa: S101 - its last branch takes any character
    return _token(match), match.end()


def _token(match: re.Match[str]) -> str:
    digits, function, letter, word, other = match.groups()
    if digits:
        return re.sub(r"e([+-]?)0*(\d+)", lambda m: rf" \times 10^{{{m[1].replace('+', '')}{m[2]}}}", digits)
    if function:
        return r"\log_2" if function == "log2" else rf"\{function}"
    if letter and letter.isascii():
        return letter if len(letter) == 1 else f"{letter[0]}{{}}_{{{letter[2]}}}"
    if letter in _SYMBOLS or other in _SYMBOLS:
        return _SYMBOLS[letter or other]
    if other in _PLAIN:
        return other
    return rf"\text{{{text_of(letter or word or other)}}}"


def _is_atom(character: str) -> bool:
    return character.isalnum() or character in "(√"


def _bare(atom: str) -> str:
    """Without the brackets around it: a line of a fraction keeps it together."""
    if atom.startswith("(") and _closing(atom, 0) == len(atom):
        return atom[1:-1]
    return atom


def _closing(formula: str, at: int) -> int:
    """Return the place where the bracket opened at `at` closes; 0 if it does not."""
    depth = 0
    for end in range(at, len(formula)):
        depth += {"(": 1, ")": -1}.get(formula[end], 0)
        if depth == 0:
            return end + 1
    return 0
