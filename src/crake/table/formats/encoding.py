"""From the bytes of a file to its text: which encoding, and what is refused."""

from __future__ import annotations

import codecs

from crake.errors import ReadError

# UTF-32 first: its little-endian mark begins with UTF-16's.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "ascii"),
    *(f"iso8859-{part}" for part in range(1, 17) if part != 12),
    *(f"cp{page}" for page in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874)),
    *(f"cp{page}" for page in range(1250, 1259)),
    *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "mac-greek", "mac-latin2", "mac-turkish", "tis-620"),
    *("gb2312", "gbk", "gb18030", "big5", "big5hkscs", "cp950", "hz"),
    *("shift_jis", "shift_jisx0213", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab"),
)
"""Encodings of texts by their names in Python; others of its codecs escape, pack or compress."""
_NAMED = "utf-8, utf-16, utf-32, ascii, latin-1, iso8859-1 to -16, cp437 to cp874, cp1250 to cp1258, koi8-r, koi8-u, \
mac-roman, gb2312, gbk, gb18030, big5, shift_jis, cp932, euc_jp, iso2022_jp, euc_kr, cp949"


def encoding_named(name: str, file: str) -> str:
    """Return the one name of an encoding of texts; raise if it is none.

    >>> encoding_named("Latin1", "a.csv")
    'iso8859-1'
    >>> encoding_named("unicode_escape", "a.csv")
    Traceback (most recent call last):
    crake.errors.ReadError: a.csv: expected an encoding among utf-8, utf-16, ..., got 'unicode_escape'
    """
    try:
        chosen = codecs.lookup(name).name
    except (LookupError, ValueError):
        chosen = ""
    if chosen not in ENCODINGS:
        raise ReadError(f"expected an encoding among {_NAMED}, got {name[:60]!r}", file=file)
    return chosen


def decode(data: bytes | bytearray, *, file: str, encoding: str | None = None) -> str:
    r"""Return the text of the bytes: as asked, or by the mark at their start, or as UTF-8. No NUL, no guessing.

    >>> decode(b"\xef\xbb\xbfoutlook", file="golf.csv")
    'outlook'
    """
    if encoding is not None:
        encoding_named(encoding, file)
    chosen = encoding or next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, file, encoding) from None
    except UnicodeError:
        raise ReadError(f"its bytes are not {encoding or 'UTF-8'}; name the encoding: --encoding", file=file) from None
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise ReadError("a NUL byte; a table in text form has none: is the file of another kind?", file=file, line=line)
    return text.removeprefix("\ufeff")


def _undecodable(data: bytes | bytearray, error: UnicodeDecodeError, file: str, encoding: str | None) -> ReadError:
    line = data.count(b"\n", 0, error.start) + 1
    reason = f"byte 0x{data[error.start]:02x} is not {encoding or 'UTF-8'}" if error.start < len(data) else "cut short"
    hint = likely_encoding(data) if encoding is None else "name another encoding: --encoding"
    return ReadError(f"{reason}; {hint}", file=file, line=line)


def likely_encoding(data: bytes | bytearray) -> str:
    r"""Return the hint of an error on bytes that are not UTF-8: the Windows encoding of the West, where it fits.

    >>> likely_encoding(b"caf\xe9"), likely_encoding(b"\x81\x8d")
    ('it reads as Windows-1252: --encoding cp1252', 'name its encoding, as in --encoding latin-1')
    """
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "name its encoding, as in --encoding latin-1"
    return "it reads as Windows-1252: --encoding cp1252"
