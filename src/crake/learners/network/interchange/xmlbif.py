"""XMLBIF 0.3, the notation of WEKA: read by events, with declarations of entities refused."""

from __future__ import annotations

import math
from xml.parsers import expat

from crake.errors import CrakeError
from crake.learners.network.interchange.declared import Declarations, Definition
from crake.learners.network.model import NetworkModel

MOST_DEPTH = 16
"""Elements within elements; a network has four."""


def read_xmlbif(data: bytes, file: str | None = None) -> NetworkModel:
    """Return the network of an XMLBIF document."""
    reader = _Reader(file)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = reader.refuse_entity
    parser.buffer_text = True
    reader.parser = parser
    try:
        parser.Parse(data, True)  # noqa: FBT003 (the last portion)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise reader.declared.error(f"expected XML, got {reason}; is the file whole?", error.lineno) from error
    except CrakeError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that Python does not have, or that expat cannot use
        raise reader.declared.error(f"expected XML in UTF-8, got {str(error)[:100]}; save it as UTF-8") from error
    return reader.declared.model()


class _Reader:
    """Collects the texts of elements: those of a variable, or those of a definition."""

    parser: expat.XMLParserType

    def __init__(self, file: str | None) -> None:
        self.declared = Declarations(file)
        self._path: list[str] = []
        self._text: list[str] = []
        self._parts: dict[str, list[str]] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.upper())
        if len(self._path) > MOST_DEPTH:
            raise self._error(f"expected elements at most {MOST_DEPTH} deep, got more")
        if len(self._path) == 1 and self._path[0] != "BIF":
            raise self._error(f"expected the element BIF, got {name[:100]!r}")
        self._text = []
        if self._path[-1] in {"VARIABLE", "DEFINITION", "PROBABILITY"}:
            self._parts = {}
        kind = attributes.get("TYPE", "nature") if self._path[-1] == "VARIABLE" else "nature"
        if kind != "nature":
            raise self._error(f"expected variables of the type nature, got {kind[:100]!r}: it has no probabilities")

    def text(self, text: str) -> None:
        self._text.append(text)

    def end(self, _name: str) -> None:
        name = self._path.pop()
        text = "".join(self._text).strip()
        self._text = []
        if name == "VARIABLE":
            self._variable()
        elif name in {"DEFINITION", "PROBABILITY"}:
            self._definition()
        elif self._path and self._path[-1] in {"VARIABLE", "DEFINITION", "PROBABILITY"}:
            self._parts.setdefault({"VALUE": "OUTCOME"}.get(name, name), []).append(text)

    def refuse_entity(self, name: str, *_: object) -> None:
        raise self._error(f"expected no declarations of entities, got {name[:100]!r}; write the text out")

    def _variable(self) -> None:
        self.declared.add_variable(self._one("NAME"), self._parts.get("OUTCOME", []), self._line)

    def _definition(self) -> None:
        own = Definition(self._one("FOR"), self._parts.get("GIVEN", []), self._line)
        own.table = []
        for word in self._one("TABLE").split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not 0 <= value <= 1.001 or "_" in word:
                raise self._error(f"expected probabilities from 0 to 1, got {word[:100]!r}")
            own.table.append(value)
        self.declared.add_definition(own)

    def _one(self, name: str) -> str:
        found = self._parts.get(name, [])
        if len(found) != 1:
            raise self._error(f"expected one element {name}, got {len(found)}")
        return found[0]

    @property
    def _line(self) -> int:
        return int(self.parser.CurrentLineNumber)

    def _error(self, message: str) -> Exception:
        return self.declared.error(message, self._line)
