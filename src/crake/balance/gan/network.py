"""The two networks in JAX: a generator that makes rows, and a critic that tells them from real ones.

JAX is an extra (`crake[gan]`): nothing of it is loaded before a GAN is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Longs
from crake.balance.gan.encoding import Encoding
from crake.slow_modules import jax
from crake.slow_modules import jax_numpy as jnp

Array = Any
"""An array of JAX."""
Parameters = Any
"""Arrays of JAX in lists and dictionaries."""

NOISE = 64
"""Random numbers that the generator makes a row from."""
HIDDEN = 128
"""Units of each of the two hidden layers, in both networks."""
TEMPERATURE = 0.2
"""Temperature of the softmax that draws a mode or a name: nearly 0 and 1, and still with a slope."""
PENALTY = 10.0
"""Weight of the critic's slope, which is to be 1.

Gulrajani, Ahmed, Arjovsky, Dumoulin and Courville (2017), Improved training of Wasserstein GANs.
"""


@dataclass(frozen=True, eq=False)
class Shape:
    """Shape of the rows and of what the networks are told about a row: its class, and one block of it."""

    numbers: int
    widths: tuple[int, ...]
    classes: int
    source: Longs
    is_there: Any
    back: Longs

    @classmethod
    def of(cls, encoding: Encoding, classes: int) -> Shape:
        """Return the shape of encoded rows."""
        return cls(len(encoding.modes), encoding.widths, classes, *encoding.padded)

    @property
    def blocks(self) -> int:
        """Columns of all blocks."""
        return sum(self.widths)

    @property
    def condition_columns(self) -> int:
        """Columns of the condition."""
        return self.classes + self.blocks


def initial_generator(key: Array, shape: Shape) -> Parameters:
    """Return the generator before training."""
    keys = jax.random.split(key, 3)
    into = NOISE + shape.condition_columns
    return {
        "hidden": [_layer(keys[0], into, HIDDEN), _layer(keys[1], into + HIDDEN, HIDDEN)],
        "scale": [jnp.ones(HIDDEN), jnp.ones(HIDDEN)],
        "out": _layer(keys[2], into + 2 * HIDDEN, shape.numbers + shape.blocks),
    }


def initial_critic(key: Array, shape: Shape) -> Parameters:
    """Return the critic before training."""
    keys = jax.random.split(key, 3)
    into = shape.numbers + shape.blocks + shape.condition_columns
    return [_layer(keys[0], into, HIDDEN), _layer(keys[1], HIDDEN, HIDDEN), _layer(keys[2], HIDDEN, 1)]


def _layer(key: Array, into: int, out: int) -> Parameters:
    bound = 1 / np.sqrt(into)
    return {"weight": jax.random.uniform(key, (into, out), minval=-bound, maxval=bound), "bias": jnp.zeros(out)}


def condition(shape: Shape, rows: Array, classes: Array, block: Array) -> Array:
    """Return what is told of each row: its class, and its mode or name in one block; 0 in the other blocks."""
    block_of = jnp.asarray(np.repeat(np.arange(len(shape.widths)), shape.widths))
    return jnp.concatenate(
        [jax.nn.one_hot(classes, shape.classes), rows[:, shape.numbers :] * (block_of == block[:, None])], axis=1
    )


def generated(parameters: Parameters, shape: Shape, told: Array, key: Array) -> tuple[Array, Array]:
    """Return rows that fit what is told, and the logarithms of the probabilities of all modes and names.

    Each hidden layer sees the input again, and is brought to mean 0 and spread 1 over the batch.
    """
    for_noise, for_modes = jax.random.split(key)
    h = jnp.concatenate([jax.random.normal(for_noise, (len(told), NOISE)), told], axis=1)
    for layer, scale in zip(parameters["hidden"], parameters["scale"], strict=True):
        x = h @ layer["weight"]
        x = (x - x.mean(axis=0)) / jnp.sqrt(x.var(axis=0) + 1e-5) * scale + layer["bias"]
        h = jnp.concatenate([jax.nn.relu(x), h], axis=1)
    out = h @ parameters["out"]["weight"] + parameters["out"]["bias"]
    rectangle = jnp.where(shape.is_there, out[:, shape.numbers :][:, shape.source], -1e9)
    drawn = (rectangle + jax.random.gumbel(for_modes, rectangle.shape)) / TEMPERATURE
    soft = jax.nn.softmax(jnp.where(shape.is_there, drawn, -1e9), axis=-1)
    blocks = soft.reshape(len(told), -1)[:, shape.back]
    chances = jax.nn.log_softmax(rectangle, axis=-1).reshape(len(told), -1)[:, shape.back]
    return jnp.concatenate([jnp.tanh(out[:, : shape.numbers]), blocks], axis=1), chances


def judged(parameters: Parameters, rows: Array) -> Array:
    """Return the critic's judgement of each row with its condition: the larger, the more real."""
    h = rows
    for layer in parameters[:-1]:
        h = jax.nn.leaky_relu(h @ layer["weight"] + layer["bias"], 0.2)
    return (h @ parameters[-1]["weight"] + parameters[-1]["bias"])[:, 0]


def critic_loss(critic: Parameters, real: Array, made: Array, key: Array) -> Array:
    """Return mean(judgement of made rows) − mean(judgement of real rows) + the penalty on the slope."""
    share = jax.random.uniform(key, (len(real), 1))
    slope = jax.grad(lambda rows: judged(critic, rows).sum())(share * real + (1 - share) * made)
    length = jnp.sqrt(jnp.square(slope).sum(axis=1) + 1e-12)
    return judged(critic, made).mean() - judged(critic, real).mean() + PENALTY * jnp.square(length - 1).mean()


def generator_loss(generator: Parameters, critic: Parameters, shape: Shape, told: Array, key: Array) -> Array:
    """Return −mean(judgement of made rows) + the mean surprise at what was told, which the rows are to obey."""
    rows, chances = generated(generator, shape, told, key)
    surprise = -(chances * told[:, shape.classes :]).sum(axis=1).mean()
    return -judged(critic, jnp.concatenate([rows, told], axis=1)).mean() + surprise
