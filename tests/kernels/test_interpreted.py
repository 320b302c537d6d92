"""Kernels that Python runs while there is little to do: the same bits as the compiled code, on awkward values."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake.kernels
from crake.kernels.boosting.arrays import TreesArrays
from crake.kernels.boosting.walk import add_answers
from crake.kernels.csv.cells import TokenArrays, code_texts, parse_numbers
from crake.kernels.csv.decimal import GREATEST, LEAST, nearest_double, product
from crake.kernels.csv.scan import BLANKS, NO_COMMENT, Marks, scan
from crake.kernels.csv.write import LONGEST, write_predictions, write_probability
from crake.kernels.discretize.holte_buckets import _first_maximum, holte_buckets
from crake.kernels.interpreted import MOST_STEPS, InterpretedKernel, interpreted
from crake.kernels.linear.encoding import Encoding, scores
from crake.kernels.tree.arrays import RowArrays
from crake.kernels.tree.descend import _descend
from crake.kernels.tree.surrogate_routing import row_branches
from crake.learners.tree.predicting.routing import Cases
from crake.table.convert.frames import from_xy

TEXTS = [
    b"", b"?", b"NA", b"n", b"0", b"-0", b"+.5", b"5.", b".", b"-", b"1e5", b"1e", b"1E-400", b"1e400", b"-0.0e0",
    b"01", b"00.5", b"9007199254740993", b"18446744073709551616", b"999999999999999999", b"1000000000000000000",
    b"0.1", b"2.2250738585072014e-308", b"5e-324", b"1.7976931348623157e308", b"123456789012345678901234567890",
    b"0.30000000000000004", b"8.5e22", b"7.2057594037927933e16", b"1e-7x", b"inf", b"-Infinity", b"infinit", b"nan",
    b"\xc3\xa4\xff", b"1e999999999999", b"1.0000000000000000000000000000000001", b"a" * 70, b"-12.75",
]  # fmt: skip
MARKED = b'a,b\n"x ""y"", z" , 2 \r\n\n  \n1\t,"line\nend"\n,,\n"open\n'


def fields(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts one after the other, where each begins, and its length; every third as if it had doubled quotes."""
    lengths = np.array([len(text) for text in texts], np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
    return np.frombuffer(b"".join(texts), np.uint8).copy(), starts, lengths


def cases_of_scan() -> list[list[Any]]:
    data = np.frombuffer(MARKED, np.uint8).copy()
    return [
        [data[:size], marks, final, skip, *np.zeros((2, columns, room), np.int32),
         np.zeros(room, np.int32), np.zeros((2, 3), np.int64), np.zeros(7, np.int64)]
        for marks in (Marks(ord(","), ord("\n"), ord('"'), NO_COMMENT), Marks(BLANKS, ord("\n"), ord("'"), ord("x")))
        for size in range(len(data) + 1) for final in (False, True) for skip in (False, True)
        for columns, room in ((0, 1), (2, 9), (2, 2))
    ]  # fmt: skip


def cases_of_parse_numbers() -> list[list[Any]]:
    leads = np.zeros(256, np.uint8)
    leads[[ord("?"), ord("N")]] = 1
    tokens = TokenArrays(np.frombuffer(b"?NA", np.uint8).copy(), np.array([1, 3]), leads)
    data, starts, lengths = fields(TEXTS)
    escaped = np.where(np.arange(len(TEXTS)) % 3 == 0, -1 - lengths, lengths).astype(np.int32)
    kinds, count = np.zeros(len(TEXTS), np.uint8), len(TEXTS)
    return [
        [data, starts, sizes, tokens, np.zeros(count), kinds.copy(), np.zeros(6, np.int64), np.full(6, -1),
         np.zeros(count, np.int64)]
        for sizes in (lengths, escaped)
    ]  # fmt: skip


def cases_of_code_texts() -> list[list[Any]]:
    data, starts, lengths = fields(TEXTS + TEXTS[::-1])
    escaped = np.where(np.arange(len(lengths)) % 3 == 0, -1 - lengths, lengths).astype(np.int32)
    seeds = (np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(2**64 - 1))
    return [
        [data, starts, sizes, seed, *np.zeros((2, len(starts)), np.int32)]
        for sizes in (lengths, escaped)
        for seed in seeds
    ]


def cases_of_nearest_double() -> list[list[Any]]:
    mantissas = [0, 1, 3, 10**18, 2**53, 2**53 + 1, 2**63 + 2**10, 2**64 - 1, 9007199254740993, 17976931348623157]
    powers = [LEAST - 1, LEAST, -324, -308, -28, -27, -22, -1, 0, 1, 22, 23, 55, 56, 292, GREATEST, GREATEST + 1]
    values = np.zeros(1)
    return [[np.uint64(m), q, values, values.view(np.uint64), 0] for m in mantissas for q in powers]


def cases_of_product() -> list[list[Any]]:
    numbers = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15]
    return [[np.uint64(a), np.uint64(b)] for a in numbers for b in numbers]


PROBABILITIES = [
    0.0, -0.0, 1.0, 0.5, 1 / 3, 2 / 3, 0.1, 0.9999995, 0.9999996, 0.0001, 0.00012345649, 9.9999949e-5, 9.9999951e-5,
    1e-5, 1.25e-10, 1.234565e-99, 1.5e-100, 2.2250738585072014e-308, 5e-324, 1 - 2.0**-53,
]  # fmt: skip


def cases_of_write_probability() -> list[list[Any]]:
    return [[np.float64(p), np.zeros(2 * LONGEST, np.uint8), at] for p in PROBABILITIES for at in (0, 3)]


def cases_of_write_predictions() -> list[list[Any]]:
    matrix = np.array(PROBABILITIES).reshape(-1, 2)
    before, starts, _ = fields([b"", b"a,", b'"b",'] * 3 + [b"\xc3\xa4,", b""])
    answers = (np.arange(len(matrix)) % 2).astype(np.int32)
    names, edges = np.frombuffer(b"no\nyes\n", np.uint8).copy(), np.array([0, 3, 7])
    return [[before, starts, matrix, answers, names, edges, np.zeros(999, np.uint8)]]


AWKWARD = np.array([-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, 1 + 2.0**-52, np.inf, np.nan])


def cases_of_descend() -> list[list[Any]]:
    """A tree of three nodes, one of one leaf; all rows, and some; more rows than a block."""
    values = np.stack([np.tile(AWKWARD, 30), np.repeat(AWKWARD, 30)], 1)
    column, first = np.array([0, 1, 0, 0, 0], np.uint32), np.array([1, 3, 0, 0, 0], np.uint32)
    leaf, gaps = np.arange(10.0).reshape(5, 2), np.zeros(len(values), np.bool_)
    return [
        [rows, 1, last, values, column[-n:], np.full(n, cut), first[:n] * (n > 1), leaf[:n], np.zeros((last, 2)), gaps]
        for rows, last in ((np.zeros(0, np.int64), len(values)), (np.arange(40)[::-1].copy(), 40))
        for cut in (0.0, -0.0, 1.0, -5e-324)
        for n in (1, 5)
    ]


def cases_of_row_branches() -> list[list[Any]]:
    """Trees with thresholds, groups of names, surrogates and missing values; known, missing and unseen cells."""
    X = np.empty((40, 3), object)
    X[:, 0] = np.arange(40.0) % 7
    X[:, 1] = np.array(list("abcd"))[np.arange(40) * 3 % 4]
    X[:, 2] = X[:, 0].astype(float) * 2 + np.arange(40) % 2
    y = np.array(["no", "yes", "maybe"])[(X[:, 0].astype(int) + (X[:, 1] == "b")) % 3]
    X[::9, 0], X[4::9, 1] = None, None
    cases = []
    for model in (crake.CARTClassifier().fit(X, y), crake.C45Classifier(min_samples_leaf=1).fit(X, y)):
        tree, rows = model.tree_, Cases.of(from_xy(X, y))
        surrogates, out = tree.surrogates.arrays(len(tree)), np.zeros(len(tree), np.int64)
        cases += [[tree.arrays, surrogates, rows.cells, row, out] for row in range(len(X))]
    return cases


def cases_of_scores() -> list[list[Any]]:
    values = np.stack([AWKWARD, AWKWARD[::-1]], 1)
    codes = np.array([-2, -1, 0, 1] * 3, np.int32)[: len(values), None]
    encoding = Encoding(
        np.array([0, 4]), np.array([-1, 3, -1, 4], np.int32), np.array([1.0, 1e-300]), np.array([0.1, 0.0]),
        np.array([1e-18, 0.0]), np.array([1e250, 1.0]), np.array([[0], [5]], np.int32),
    )  # fmt: skip
    coefficient = np.array([[0.1, -3.0], [1e-200, 7.0], [1 / 3, 0.0], [2.0, 0.7], [-0.0, 1e10], [0.3, 0.1]])
    rows = np.arange(len(values))[::-1].copy()
    return [[codes, values, rows, 0, len(values), encoding, coefficient, np.zeros((len(values), 2))]]


def cases_of_first_maximum() -> list[list[Any]]:
    return [[np.array(counts)] for counts in ([0.0], [1.0, 3.0, 3.0], [-0.0, 0.0], [2.5, 1.0])]


def cases_of_holte_buckets() -> list[list[Any]]:
    value = np.sort(np.array([*AWKWARD[np.isfinite(AWKWARD)], 1.0, 1.0, 2.0, 3.0, 3.0, 4.0]))
    class_ = (np.arange(len(value)) % 5 // 2).astype(np.int32)
    return [
        [value[:size], class_[:size], np.linspace(0.5, 2, size), 3, minimum]
        for size in (0, 1, 7, len(value))
        for minimum in (1.0, 2.0, 6.0)
    ]


def cases_of_add_answers() -> list[list[Any]]:
    """Trees of three leaves: a number, then a group of names; 35 of them are more than one group of trees."""
    ints, longs = (lambda *x: np.array(x, np.int32)), (lambda *x: np.array(x, np.int64))
    trees = TreesArrays(
        ints(1, 4, 0, 0, 0), ints(0, 1, -1, -1, -1), np.array([0.5, 0, 0, 0, 0]), longs(-1, 0, -1, -1, -1),
        ints(1, 0, -1, -1, -1), ints(1, 0, -1), longs(1, 3, -1, -1, -1), np.array([0, 0, 0.1, -0.7, 1e-9]),
    )  # fmt: skip
    numbers = AWKWARD[np.isfinite(AWKWARD) | np.isnan(AWKWARD)]
    codes = (np.arange(len(numbers)) % 5 - 2).astype(np.int32)
    cells = RowArrays(numbers[:, None].copy(), codes, 1, 1, np.array([True, False]), ints(0, 0))
    roots, rows = np.zeros(35, np.int64), np.arange(len(numbers))
    return [[trees, roots, cells, rows, begin, len(rows), np.full(len(rows), 0.3)] for begin in (0, 2)]


CASES: dict[Any, Callable[[], list[list[Any]]]] = {
    scan: cases_of_scan,
    parse_numbers: cases_of_parse_numbers,
    code_texts: cases_of_code_texts,
    nearest_double: cases_of_nearest_double,
    product: cases_of_product,
    write_probability: cases_of_write_probability,
    write_predictions: cases_of_write_predictions,
    _descend: cases_of_descend,
    scores: cases_of_scores,
    row_branches: cases_of_row_branches,
    _first_maximum: cases_of_first_maximum,
    holte_buckets: cases_of_holte_buckets,
    add_answers: cases_of_add_answers,
}


def outcome(function: Callable[..., Any], arguments: list[Any]) -> tuple[Any, list[bytes]]:
    """The result of a call on copies, and every array after it, bit by bit."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    if function.__name__ == "nearest_double" or getattr(function, "__self__", None) is nearest_double:
        copies[3] = copies[2].view(np.uint64)
    result = function(*copies)
    if isinstance(result, tuple):
        result = [part.tobytes() if isinstance(part, np.ndarray) else part for part in result]
    return result, [copy.tobytes() for copy in copies if isinstance(copy, np.ndarray)]


@pytest.fixture
def interpreting() -> Iterator[None]:
    """Interpret the kernels that an interpreted one calls, too."""
    for kernel in CASES:
        kernel.compiled()
        kernel.call_on(kernel.interpret)
    yield
    for kernel in CASES:
        kernel.call_on(kernel.compiled())


@pytest.mark.parametrize("kernel", CASES, ids=lambda kernel: kernel.__name__)
@pytest.mark.usefixtures("interpreting")
def test_interpreted_and_compiled_give_equal_bits(kernel: InterpretedKernel) -> None:
    for case in CASES[kernel]():
        assert outcome(kernel.interpret, case) == outcome(kernel.compiled(), case)


def test_every_interpreted_kernel_is_compared() -> None:
    folder = Path(crake.kernels.__file__).parent
    names = {
        node.name
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and "interpreted(" in "".join(map(ast.unparse, node.decorator_list))
    }
    assert names <= {kernel.__name__ for kernel in CASES}  # a tiered one may be compared here, too


@interpreted(lambda n: n)
def squared(n: int) -> int:
    return n * n


def test_much_work_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps are interpreted until there were many in all, or until numba is imported by others."""
    kinds: list[str] = []
    monkeypatch.setattr(squared, "py_func", lambda _: kinds.append("interpreted"))
    monkeypatch.setattr(squared, "_compiled", lambda _: kinds.append("compiled"))
    monkeypatch.setattr(InterpretedKernel, "steps_so_far", MOST_STEPS - 3)
    with monkeypatch.context() as without_numba:
        without_numba.delitem(sys.modules, "numba", raising=False)
        for steps in (2, 2, 1, 1):
            squared(steps)
    monkeypatch.setattr(InterpretedKernel, "steps_so_far", 0)
    monkeypatch.setitem(sys.modules, "numba", crake)
    squared(1)
    assert kinds == ["interpreted", "compiled", "interpreted", "compiled", "compiled"]


def test_a_small_file_is_read_without_numba() -> None:
    code = (
        "import sys\nfrom crake.table.formats.csv.reader import read_csv\n"
        "read_csv(b'x,y\\n' + b'1.5,a\\n-2e3,b\\n' * 1000)\nprint('numba' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout == "False\n"
