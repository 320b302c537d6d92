"""Learners and tables of an experiment by their name or number."""

from __future__ import annotations

import difflib

from crake.errors import CrakeError


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
    close = difflib.get_close_matches(str(wanted), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise CrakeError(f"there is no {what} {wanted!r} in this experiment.{hint} There are: {', '.join(names)}")
