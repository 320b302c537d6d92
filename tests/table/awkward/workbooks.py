"""Workbooks built by hand, with zipfile: what Excel and LibreOffice store, and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

Cell = str | float | bool | None
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
STYLES = (
    f'<styleSheet {MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="dd.mm.yyyy\\ hh:mm"/></numFmts>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>'
)


class Raw(str):
    """XML of a cell, with {place} for its reference."""

    __slots__ = ()


def xlsx(sheets: dict[str, Sequence[Sequence[Cell | Raw]]], after: str = "", prolog: str = "") -> bytes:
    """Return a workbook; texts are shared strings, `after` stands behind the rows of every sheet."""
    strings: list[str] = []
    parts = {f"xl/worksheets/sheet{i}.xml": _sheet(rows, strings, after) for i, rows in enumerate(sheets.values(), 1)}
    names = "".join(f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1))
    places = "".join(f'<Relationship Id="rId{i}" Target="worksheets/sheet{i}.xml"/>' for i in range(1, len(sheets) + 1))
    shared = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
    parts |= {
        "xl/workbook.xml": f"{prolog}<workbook {MAIN} {RELATIONS}><sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships {PACKAGE}>{places}</Relationships>",
        "xl/sharedStrings.xml": f"<sst {MAIN}>{shared}</sst>",
        "xl/styles.xml": STYLES,
    }
    return packed(parts)


def packed(parts: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _sheet(rows: Sequence[Sequence[Cell | Raw]], strings: list[str], after: str) -> str:
    lines = [
        f'<row r="{i}">{"".join(_cell(cell, f"{_letters(j)}{i}", strings) for j, cell in enumerate(row))}</row>'
        for i, row in enumerate(rows, 1)
        if row
    ]
    return f"<worksheet {MAIN}><sheetData>{''.join(lines)}</sheetData>{after}</worksheet>"


def _letters(column: int) -> str:
    return chr(65 + column) if column < 26 else _letters(column // 26 - 1) + chr(65 + column % 26)


def _cell(cell: Cell | Raw, place: str, strings: list[str]) -> str:
    if cell is None:
        return f'<c r="{place}" s="1"/>'
    if isinstance(cell, Raw):
        return cell.replace("{place}", place)
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        strings.append(cell)
        return f'<c r="{place}" t="s"><v>{len(strings) - 1}</v></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def date(days: float, style: int = 1) -> Raw:
    """Return a cell with a date, as a number of days since the end of 1899."""
    return Raw(f'<c r="{{place}}" s="{style}"><v>{days}</v></c>')


ODS_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)


def ods(tables: dict[str, str]) -> bytes:
    """Return a spreadsheet whose sheets have these rows of XML."""
    sheets = "".join(f"<table:table table:name={quoteattr(name)}>{rows}</table:table>" for name, rows in tables.items())
    body = f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
    content = f"<office:document-content {ODS_NAMES}>{body}</office:document-content>"
    return packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def ods_row(*cells: Cell | Raw, repeated: int = 1) -> str:
    """Return a row of a spreadsheet."""
    times = f' table:number-rows-repeated="{repeated}"' if repeated > 1 else ""
    return f"<table:table-row{times}>{''.join(map(_ods_cell, cells))}</table:table-row>"


def _ods_cell(cell: Cell | Raw) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, Raw):
        return cell
    if isinstance(cell, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
    shown = f"<text:p>{cell:.1f}</text:p>"
    return f'<table:table-cell office:value-type="float" office:value="{cell!r}">{shown}</table:table-cell>'
