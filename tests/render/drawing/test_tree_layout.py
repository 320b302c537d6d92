"""The layout of trees, beside what a slow reader of the rules would ask of it."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.render.drawing.tree_layout import _Outline, tidy


@st.composite
def trees(draw):
    """Any tree, depth first or not: each node's parent is an earlier one."""
    size = draw(st.integers(1, 40))
    parents = [-1] + [draw(st.integers(0, k - 1)) for k in range(1, size)]
    return parents, [draw(st.floats(5, 120)) for _ in parents]


def by_depth(parents):
    depth, levels = [], defaultdict(list)
    for node, above in enumerate(parents):
        depth.append(0 if above < 0 else depth[above] + 1)
        levels[depth[node]].append(node)
    return levels


@given(trees(), st.floats(0, 20))
def test_no_two_nodes_of_a_depth_are_closer_than_the_gap(tree, gap):
    parents, widths = tree
    middles = tidy(parents, widths, gap)
    for level in by_depth(parents).values():
        placed = sorted((middles[n] - widths[n] / 2, middles[n] + widths[n] / 2) for n in level)
        assert all(b[0] - a[1] >= gap - 1e-6 for a, b in pairwise(placed))


@given(trees())
def test_parents_stand_over_the_middle_and_children_in_order(tree):
    parents, widths = tree
    middles = tidy(parents, widths, 3)
    children = defaultdict(list)
    for node, above in enumerate(parents):
        children[above].append(node)
    for node, below in children.items():
        places = [middles[child] for child in below]
        assert places == sorted(places)
        if node >= 0:
            assert middles[node] == pytest.approx((places[0] + places[-1]) / 2)


@given(trees())
def test_the_leftmost_edge_is_at_zero(tree):
    parents, widths = tree
    middles = tidy(parents, widths, 3)
    assert min(m - w / 2 for m, w in zip(middles, widths, strict=True)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("is_left", [True, False])
def test_joining_outlines_costs_the_shallower_one(monkeypatch, is_left):
    """A spine with a leaf at every node: copying outlines would look at depth² edges, this at a few a node."""
    looked = 0
    plain = _Outline.left_at

    def counted(outline, depth):
        nonlocal looked
        looked += 1
        return plain(outline, depth)

    monkeypatch.setattr(_Outline, "left_at", counted)
    parents = [-1]
    for k in range(3000):
        spine = 0 if k == 0 else (2 * k - 1 if is_left else 2 * k)
        parents += [spine, spine]
    tidy(parents, [10.0] * len(parents), 2)
    assert looked <= 2 * len(parents)
