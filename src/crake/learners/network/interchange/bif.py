"""The BIF notation, read strictly: one pass over words, signs and quoted names, each with its line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from crake.learners.network.interchange.declared import LONGEST, MOST_LEVELS, Declarations, Definition
from crake.learners.network.model import NetworkModel

_TOKEN = re.compile(
    r'[\s,]+|//[^\n]*|/\*.*?\*/|#[^\n]*|"((?:[^"\\\n]|\\.)*)"|([{}()\[\]|;])|([^\s{}()\[\]|,;"]+)', re.DOTALL
)
"""Blanks and comments, then a quoted name, a sign, or a word. A comma only divides."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

Token = tuple[str, str, int]
"""The kind ("word", "sign", "end"), the text and the line."""


def read_bif(text: str, file: str | None = None) -> NetworkModel:
    """Return the network of a BIF text.

    >>> text = 'variable "a b" { type discrete [ 2 ] { yes, no }; } probability ( "a b" ) { table .2, .8; }'
    >>> read_bif(text).tables[0]
    array([0.2, 0.8])
    """
    return _Parser(text, file).network()


class _Parser:
    """Reads blocks one after the other; nothing nests, so nothing is recursive."""

    def __init__(self, text: str, file: str | None) -> None:
        self.declared = Declarations(file)
        self._tokens = self._divided(text)
        self._next = next(self._tokens)

    def network(self) -> NetworkModel:
        while self._next[0] != "end":
            kind, word, line = self._take()
            if kind == "word" and word == "network":
                self._network_block()
            elif kind == "word" and word == "variable":
                self._variable(line)
            elif kind == "word" and word == "probability":
                self._probability(line)
            else:
                raise self._unexpected("network, variable or probability", word, line)
        return self.declared.model()

    def _network_block(self) -> None:
        if self._next[1] != "{":
            self._word("the name of the network")
        self._sign("{")
        while not self._is_sign("}"):
            self._property()
        self._sign("}")

    def _variable(self, line: int) -> None:
        name = self._word("the name of a variable")
        self._sign("{")
        levels: list[str] | None = None
        while not self._is_sign("}"):
            if self._next[1] == "type" and levels is None:
                levels = self._type(name)
            else:
                self._property()
        self._sign("}")
        self.declared.add_variable(name, levels or [], line)

    def _type(self, name: str) -> list[str]:
        self._take()
        kind = self._word("discrete")
        if kind != "discrete":
            raise self._unexpected(f"type discrete of {name[:LONGEST]!r}", kind, self._next[2])
        self._sign("[")
        count = self._word("the number of levels")
        self._sign("]")
        self._sign("{")
        levels = self._words("}", MOST_LEVELS)
        self._optional(";")
        if count != str(len(levels)):
            raise self._unexpected(f"{count[:20]} levels of {name[:LONGEST]!r}", f"{len(levels):,}", self._next[2])
        return levels

    def _probability(self, line: int) -> None:
        self._sign("(")
        child = self._word("the name of a variable")
        parents = []
        if self._is_sign("|"):
            self._take()
            parents = self._words(")")
        else:
            self._sign(")")
        own = Definition(child, parents, line)
        self._sign("{")
        while not self._is_sign("}"):
            self._entry(own)
        self._sign("}")
        if not parents and own.default is None and own.table is None and () not in own.lines:
            raise self._unexpected(f"the probabilities of {child[:LONGEST]!r}", "none", line)
        self.declared.add_definition(own)

    def _entry(self, own: Definition) -> None:
        """Read a table, a default, one line by the levels of the parents, or a property."""
        _, word, line = self._next
        if word == "property":
            self._property()
        elif word in {"table", "default"}:
            self._take()
            if getattr(own, word) is not None or (word == "table" and own.lines):
                raise self._unexpected(f"one {word} of {own.variable[:LONGEST]!r}", "a second one", line)
            setattr(own, word, self._numbers())
            # With parents the whole table has the variable's own levels in its outermost loop.
            own.is_child_first = True
        elif self._is_sign("("):
            self._take()
            key = tuple(self._words(")"))
            if len(key) != len(own.parents):
                raise self._unexpected(f"a level of each of {len(own.parents)} parents", f"{len(key)}", line)
            if key in own.lines or own.table is not None:
                raise self._unexpected(
                    f"each line of {own.variable[:LONGEST]!r} once", f"({', '.join(key)[:LONGEST]}) again", line
                )
            own.lines[key] = self._numbers()
        else:
            raise self._unexpected("table, default or (levels of the parents)", word, line)

    def _numbers(self) -> list[float]:
        numbers = []
        for word in self._words(";"):
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not 0 <= value <= 1.001 or "_" in word:  # Python takes 1_0 for a number
                raise self._unexpected("probabilities from 0 to 1", word, self._next[2])
            numbers.append(value)
        return numbers

    def _property(self) -> None:
        """Skip what other programs say of themselves, up to the semicolon."""
        kind, word, line = self._take()
        if kind != "word" or word != "property":
            raise self._unexpected("property or }", word, line)
        while not self._is_sign(";"):
            if self._take()[0] == "end":
                raise self._unexpected(";", "the end of the file", line)
        self._take()

    def _words(self, end: str, most: int | None = None) -> list[str]:
        words: list[str] = []
        while not self._is_sign(end):
            if len(words) == most:
                raise self._unexpected(f"at most {most:,} words and {end}", "more", self._next[2])
            words.append(self._word(f"a word or {end}"))
        self._take()
        return words

    def _word(self, expected: str) -> str:
        kind, word, line = self._take()
        if kind != "word":
            raise self._unexpected(expected, word, line)
        return word

    def _sign(self, sign: str) -> None:
        kind, word, line = self._take()
        if kind != "sign" or word != sign:
            raise self._unexpected(sign, word, line)

    def _is_sign(self, sign: str) -> bool:
        return self._next[0] == "sign" and self._next[1] == sign

    def _optional(self, sign: str) -> None:
        if self._is_sign(sign):
            self._take()

    def _take(self) -> Token:
        token = self._next
        if token[0] != "end":
            self._next = next(self._tokens)
        return token

    def _divided(self, text: str) -> Iterator[Token]:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:  # a quote or a comment that nobody closes
                raise self._unexpected("a closed quote", text[at : at + 20], line)
            quoted, sign, word = match.groups()
            if quoted is not None:
                yield "word", _ESCAPED.sub(r"\1", quoted), line
            elif sign is not None:
                yield "sign", sign, line
            elif word is not None:
                if word.startswith("/*"):
                    raise self._unexpected("a closed comment", word[:20], line)
                yield "word", word, line
            line += text.count("\n", at, match.end())
            at = match.end()
        while True:
            yield "end", "the end of the file", line

    def _unexpected(self, expected: str, got: str, line: int) -> Exception:
        return self.declared.error(f"expected {expected}, got {got[:LONGEST]!r}", line)
