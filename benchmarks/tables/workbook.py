"""Reading an Excel workbook of 100,000 × 10 cells: crake's Table beside openpyxl's rows, in one run.

Usage: python -m benchmarks.tables.workbook [rows]

openpyxl reads in its quickest mode (`read_only`, values without formulas) and makes no table of its rows. The two take
turns in one process; CPU seconds, the best of three. Without openpyxl nothing is measured, and that is said: the
workbook is written by it. Bar: 1.5 × openpyxl.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import crake

DATA = Path(__file__).parents[1] / "data"


def write(path: Path, rows: int) -> None:
    """Five numeric columns, whole ones and fractions, a column of dates and four of names, as Excel holds them."""
    from openpyxl import Workbook  # noqa: PLC0415 (it may be absent)

    generator = np.random.default_rng(1)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("orders")
    sheet.append(["i1", "i2", "f1", "f2", "f3", "day", "sex", "shop", "city", "grade"])
    whole, real = generator.integers(0, 10_000, (rows, 3)), generator.normal(0, 10, (rows, 3))
    first = dt.date(2020, 1, 1)
    for i in range(rows):
        a, b, c = whole[i].tolist()
        day = first + dt.timedelta(days=c % 1500)
        names = ["male" if a % 2 else "female", f"s{b % 500}", f"city{c % 2000}", "ABCDE"[a % 5]]
        sheet.append([a, b, *real[i].round(4).tolist(), day, *names])
    book.save(path)


def openpyxl_rows(path: Path) -> int:
    from openpyxl import load_workbook  # noqa: PLC0415

    book = load_workbook(path, read_only=True, data_only=True)
    rows = sum(1 for _ in book.active.iter_rows(values_only=True))
    book.close()
    return rows - 1


def crake_rows(path: Path) -> int:
    return len(crake.read(path, target="grade"))


def cpu_seconds(read: Callable[[Path], int], path: Path) -> tuple[float, int]:
    start = time.process_time()
    rows = read(path)
    return time.process_time() - start, rows


def main() -> None:
    try:
        import openpyxl  # noqa: PLC0415
    except ImportError:
        print("openpyxl is not installed: nothing is measured")
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    DATA.mkdir(exist_ok=True)
    path = DATA / f"orders_{rows}.xlsx"
    if not path.exists():
        write(path, rows)
    crake_rows(path)  # compiles what it needs
    pairs = [(cpu_seconds(crake_rows, path), cpu_seconds(openpyxl_rows, path)) for _ in range(3)]
    ours, theirs = (min(runs) for runs in zip(*pairs, strict=True))
    assert ours[1] == theirs[1] == rows
    print(f"{path.stat().st_size / 1e6:.1f} MB, {rows:,} rows × 10 columns, openpyxl {openpyxl.__version__}")
    print("work                   |   crake | openpyxl | ratio | bar")
    print(f"read, CPU s            | {ours[0]:7.2f} | {theirs[0]:8.2f} | {ours[0] / theirs[0]:5.2f} | ≤ 1.5 × openpyxl")


if __name__ == "__main__":
    main()
