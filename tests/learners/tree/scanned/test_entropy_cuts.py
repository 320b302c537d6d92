"""What counted entries tell about the cut that a scan of all values chooses."""

from __future__ import annotations

import numpy as np
import pytest

from crake.kernels.tree.scanned.entropy_cuts import CHOICE, NO_CUT, UNKNOWN, CutLimits, EntryArrays, choose_cuts


def score(counts: np.ndarray) -> float:
    weight = counts.sum()
    return float(sum(n * np.log(n) for n in counts if n > 0) - (weight * np.log(weight) if weight else 0.0))


def chosen_by_a_scan(counts: np.ndarray, enough: int, margin: float) -> tuple[int, float, int]:
    """Return the last value on the left, the decrease, and the number of cuts, one value after the other."""
    whole, left, best, at, cuts = counts.sum(axis=0), np.zeros(counts.shape[1]), score(counts.sum(axis=0)), -1, 0
    before = best
    for value in range(len(counts) - 1):
        left = left + counts[value]
        if min(left.sum(), whole.sum() - left.sum()) >= enough:
            cuts += 1
            found = score(left) + score(whole - left)
            if found > best + margin:
                best, at = found, value
    return at, best - before, cuts


def choice(counts: np.ndarray, edges: np.ndarray, enough: int, margin: float) -> np.void:
    """Return the choice among entries of several values: entry i has those from edges[i] on."""
    entries = np.add.reduceat(counts, edges, axis=0)
    low, high = edges.astype(float), np.append(edges[1:] - 1.0, len(counts) - 1.0)
    node, first = counts.sum(axis=0)[None].astype(float), np.array([0, len(edges)])
    limits = CutLimits(np.ones(1, bool), np.array([float(enough)]), np.array([margin]), np.array([1e-9]))
    found, bound = np.zeros(1, CHOICE), np.zeros(len(edges))
    choose_cuts(EntryArrays(entries, low, high, first), node, limits, 0.0, np.zeros(0), bound, found)
    return found[0]


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("margin", [1e-6, 0.5, 4.0])
def test_a_choice_is_that_of_all_values_or_bounds_it(classes: int, margin: float) -> None:
    """Margins are wide, so that the choice depends on the cuts before the best; many entries are single values."""
    known, open_ = 0, 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        values = int(rng.integers(2, 120))
        slope = np.linspace(0.1, 0.9, values)[:, None] * rng.random((1, classes))
        counts = rng.poisson(3 * (0.2 + slope), (values, classes)) + (np.arange(classes) == 0)
        enough = int(rng.integers(1, 12))
        is_edge = rng.random(values) < rng.choice([0.3, 0.9, 1.0])
        is_edge[0] = True
        at, decrease, cuts = chosen_by_a_scan(counts, enough, margin)
        edges = np.flatnonzero(is_edge)
        found = choice(counts, edges, enough, margin)
        assert found["fewest_cuts"] <= cuts <= found["most_cuts"]
        assert found["lowest"] - 1e-9 <= decrease <= found["highest"] + 1e-9
        if found["cut"] == UNKNOWN:
            open_ += 1
            if at >= 0:
                assert found["fewest_left"] <= counts[: at + 1].sum() <= found["most_left"]
            continue
        known += 1
        assert at == (NO_CUT if found["cut"] == NO_CUT else np.append(edges[1:], values)[found["cut"]] - 1)
        if at >= 0:
            np.testing.assert_allclose(found["decrease"], decrease, atol=1e-9)
            assert found["fewest_left"] == found["most_left"] == counts[: at + 1].sum()
    assert min(known, open_) > 20
