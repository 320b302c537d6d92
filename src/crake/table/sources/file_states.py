"""Files that must stay as they were when they were opened: rows of two states would make a model of neither."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from crake.errors import ReadError


@dataclass(frozen=True)
class FileStates:
    """The size of each file and the time when it was last written."""

    states: tuple[tuple[Path, int, int], ...]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Self:
        """Return the states of these files as they are now."""
        return cls(tuple((path, *_state(path)) for path in paths))

    def check(self) -> None:
        """Raise if a file is another one now."""
        for path, *state in self.states:
            if state != list(_state(path)):
                raise ReadError(
                    "the file was changed after it was opened: expected the same rows in every scan; read the table "
                    "again, or a copy of it",
                    file=path.name,
                )


def _state(path: Path) -> tuple[int, int]:
    """Return the size and the time in nanoseconds; zeros of a file that is gone."""
    try:
        state = path.stat()
    except OSError:
        return 0, 0
    return state.st_size, state.st_mtime_ns
