"""Words at places along a line, in as many lanes as it takes for none to lie on another."""

from __future__ import annotations

from collections.abc import Sequence


def ends_first(places: Sequence[tuple[float, float]], gap: float = 6.0) -> list[int]:
    """Return one lane: the leftmost and the rightmost word, then from the left those that still fit; 0, or −1.

    >>> ends_first([(0, 20), (10, 20), (50, 20), (60, 20)])
    [0, -1, -1, 0]
    """
    order = sorted(range(len(places)), key=lambda k: places[k][0])
    order = [*order[:1], *order[-1:], *order[1:-1]] if len(order) > 1 else order
    lanes = [-1] * len(places)
    occupied: list[tuple[float, float]] = []
    for at in order:
        middle, width = places[at]
        if all(abs(middle - other) >= (width + wide) / 2 + gap for other, wide in occupied):
            lanes[at] = 0
            occupied.append(places[at])
    return lanes


def in_lanes(places: Sequence[tuple[float, float]], lanes: int, gap: float = 6.0) -> list[int]:
    """Return the lane of each word (its middle and its width), the first that has room; −1 where none has.

    Words are placed from the left to the right.

    >>> in_lanes([(0, 20), (10, 20), (40, 20), (12, 20)], lanes=2)
    [0, 1, 0, -1]
    """
    ends = [float("-inf")] * lanes
    lane_of = [-1] * len(places)
    for at in sorted(range(len(places)), key=lambda k: places[k][0]):
        middle, width = places[at]
        for lane in range(lanes):
            if ends[lane] + gap <= middle - width / 2:
                lane_of[at], ends[lane] = lane, middle + width / 2
                break
    return lane_of
