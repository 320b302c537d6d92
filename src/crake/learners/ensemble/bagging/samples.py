"""Bootstrap samples: the same for any number of threads, because each member has a generator of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.kernels import threads
from crake.learners.base.weka.java_random import JavaRandom
from crake.learners.ensemble.members import Members, Sampler

T = TypeVar("T")


PART = 16_384
"""Draws that are made at once."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with replacement, in the order drawn, and the seed of the member that learns from them.

    `parts` draws them anew each time, a part after the other: a thread has no room for all of them.
    """

    at: int
    parts: Callable[[], Iterator[Rows]]
    seed: int
    is_in_order: bool

    @property
    def rows(self) -> Rows:
        """All rows of the sample."""
        return np.concatenate(list(self.parts()))

    def copies(self, rows: int) -> NDArray[np.uint8] | Floats:
        """Return how often each row is in the sample, in bytes if these are enough."""
        copies, draws = np.zeros(rows, np.uint8), 0
        for part in self.parts():
            np.add.at(copies, part, np.uint8(1))
            draws += len(part)
        if int(copies.sum(dtype=np.int64)) == draws:
            return copies
        return np.bincount(self.rows, minlength=rows).astype(np.float64)


def fitted(samples: Sequence[Sample], members: Members) -> list[tuple[Any, NDArray[np.uint8] | Floats]]:
    """Return the member of each sample, and how often the sample has each row.

    A member learns from copies as weights over the shared table, or from the rows themselves.

    Rows are needed where copies and weights are not the same, and where their order decides the last bits.
    """
    first, rows = samples[0], len(members.table)
    if first.is_in_order or members.deals_rows:
        return [(members.sampled(each.rows, each.at, seed=each.seed), each.copies(rows)) for each in samples]
    copies = [each.copies(rows) for each in samples]
    if members.at_once > 1:
        seeds = [each.seed for each in samples]
        fits = members.weighted_together(np.array(copies, np.float64), first.at, seeds)
    else:
        fits = [members.weighted(own, each.at, seed=each.seed) for own, each in zip(copies, samples, strict=True)]
    return list(zip(fits, copies, strict=True))


def in_order(function: Callable[[list[Sample]], list[T]], bags: Iterable[Sample], members: Members) -> Iterator[T]:
    """Yield what the function returns for groups of samples whose members are fitted together.

    Groups are worked on in threads, unless all members together are as small as one group.
    """
    cells = len(members.table) * len(members.table.schema.features) * members.number
    is_small = 1 < members.at_once >= members.number and cells < threads.SMALL
    size = members.number if is_small else min(members.at_once, -(-members.number // threads.count()))
    coming = iter(bags)
    groups = iter(lambda: list(islice(coming, size)), [])
    for results in map(function, groups) if is_small else threads.in_order(function, groups):
        yield from results


def samples(weights: Floats, draws: int, number: int, generator: str, random_state: int) -> Iterator[Sample]:
    """Yield the sample of each member, of rows drawn by weight.

    "weka": member m has the rows of the generator seeded with random_state + m, and the m-th integer of one seeded with
    random_state as its seed.
    """
    if generator == "weka":
        seeds = JavaRandom(random_state).integers(number).tolist()
        for at, seed in enumerate(seeds):
            yield Sample(at, partial(_weka_parts, weights, draws, random_state + at), seed, is_in_order=True)
        return
    for at in range(number):
        sequence = np.random.SeedSequence([random_state, at])
        seed = int(sequence.generate_state(1)[0]) >> 1
        yield Sample(at, partial(_parts, weights, draws, sequence), seed, is_in_order=False)


def _parts(weights: Floats, draws: int, sequence: np.random.SeedSequence) -> Iterator[Rows]:
    sampler = Sampler("crake", sequence)
    for begin in range(0, draws, PART):
        yield sampler.rows(weights, min(PART, draws - begin))


def _weka_parts(weights: Floats, draws: int, seed: int) -> Iterator[Rows]:
    yield JavaRandom(seed).sample(weights, draws)
