"""Rows of a PostgreSQL server: pulled and gathered by crake, beside bare ADBC that only counts them.

Usage: python -m benchmarks postgres; POSTGRES_ROWS=300000 makes it shorter. A server of its own is started and stopped.

Ten names, ten numbers and a class. CPU seconds are those of the client and of the server together, the least of three
runs in turn. The bar: gathering the statistics of naive Bayes takes no more than 1.3 times counting rows.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pyarrow as pa
from adbc_driver_postgresql import dbapi
from tests.engines.private_server import started
from tests.engines.sql import execute, write

import crake
from benchmarks.lines import HEADER, best_of, line
from crake.statistics import ClassCounts, ClassMoments, ValueCounts, gather

COLUMNS, TICKS = 10, os.sysconf("SC_CLK_TCK")


def main() -> None:
    rows = int(os.environ.get("POSTGRES_ROWS", "1_000_000"))
    print(HEADER)
    with started() as address:
        write(address, "orders", _orders(rows))
        execute(address, "vacuum analyze orders")
        clock = _clock(address)
        members = [ClassCounts, ValueCounts, ClassMoments]

        def pull() -> None:
            gathered = gather(crake.read(address, "y", table="orders", in_memory=False), members)
            assert gathered[ClassCounts].counts.sum() == rows

        pull()  # compiles
        ours, bare = best_of(3, pull, lambda: _count(address, rows), clock=clock)
        print(line(f"pull + gather, {rows:,} × 21; ADBC counting rows", ours, bare, ours / bare, "≤ 1.3×"))
        names = ", ".join(f"n{j}" for j in range(COLUMNS))
        query = f"select {names}, y from orders"

        def push() -> None:
            gather(crake.read(address, "y", query=query, in_memory=False), [ClassCounts, ValueCounts])

        pushed, bare = best_of(3, push, lambda: _count(address, rows, f"{names}, y"), clock=clock)
        print(line("names counted by the server; ADBC counting those rows", pushed, bare, pushed / bare, ""))


def _orders(rows: int) -> pa.Table:
    generator = np.random.default_rng(3)
    y = generator.integers(0, 2, rows)
    levels = np.array([f"level-{i:02}" for i in range(20)])
    names = {f"n{j}": levels[(generator.integers(0, 20, rows) + j * y) % 20] for j in range(COLUMNS)}
    numbers = {f"x{j}": generator.normal(size=rows) + 0.1 * y for j in range(COLUMNS)}
    return pa.table({**names, **numbers, "y": np.array(["no", "yes"])[y]})


def _count(address: str, rows: int, columns: str = "*") -> None:
    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(f"select {columns} from orders")
        assert sum(batch.num_rows for batch in cursor.fetch_record_batch()) == rows


def _clock(address: str) -> Callable[[], float]:
    """Return a clock of the processor seconds of this process and of the server."""
    folder = Path(parse_qs(urlsplit(address).query)["host"][0])
    server = int((folder / "data" / "postmaster.pid").read_text().split()[0])

    def seconds() -> float:
        own = os.times()
        for _ in range(100):  # until the server has taken note of a process that ends
            listed = subprocess.run(["ps", "-o", "args=", "--ppid", str(server)], capture_output=True, check=True)
            if b"crake postgres" not in listed.stdout:
                break
        fields = Path(f"/proc/{server}/stat").read_text().rsplit(")", 1)[1].split()
        return own.user + own.system + sum(map(int, fields[11:15])) / TICKS

    return seconds


if __name__ == "__main__":
    main()
