"""The samplers by the name people type: `--balance smote`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from crake.errors import CrakeError, did_you_mean

SAMPLERS: dict[str, str] = {
    "under": "random_rows:Undersample",
    "over": "random_rows:Oversample",
    "weights": "weights:Weights",
    "smote": "smote:SMOTE",
    "perturb": "perturb:Perturb",
    "gan": "gan:GAN",
}
"""Samplers by name, each with its place, "module:class" below `crake.balance`; imported when they are looked up."""

IN_WORDS: dict[str, str] = {
    "weights": "weights",
    "under": "undersampling",
    "over": "oversampling",
    "smote": "SMOTE",
    "perturb": "perturbed copies",
    "gan": "GAN",
}
"""What samplers are called in tables and on pages, the simplest first."""


def check_name(name: str, parameter: str) -> None:
    """Raise if no sampler has this name, which was given as this parameter or option.

    >>> check_name("smot", "balance")
    Traceback (most recent call last):
    crake.errors.CrakeError: balance: expected one of under, over, weights..., got 'smot'. Did you mean 'smote'?
    """
    if name.lower() not in SAMPLERS:
        hint = did_you_mean(name.lower(), SAMPLERS)
        raise CrakeError(f"{parameter}: expected one of {', '.join(SAMPLERS)}, got {name!r}.{hint}")


def sampler_by_name(name: str) -> Any:
    """Return a new sampler with its default parameters.

    >>> sampler_by_name("under")
    Undersample()
    """
    check_name(name, "balance")
    module, _, class_name = SAMPLERS[name.lower()].partition(":")
    return getattr(import_module(f"crake.balance.{module}"), class_name)()
