"""The rows of an ARFF file as raw words: dense, sparse ({3 x, 7 y}), and weighted (…, {0.5})."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crake.errors import ReadError
from crake.table.formats.arff.header import ArffAttribute, placed, without_commas
from crake.table.formats.arff.tokens import NUMBER, ROW, WORD, words

CELLS_PER_BLOCK = 1_000_000
"""Words are turned into numbers block by block: as Python strings they take ten times the memory."""

LONGEST_FIELD = 10_000_000
"""In characters; more is a quote that was never closed, or an attack."""


@dataclass
class Block:
    """Some consecutive rows, the line each stands on, and the weights of those that have one."""

    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: list[float | None] = field(default_factory=list)

    def add(self, row: list[str], line: int, weight: float | None) -> None:
        """Append one row."""
        self.rows.append(row)
        self.lines.append(line)
        self.weights.append(weight)


def read_blocks(lines: Sequence[str], start: int, attributes: Sequence[ArffAttribute], file: str) -> Iterator[Block]:
    """Yield the rows after the first `start` lines, every one as wide as the header says."""
    width, omitted = len(attributes), [attribute.omitted for attribute in attributes]
    rows_per_block = max(1, CELLS_PER_BLOCK // width)
    block = Block()
    for number in range(start, len(lines)):
        line, weight = lines[number], None
        if ROW.fullmatch(line):
            row = WORD.findall(line)
        else:
            with placed(file, number + 1):
                row, weight = _careful_row(line, omitted)
        if not row:
            continue
        if len(line) > LONGEST_FIELD:
            _check_lengths(row, attributes, number + 1, file)
        if len(row) != width:
            raise ReadError(_wrong_width(line, row, width), file=file, line=number + 1)
        block.add(row, number + 1, weight)
        if len(block.rows) == rows_per_block:
            yield block
            block = Block()
    if block.rows:
        yield block


def _check_lengths(row: Sequence[str], attributes: Sequence[ArffAttribute], line: int, file: str) -> None:
    for attribute, word in zip(attributes, row, strict=False):
        if len(word) > LONGEST_FIELD:
            message = f"{len(word):,} characters in one field; crake reads no more than {LONGEST_FIELD:,}"
            raise ReadError(message, file=file, line=line, column=attribute.name)


def _wrong_width(line: str, row: Sequence[str], width: int) -> str:
    hint = "; a value with a space needs quotes" if len(row) > width and line.count(",") == width - 1 else ""
    return f"expected {width} fields, found {len(row)}{hint}"


def _careful_row(line: str, omitted: Sequence[str]) -> tuple[list[str], float | None]:
    """Return the words of a line with braces, a comment, or a fault."""
    all_words = list(words(line))
    if not all_words:
        return [], None
    if all_words[0] == "{":
        end = _closing(all_words)
        row = _sparse(without_commas(all_words[1:end]), omitted)
        rest = all_words[end + 1 :]
    else:
        end = all_words.index("{") if "{" in all_words else len(all_words)
        row, rest = without_commas(all_words[:end]), all_words[end:]
    if "}" in row:
        raise ReadError("a } without a {; a value with braces needs quotes")
    return row, _weight([word for word in rest if word != ","])


def _closing(words: Sequence[str]) -> int:
    if "}" not in words:
        raise ReadError("a sparse row is not closed; expected {index value, index value, …} on one line")
    return words.index("}")


def _sparse(pairs: Sequence[str], omitted: Sequence[str]) -> list[str]:
    """Return a full row from pairs of an index, counted from 0, and a value."""
    row, filled = list(omitted), set()
    if len(pairs) % 2:
        raise ReadError(f"a sparse row holds pairs of index and value; {pairs[-1]!r} has no partner")
    for index, word in zip(pairs[::2], pairs[1::2], strict=True):
        if not (index.isascii() and index.isdigit() and len(index) < 10 and int(index) < len(row)):
            raise ReadError(
                f"{index[:40]!r} is not the index of an attribute; expected 0 to {len(row) - 1} in a sparse row"
            )
        if int(index) in filled:
            raise ReadError(f"the attribute of index {index} is given twice in a sparse row")
        filled.add(int(index))
        row[int(index)] = word
    return row


def _weight(rest: Sequence[str]) -> float | None:
    if not rest:
        return None
    if len(rest) != 3 or (rest[0], rest[2]) != ("{", "}"):
        raise ReadError(f"expected one weight like {{0.5}} at the end of the row, found {' '.join(rest)[:60]!r}")
    weight = float(rest[1]) if NUMBER.fullmatch(rest[1]) else float("nan")
    if not 0 <= weight < float("inf"):
        raise ReadError(f"the weight {rest[1]!r} of a row is not a finite number of at least 0")
    return weight
