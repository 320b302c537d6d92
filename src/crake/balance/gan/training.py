"""Training of the GAN: critic and generator in turn, the best state kept, stopped if the losses diverge."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Longs
from crake.balance.gan.encoding import Matrix
from crake.balance.gan.network import (
    Array,
    Parameters,
    Shape,
    condition,
    critic_loss,
    generated,
    generator_loss,
    initial_critic,
    initial_generator,
)
from crake.slow_modules import jax
from crake.slow_modules import jax_numpy as jnp

BATCH = 500
"""Rows of a step."""
EVERY = 250
"""Steps between two looks at the rows that the generator makes."""
RATES = (0.5, 0.9)
"""Decay of the two means of Adam."""
STEADY = 0.995
"""Decay of the mean of the generator's parameters, which makes the rows: single steps swing."""
BEYOND = 1e4
"""Size of a loss from which on the training has diverged."""


@dataclass(frozen=True)
class Look:
    """State of the training after some steps: both losses, and the distance of made-up rows from real ones."""

    step: int
    critic_loss: float
    generator_loss: float
    distance: float


@dataclass(frozen=True, eq=False)
class Trained:
    """The generator whose rows came nearest to the real ones, the looks at it, and the step at which it diverged."""

    generator: Parameters
    shape: Shape
    looks: tuple[Look, ...]
    diverged: int | None


def train(
    rows: Matrix,
    starts: Longs,
    shape: Shape,
    *,
    seed: int,
    steps: int,
    rate: float,
    distance: Callable[[Trained], float],
    watch: Callable[[Look], None],
) -> Trained:
    """Train on encoded rows, which stand class by class from `starts` on; `distance` judges a state."""
    key = _key(seed)
    first, second, key = jax.random.split(key, 3)
    state = _started(initial_generator(first, shape), initial_critic(second, shape))
    run, last = _runner(shape), -(-steps // EVERY) * EVERY
    data, edges = jnp.asarray(rows), jnp.asarray(np.append(starts, len(rows)))
    best, looks, diverged = state["steady"], [], None
    nearest = math.inf
    for step in range(EVERY, steps + EVERY, EVERY):
        key, own = jax.random.split(key)
        state, losses = run(state, data, edges, jax.random.split(own, EVERY), rate, last)
        critic, generator = (float(loss) for loss in losses)
        if not (abs(critic) < BEYOND and abs(generator) < BEYOND):
            diverged = step
            break
        now = Trained(state["steady"], shape, (), None)
        looks.append(Look(step, critic, generator, distance(now)))
        watch(looks[-1])
        if looks[-1].distance < nearest:
            best, nearest = state["steady"], looks[-1].distance
    return Trained(best, shape, tuple(looks), diverged)


def rows_of(trained: Trained, rows: Matrix, classes: Longs, seed: int) -> Matrix:
    """Return as many made rows as there are real `rows` given: of the same classes, each told one block of one of them.

    So modes and names are asked for by their shares.
    """
    make = _maker(trained.shape)
    parts = []
    for start in range(0, len(rows), BATCH):
        key = jax.random.fold_in(_key(seed), start)
        part = np.arange(start, start + BATCH) % len(rows)  # always a whole batch
        parts.append(np.asarray(make(trained.generator, rows[part], classes[part], key)))
    return np.concatenate(parts)[: len(rows)]


def _key(seed: int) -> Array:
    """Return the start of random numbers, of the kind that JAX compiles faster than its usual one."""
    return jax.random.key(seed, impl="rbg")


@functools.lru_cache(maxsize=4)
def _runner(shape: Shape) -> Callable[..., tuple[dict[str, Any], Array]]:
    """Return the compiled function that takes some steps."""
    compiled: Callable[..., tuple[dict[str, Any], Array]] = jax.jit(functools.partial(_steps, shape=shape))
    return compiled


def _started(generator: Parameters, critic: Parameters) -> dict[str, Any]:
    zeros = functools.partial(jax.tree_util.tree_map, jnp.zeros_like)
    return {
        "generator": generator,
        "critic": critic,
        "steady": generator,
        "generator_means": (zeros(generator), zeros(generator)),
        "critic_means": (zeros(critic), zeros(critic)),
        "step": jnp.zeros((), jnp.int32),
    }


def _steps(
    state: dict[str, Any], data: Array, edges: Array, keys: Array, rate: float, last: int, *, shape: Shape
) -> tuple[dict[str, Any], Array]:
    """Return the state after one step per key, and the mean losses; steps shrink to 0 towards the last one."""

    def step(now: dict[str, Any], key: Array) -> tuple[dict[str, Any], Array]:
        return _step(now, data, edges, key, shape=shape, rate=rate * (1 - now["step"] / last))

    state, losses = jax.lax.scan(step, state, keys)
    return state, losses.mean(axis=0)


def _step(
    state: dict[str, Any], data: Array, edges: Array, key: Array, *, shape: Shape, rate: Array
) -> tuple[dict[str, Any], Array]:
    """Teach the critic with real and made rows, then the generator with the critic."""
    keys = jax.random.split(key, 6)
    classes = jax.random.randint(keys[0], (BATCH,), 0, shape.classes)
    count = edges[classes + 1] - edges[classes]
    place = jnp.minimum((jax.random.uniform(keys[1], (BATCH,)) * count).astype(jnp.int32), count - 1)
    real = data[edges[classes] + place]
    told = condition(shape, real, classes, jax.random.randint(keys[2], (BATCH,), 0, len(shape.widths)))
    made = generated(state["generator"], shape, told, keys[3])[0]
    lost, slope = jax.value_and_grad(critic_loss)(
        state["critic"], jnp.concatenate([real, told], axis=1), jnp.concatenate([made, told], axis=1), keys[4]
    )
    step = state["step"] + 1
    critic, critic_means = _adam(state["critic"], slope, state["critic_means"], step, rate)
    lost_too, slope = jax.value_and_grad(generator_loss)(state["generator"], critic, shape, told, keys[5])
    generator, generator_means = _adam(state["generator"], slope, state["generator_means"], step, rate)
    steady = jax.tree_util.tree_map(lambda mean, x: STEADY * mean + (1 - STEADY) * x, state["steady"], generator)
    return {
        "generator": generator,
        "critic": critic,
        "steady": steady,
        "generator_means": generator_means,
        "critic_means": critic_means,
        "step": step,
    }, jnp.stack([lost, lost_too])


def _adam(
    parameters: Parameters, slope: Parameters, means: tuple[Parameters, Parameters], step: Array, rate: Array
) -> tuple[Parameters, tuple[Parameters, Parameters]]:
    """Take a step of Adam (Kingma and Ba, 2015)."""
    each = jax.tree_util.tree_map
    one, two = RATES
    mean = each(lambda m, g: one * m + (1 - one) * g, means[0], slope)
    square = each(lambda v, g: two * v + (1 - two) * g * g, means[1], slope)
    moved = each(
        lambda p, m, v: p - rate * (m / (1 - one**step)) / (jnp.sqrt(v / (1 - two**step)) + 1e-8),
        parameters, mean, square,
    )  # fmt: skip
    return moved, (mean, square)


@functools.lru_cache(maxsize=4)
def _maker(shape: Shape) -> Callable[..., Array]:
    """Return the compiled function that makes one batch of rows."""

    def make(generator: Parameters, rows: Array, classes: Array, key: Array) -> Array:
        for_block, for_rows = jax.random.split(key)
        block = jax.random.randint(for_block, (BATCH,), 0, len(shape.widths))
        return generated(generator, shape, condition(shape, rows, classes, block), for_rows)[0]

    compiled: Callable[..., Array] = jax.jit(make)
    return compiled
