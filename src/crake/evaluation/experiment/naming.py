"""Learners and tables of an experiment by their name or number."""

from __future__ import annotations

from crake.errors import CrakeError, did_you_mean


def position(wanted: str | int, names: tuple[str, ...], what: str) -> int:
    """The number of a name, or a number that there is.

    >>> position("1R", ("majority class", "1R"), "learner")
    1
    >>> position("naive bayes", ("majority class", "naive Bayes"), "learner")
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no learner 'naive bayes' in this experiment. Did you mean 'naive Bayes'? ...
    """
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return wanted
    if wanted in names:
        return names.index(str(wanted))
    hint = did_you_mean(str(wanted), names)
    raise CrakeError(f"there is no {what} {wanted!r} in this experiment.{hint} There are: {', '.join(names)}")
