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


def decode(data: bytes | bytearray, *, file: str, encoding: str | None = None) -> str:
    r"""Return the text of the bytes: as asked, or by the mark at their start, or as UTF-8. No NUL, no guessing.

    >>> decode(b"\xef\xbb\xbfoutlook", file="golf.csv")
    'outlook'
    """
    chosen = encoding or next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, file, encoding) from None
    except (LookupError, UnicodeError):
        raise ReadError(f"{encoding!r} is not an encoding of texts; try utf-8 or latin-1", file=file) from None
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise ReadError("a NUL byte; a table in text form has none: is the file of another kind?", file=file, line=line)
    return text.removeprefix("\ufeff")


def _undecodable(data: bytes | bytearray, error: UnicodeDecodeError, file: str, encoding: str | None) -> ReadError:
    line = data.count(b"\n", 0, error.start) + 1
    reason = f"byte 0x{data[error.start]:02x} is not {encoding or 'UTF-8'}" if error.start < len(data) else "cut short"
    return ReadError(f"{reason}; name the encoding: encoding='latin-1' or --encoding latin-1", file=file, line=line)
