"""A project is a folder: the index, and a folder for each run with its request, result, report and model."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import IO, Any

from crake.app.index import DONE, FAILED, OPEN_STATES, Index
from crake.app.stored import check_folder, checked_result
from crake.errors import CrakeError
from crake.files import HAS_LOCKS, replace_file
from crake.table import examples

NAME = ".crake"
"""The folder of a project, inside the folder that its tables lie in."""
EDGE = 1 << 20
"""Bytes at the start and at the end of a file that its fingerprint is made of, beside its size."""
INTERRUPTED = "the app ended while this run was being worked on; run it again"


class Project:
    """The folder of a project inside the start folder; one app at a time has it open."""

    def __init__(self, start: Path) -> None:
        self.start = start.resolve()
        if not self.start.is_dir():
            raise CrakeError(f"{start}: expected a folder, got none")
        self.folder = self.start / NAME
        check_folder(self.folder)
        for folder in (self.folder, self.folder / "runs", self.folder / "uploads"):
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise CrakeError(f"cannot make {folder}: {error.strerror or error}; name another --folder") from None
        self._lock = _locked(self.folder / "lock")
        self.index = Index(self.folder / "index.sqlite")
        self._recover()

    def close(self) -> None:
        """Let another app open the project."""
        self.index.close()
        self._lock.close()

    def run_folder(self, run: str) -> Path:
        """Return the folder of a run."""
        return self.folder / "runs" / run

    def relative(self, path: Path) -> str:
        """Return a path as a command in the start folder names it."""
        return str(path.relative_to(self.start))

    @property
    def uploads(self) -> str:
        """The folder of dropped files, as a command in the start folder names it."""
        return self.relative(self.folder / "uploads")

    def shown_source(self, source: str) -> str:
        """Return the source of a table as people know it: a dropped file without the folder in which it is kept."""
        return source.removeprefix(f"{self.uploads}/")

    def model_file(self, run: str) -> str:
        """Return the file of a run's best model, as a command in the start folder names it."""
        return self.relative(self.run_folder(run) / "model.crake")

    def result(self, run: str) -> dict[str, Any] | None:
        """Return the result of a run as a document; None if there is none, or something else."""
        try:
            return checked_result(json.loads((self.run_folder(run) / "result.json").read_text("utf-8")))
        except (OSError, ValueError, RecursionError):
            return None

    def has_result(self, run: str) -> bool:
        """Return True if the process of a run came to its end: the result is written last, and whole."""
        return (self.run_folder(run) / "result.json").is_file()

    def prepare_run(self, run: str, request: dict[str, Any]) -> Path:
        """Make the folder of a run with its request; return it."""
        folder = self.run_folder(run)
        folder.mkdir(exist_ok=True)
        replace_file(folder / "request.json", json.dumps(request, indent=2).encode())
        return folder

    def fingerprint(self, source: str) -> str:
        """Return a text that changes when the content of a table does; examples never change."""
        path = self.start / source
        if not path.is_file():
            return f"example {source}" if source in examples.names() else ""
        size = path.stat().st_size
        with path.open("rb") as file:
            digest = hashlib.sha256(file.read(EDGE))
            file.seek(max(0, size - EDGE))
            digest.update(file.read())
        return f"{size} {digest.hexdigest()}"

    def _recover(self) -> None:
        """End runs that an app before this one left: those with a result are done, the others were interrupted."""
        for run in [*self.index.runs(), *self.index.runs(deleted=True)]:
            if run.state in OPEN_STATES:
                is_done = self.has_result(run.id)
                self.index.set_state(run.id, DONE if is_done else FAILED, "" if is_done else INTERRUPTED)


def _locked(file: Path) -> IO[str]:
    """Return the open lock of a project; raise if another app holds it."""
    lock = file.open("a+")
    if HAS_LOCKS:
        import fcntl  # noqa: PLC0415 (not on Windows)

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            other = lock.read().strip()
            lock.close()
            raise CrakeError(
                f"{file.parent} is open in another crake app (process {other}); use that one, or end it first"
            ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
