"""Searches for structures against plain ones that try everything, and against each other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from crake.learners.structure.blanket import with_all_in_blanket
from crake.learners.structure.families import CodedRows, FamilyScores, Parents
from crake.learners.structure.hill_climb import Climbing, hill_climb, reached
from crake.learners.structure.ordered import k2, kdb


def made(rows: int = 400, seed: int = 0) -> CodedRows:
    """A network of five columns: a → b → c, a → d ← c; e alone."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.85, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.6, b % 2, rng.integers(0, 2, rows))
    d = np.where(rng.random(rows) < 0.9, a + c, rng.integers(0, 3, rows))
    e = rng.integers(0, 2, rows)
    codes = np.array([a, b, c, d, e], np.int32)
    return CodedRows(tuple("abcde"), (2, 3, 2, 3, 2), codes, np.ones(rows))


def total(scores: FamilyScores, parents: Parents) -> float:
    return sum(scores.score(node, own) for node, own in enumerate(parents))


def is_acyclic(parents: Parents) -> bool:
    above = reached(parents)
    return not any(above[node, p] for node, own in enumerate(parents) for p in own)


EMPTY: Parents = ((),) * 5


def plain_hill_climb(scores: FamilyScores, max_parents: int) -> Parents:
    """Try every change of one arc, from the empty network on."""
    now = EMPTY
    while True:
        around = []
        for h, t in product(range(5), range(5)):
            if h == t:
                continue
            added = [(*own, t) if node == h else own for node, own in enumerate(now)]
            removed = [tuple(p for p in own if p != t) if node == h else own for node, own in enumerate(now)]
            turned = [(*own, h) if node == t else own for node, own in enumerate(removed)]
            around += [removed, turned] if t in now[h] else [added]
        legal = [tuple(n) for n in around if max(map(len, n)) <= max_parents and no_cycle(n)]
        best = max(legal, key=lambda network: total(scores, network))
        if total(scores, best) <= total(scores, now) + 1e-9:
            return now
        now = best


def no_cycle(parents: list[tuple[int, ...]]) -> bool:
    left = set(range(5))
    while free := {node for node in left if not left & set(parents[node])}:
        left -= free
    return not left


@pytest.mark.parametrize("criterion", ["bic", "k2"])
@pytest.mark.parametrize("seed", [0, 1])
def test_hill_climbing_ends_as_high_as_the_plain_one(criterion: str, seed: int) -> None:
    scores = FamilyScores(made(200, seed), criterion)
    found = hill_climb(scores, EMPTY, Climbing(2))
    assert is_acyclic(found)
    assert total(scores, found) == pytest.approx(total(scores, plain_hill_climb(scores, 2)), rel=1e-9)


@pytest.mark.parametrize("criterion", ["bdeu", "bic"])
def test_no_change_of_one_arc_is_better(criterion: str) -> None:
    scores = FamilyScores(made(), criterion)
    found = hill_climb(scores, EMPTY, Climbing(3))
    assert hill_climb(scores, found, Climbing(3)) == found
    assert {frozenset((node, p)) for node, own in enumerate(found) for p in own} >= {
        frozenset(pair) for pair in [(0, 1), (1, 2), (0, 3), (2, 3)]
    }
    assert found[4] == ()


def test_a_tabu_list_never_ends_lower() -> None:
    for seed in range(4):
        scores = FamilyScores(made(60, seed), "aic")
        plain = hill_climb(scores, EMPTY, Climbing(2, reverse=False))
        tabu = hill_climb(scores, EMPTY, Climbing(2, reverse=False, tabu=6))
        assert is_acyclic(tabu)
        assert total(scores, tabu) >= total(scores, plain) - 1e-9


def test_a_tabu_list_leaves_a_peak() -> None:
    """Of the class d = a xor c no single arc pays, once a and c are alone: only a walk downhill finds both."""
    rng = np.random.default_rng(3)
    a, c = rng.integers(0, 2, (2, 300))
    rows = CodedRows(("a", "c", "d"), (2, 2, 2), np.array([a, c, a ^ c], np.int32), np.ones(300))
    scores, empty = FamilyScores(rows, "bic"), ((), (), ())
    assert hill_climb(scores, empty, Climbing(2)) == empty
    assert max(map(len, hill_climb(scores, empty, Climbing(2, tabu=5)))) == 2


def test_k2_in_the_order_of_the_arcs_finds_them() -> None:
    found = k2(FamilyScores(made(), "k2"), EMPTY, [0, 1, 2, 3, 4], 3)
    assert [set(own) for own in found] == [set(), {0}, {1}, {0, 2}, set()]
    assert k2(FamilyScores(made(), "k2"), EMPTY, [0, 1, 2, 3, 4], 1)[3] in {(0,), (2,)}


def test_kdb_takes_the_strongest_of_the_columns_before() -> None:
    """Information by sums over cells: d is the class."""
    rows = made()
    found = kdb(FamilyScores(rows, "entropy"), 3, 2)
    others = [0, 1, 2, 4]
    order = sorted(others, key=lambda j: -information(rows, j, 3, None))
    for at, node in enumerate(order):
        assert found[node][0] == 3
        strongest = sorted(order[:at], key=lambda j: -information(rows, node, j, 3))
        assert found[node][1:] == tuple(strongest[:1])
    assert found[3] == ()
    assert all(own in {(), (3,)} for own in kdb(FamilyScores(rows, "entropy"), 3, 1))


def information(rows: CodedRows, one: int, other: int, given: int | None) -> float:
    x, y = rows.codes[one], rows.codes[other]
    z = np.zeros_like(x) if given is None else rows.codes[given]
    bits = 0.0
    for a, b, c in product(range(3), repeat=3):
        both, of_x, of_y = (z == c) & (x == a) & (y == b), (z == c) & (x == a), (z == c) & (y == b)
        if both.any():
            bits += both.mean() * np.log2(both.mean() * (z == c).mean() / (of_x.mean() * of_y.mean()))
    return float(bits)


def test_all_columns_are_brought_into_the_blanket() -> None:
    """0 is above the class 2, and 3 and 4 are apart from it."""
    found = with_all_in_blanket(((), (0,), (1,), (), (3,)), 2, [2] * 5)
    assert found == ((), (0,), (1, 0), (2,), (3, 2))
    assert is_acyclic(found)
