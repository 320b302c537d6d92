"""Learners of a comparison that fail: they are named with the reason, and the others go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from crake.errors import CrakeError, LearnerError, MemoryRefusal
from crake.evaluation.protocol.timing import Progress
from crake.learners.registry import is_baseline, title_of
from crake.render.plain_text import visible
from crake.render.sentences import first_word

LONGEST_REASON = 500
"""Characters of a reason in a note; JSON has all of it."""
ENDS_ALL = (MemoryError, MemoryRefusal, BrokenExecutor)
"""Errors that end a comparison: the memory is full, or a worker was ended; the next learner would fare no better."""


@dataclass(frozen=True, eq=False)
class Failure:
    """A learner that could not be fitted or tested, with its place among those given, and the error it raised.

    `where` it failed is said of one of several tables: " on golf, repeat 1". `title` is crake's name of the learner,
    which `name` is unless another is given.
    """

    place: int
    name: str
    error: Exception
    where: str = ""
    title: str = ""

    @property
    def reason(self) -> str:
        """Return the message in one line; before it the kind of an error that is not crake's own."""
        text = " ".join(str(self.error).split()).removeprefix(f"{self.name}{self.where}: ")
        if isinstance(self.error, CrakeError):
            return text
        kind = type(self.error).__name__
        return f"{kind}: {text}" if text else kind

    def __str__(self) -> str:
        """Return the note: who is left out, and why; a long reason is cut.

        >>> print(Failure(2, "naive Bayes", ValueError("no rows.")))
        Naive Bayes failed and is left out: ValueError: no rows
        """
        return f"{first_word(self.name, (self.title or self.name,))} failed{self.where} and is left out: {self.words}"

    @property
    def words(self) -> str:
        """Return the reason for a sentence, which has a full stop of its own; a long one is cut."""
        reason = visible(self.reason).rstrip(". ")
        return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1].rstrip()}…"

    def to_dict(self) -> dict[str, str]:
        """Return the failure for JSON; `where` is there if the learner had several tables."""
        kind = self.error.kind if isinstance(self.error, LearnerError) else type(self.error).__name__
        where = {"where": self.where.strip()} if self.where else {}
        return {"learner": self.name, "error": kind, "reason": self.reason, **where}


class Trials:
    """Lets the other learners of a comparison go on where one fails.

    What one learner alone raises is raised, and so are Ctrl-C, errors of memory, and what `progress` raises.
    """

    def __init__(self, learners: Sequence[Any], progress: Progress | None = None) -> None:
        self._learners = learners
        self._heard = None if progress is None else _Heard(progress)
        self.failures: list[Failure] = []

    @property
    def progress(self) -> Progress | None:
        """Return the progress; an error that it raises itself is not one of the learner."""
        return self._heard

    @contextmanager
    def of(self, place: int) -> Iterator[None]:
        """Note the failure of a learner within the block."""
        try:
            yield
        except ENDS_ALL:
            raise
        except Exception as error:
            if self._heard is not None and error is self._heard.raised:
                raise
            self.note(place, error)

    def has_failed(self, place: int) -> bool:
        """Return True if a failure of this learner was noted."""
        return any(each.place == place for each in self.failures)

    def note(self, place: int, error: Exception, where: str = "") -> None:
        """Note the failure of a learner; raise it if there are no others to go on with."""
        if len(self._learners) < 2:
            raise error
        title = title_of(self._learners[place])
        self.failures.append(Failure(place, title, error, where, title))

    def finished(self) -> tuple[Failure, ...]:
        """Return the failures by place; raise the first where nothing is left to compare but baselines."""
        self.failures.sort(key=lambda each: each.place)  # workers fail in any order
        failed = {each.place for each in self.failures}
        left = [learner for place, learner in enumerate(self._learners) if place not in failed]
        if self.failures and all(map(is_baseline, left)):
            raise self.failures[0].error
        return tuple(self.failures)


class _Heard:
    """A progress that remembers the error that it raised; it has the methods of the one it passes everything on to."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.raised: Exception | None = None

    def __call__(self, name: str, done: int, total: int) -> None:
        try:
            self._progress(name, done, total)
        except Exception as error:
            self.raised = error
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._progress, name)
