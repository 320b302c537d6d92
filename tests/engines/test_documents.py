"""Pages on engines: every example runs, with what it prints."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.document_commands import WIDTH, shell
from tests.engines.required import required
from tests.engines.sql import execute

PAGES = Path(__file__).resolve().parents[2] / "docs" / "engines"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SHOP = """
create table orders as
select 10 + i * 7 % 90 as price, 'c' || i % 3 as colour, (array['web', 'shop'])[1 + i % 2] as channel,
    date '2024-01-01' + i % 400 as day, case when i * 7 % 90 > 60 then 'yes' else 'no' end as returned
from generate_series(1, 600) as i
"""


def run(page: str, **names: Any) -> None:
    result = doctest.testfile(
        str(PAGES / page), module_relative=False, optionflags=FLAGS, globs={"shell": shell, **names}, encoding="utf-8"
    )
    assert result.attempted > 1
    assert result.failed == 0


@pytest.fixture
def shop(postgres: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The database of the pages, reached by the variables of PostgreSQL."""
    if not execute(postgres, "select 1 from pg_database where datname = 'shop'"):
        execute(postgres, "create database shop")
        execute(postgres.replace("/postgres?", "/shop?"), SHOP)
    address = urlsplit(postgres)
    monkeypatch.setenv("PGHOST", parse_qs(address.query)["host"][0])
    monkeypatch.setenv("PGUSER", address.username or "")
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("crake.kernels.cache.is_compiled", lambda *_: True)
    return "postgresql:///shop"


def test_postgres(shop: str) -> None:
    run("postgres.md")


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_ibis() -> None:
    required("ibis", "ibis")
    run("ibis.md")


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(i, f"c{i % 3}", float(i % 11), "yes" if i % 5 == 0 else "no") for i in range(600)]
    spark.createDataFrame(rows, "id long, colour string, price double, bought string").coalesce(1).write.parquet(
        str(tmp_path / "clicks")
    )
    monkeypatch.chdir(tmp_path)
    run("spark.md", spark=_Relative(spark, tmp_path))


class _Relative:
    """A session that finds files in a folder: Spark itself stays in the one where it was started."""

    def __init__(self, session: Any, folder: Path) -> None:
        self.read, self._session, self._folder = self, session, folder

    def parquet(self, name: str) -> Any:
        return self._session.read.parquet(str(self._folder / name))
