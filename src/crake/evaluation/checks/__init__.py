"""Checks: what may be wrong with a result, in plain words, each with a code and what to do."""

from __future__ import annotations

from crake.evaluation.checks.overconfidence import Sureness, sureness, too_sure
from crake.render.check import Check

__all__ = ["Check", "Sureness", "sureness", "too_sure"]
