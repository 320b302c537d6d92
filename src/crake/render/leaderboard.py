"""The leaderboard as data: what the terminal table and the HTML page show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A number with its interval; `value` None means undefined, and `reason` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Entry:
    """One learner's line. `verdict` says in words how it stands to the best and the baseline."""

    name: str
    accuracy: Figure
    auc: Figure
    f1: Figure
    log_loss: Figure
    fit_seconds: float
    predict_seconds: float
    is_baseline: bool
    is_best: bool
    verdict: str


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix: rows actual, columns predicted."""

    name: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    recall: tuple[float | None, ...]
    precision: tuple[float | None, ...]


@dataclass(frozen=True)
class Leaderboard:
    """A whole comparison, ready to be shown."""

    title: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    entries: tuple[Entry, ...]
    matrices: tuple[Matrix, ...]
    protocol: str
    reproduce: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
