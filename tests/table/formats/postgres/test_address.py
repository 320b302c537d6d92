"""Addresses of PostgreSQL servers: which are sound, what of them is shown, and the error without a driver."""

from __future__ import annotations

import pytest

import crake
from crake.errors import ReadError
from crake.table.formats.postgres.address import checked_address
from crake.workbench.table import TableRequest


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql:///shop", "PostgreSQL/shop"),
        ("postgres://anna@db:5433/shop", "db:5433/shop"),
        ("postgresql://[::1]:5432/shop?sslmode=require", "[::1]:5432/shop"),
        ("postgresql://one:1,two:2/shop", "one:1,two:2/shop"),
        ("postgresql:///?service=shop", "PostgreSQL"),
        ("postgresql://anna@/shop?host=%2Ftmp&passfile=%2Fhome%2Fpass", "PostgreSQL/shop"),
    ],
)
def test_addresses_are_shown_without_their_user(address: str, shown: str) -> None:
    assert checked_address(address) == shown


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://anna:geheim@db/shop",
        "postgresql://anna:ge/heim@db/shop",
        "postgresql://anna:ge?heim@db/shop",
        "postgresql://:geheim@db/shop",
        "postgresql://anna:geheim/shop",
        "postgresql://db/shop?password=geheim",
        "POSTGRESQL://db/shop?sslmode=require&PassWord=geheim",
        "postgresql://db/shop?pass%77ord=geheim",
        "postgresql://db/shop?sslpassword=geheim",
    ],
)
def test_passwords_are_refused_unseen(address: str) -> None:
    for read in (lambda: crake.read(address, table="t"), lambda: TableRequest(address, table="t").run()):
        with pytest.raises(ReadError, match="without a password; give the password in PGPASSWORD") as error:
            read()
        assert "geheim" not in str(error.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql", None)
    with pytest.raises(
        ReadError, match=r"db/shop, t: PostgreSQL is read with a driver .* pip install 'crake\[postgres\]'"
    ):
        crake.read("postgresql://db/shop", table="t")
