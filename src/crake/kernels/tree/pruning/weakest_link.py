"""Weakest links: in which order, and at which price per leaf, the nodes of a tree become leaves."""

from __future__ import annotations

import heapq

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels import kernel


@kernel
def weakest_links(parent: Longs, branches: Longs, first: Longs, risk: Floats) -> tuple[Floats, Floats, Floats, Longs]:
    """Return alpha[node] at which a node becomes a leaf; and for each cut its alpha, and risk and leaves of the rest.

    A node t with the subtree T is worth keeping while alpha < g(t) = (R(t) − R(T)) / (leaves(T) − 1). The node of the
    least g becomes a leaf, the first of equals; a node that goes with one above it has that one's alpha.
    """
    nodes = parent.shape[0]
    below, leaves = risk.copy(), np.ones(nodes, np.int64)
    for node in range(nodes - 1, -1, -1):
        if branches[node] > 0:
            below[node], leaves[node] = 0.0, 0
            for c in range(first[node], first[node] + branches[node]):
                below[node] += below[c]
                leaves[node] += leaves[c]
    alpha, price = np.full(nodes, np.inf), np.full(nodes, np.inf)
    waiting = [(np.inf, 0)]
    for node in range(nodes):
        if branches[node] > 0:
            price[node] = (risk[node] - below[node]) / (leaves[node] - 1)
            waiting.append((price[node], node))
    heapq.heapify(waiting)
    alphas, risks, sizes = [0.0 for _ in range(0)], [0.0 for _ in range(0)], [0 for _ in range(0)]
    reached = 0.0
    while len(waiting) > 0:
        g, node = heapq.heappop(waiting)
        if g != price[node] or g == np.inf:
            continue
        if g > reached + 1e-12 * reached + 1e-15 * risk[0]:  # a price that differs by rounding is the same
            reached = g
        alpha[node], price[node] = reached, np.inf
        more, fewer = risk[node] - below[node], leaves[node] - 1
        above = int(node)
        while above >= 0:
            below[above] += more
            leaves[above] -= fewer
            if above != node:
                price[above] = (risk[above] - below[above]) / (leaves[above] - 1) if leaves[above] > 1 else np.inf
                heapq.heappush(waiting, (price[above], above))
            above = int(parent[above])
        alphas.append(reached)
        risks.append(below[0])
        sizes.append(leaves[0])
        # What lies below goes with the node.
        going = [node]
        while len(going) > 0:
            here = going.pop()
            for c in range(first[here], first[here] + branches[here]):
                if branches[c] > 0 and alpha[c] == np.inf:
                    alpha[c], price[c] = reached, np.inf
                    going.append(c)
    return alpha, np.array(alphas), np.array(risks), np.array(sizes)
