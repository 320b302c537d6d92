"""Addresses of PostgreSQL servers, which never hold a password: crake shows addresses in notes and command lines."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from crake.errors import ReadError

_HOST = r"(?:\[[0-9A-Fa-f:.]*\]|[^@/?#:,\[\]]*)(?::[0-9]*)?"
_ADDRESS = re.compile(
    rf"postgres(?:ql)?://(?:[^:@/?#]*@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/(?P<database>[^@?#:]*))?(?:\?(?P<more>[^#@]*))?",
    re.IGNORECASE,
)
SECRET = frozenset({"password", "sslpassword"})
HINT = "give the password in PGPASSWORD, in ~/.pgpass or in the file that PGPASSFILE names, and the address without it"


def checked_address(address: str) -> str:
    """Return the name of a server and database for messages; raise if the address is not sound, or has a password.

    The error shows nothing of the address.

    >>> checked_address("postgresql://anna@db.example.org:5433/shop?sslmode=require")
    'db.example.org:5433/shop'
    >>> checked_address("postgresql://anna:secret@db.example.org/shop")
    Traceback (most recent call last):
    crake.errors.ReadError: expected an address such as postgresql://user@host:5432/database without a password; ...
    """
    match = _ADDRESS.fullmatch(address)
    options = {name.lower() for name, _ in parse_qsl((match["more"] or "") if match else "", keep_blank_values=True)}
    if match is None or options & SECRET:
        raise ReadError(f"expected an address such as postgresql://user@host:5432/database without a password; {HINT}")
    return f"{match['hosts'] or 'PostgreSQL'}/{match['database'] or ''}".rstrip("/")


def refuse_password(source: str) -> None:
    """Raise for the address of a server that has a password; any other source passes.

    >>> refuse_password("loans.csv")
    """
    if re.match(r"postgres(ql)?://", source, re.IGNORECASE):
        checked_address(source)
