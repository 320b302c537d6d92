"""A generative adversarial network for tables, which makes rows of rare classes up."""

from crake.balance.gan.sampler import GAN

__all__ = ["GAN"]
