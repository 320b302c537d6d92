"""Jobs: runs in processes of their own, a few at a time, with progress for those who watch, ended at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from crake.app.index import CANCELLED, DONE, FAILED, RUNNING
from crake.app.project import Project

BEAT = 10.0
"""Seconds after which a watcher hears of a job that has nothing new to tell."""
LONGEST_LINE = 1 << 20
WORKER = (sys.executable, "-P", "-m", "crake.app.worker")
"""The process that works on a run; it is given the run's folder and the megabytes it may take.

Modules are not looked for in the start folder, where a stranger's file may bear the name of one.
"""
SETTINGS = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
"""The own allocator of Arrow reserves a gigabyte of addresses at once, which count against the limit of a run."""


@dataclass(eq=False)
class Job:
    """A run that waits or works: its latest step, its notes, the learners that were tested, a signal for watchers."""

    run: str
    step: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    finished: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    is_cancelled: bool = False
    process: asyncio.subprocess.Process | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def percent(self) -> float:
        """Return the part of the run that is done, in percent; each learner counts the same.

        >>> Job("a run", {"step": "1R", "done": 5, "total": 10, "learner": 2, "of": 3}).percent
        50.0
        """
        if not self.step.get("of"):
            return 0.0
        part = self.step["done"] / (self.step["total"] or 1)
        percent: float = round(100 * (self.step["learner"] - 1 + part) / self.step["of"], 1)
        return percent

    @property
    def words(self) -> str:
        """Return what the run does now.

        >>> Job("a run").words
        'waits for its turn'
        """
        if self.step:
            return str(self.step["step"])
        return "starts" if self.process else "waits for its turn"

    def tell(self) -> None:
        """Wake those who watch."""
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """The jobs of a project; a bounded number works at a time, and the others wait in their order."""

    def __init__(
        self, project: Project, *, slots: int | None = None, megabytes: int = 4096, command: Sequence[str] = WORKER
    ) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._project = project
        self._slots = asyncio.Semaphore(slots or max(1, cores // 2))  # a run uses the cores itself
        self._megabytes = megabytes
        self._command = command
        self._jobs: dict[str, Job] = {}

    def start(self, run: str) -> Job:
        """Let a run wait for its turn."""
        job = self._jobs[run] = Job(run)
        job.task = asyncio.get_running_loop().create_task(self._work(job))
        return job

    def job(self, run: str) -> Job | None:
        """Return the job of a run that waits or works."""
        return self._jobs.get(run)

    def working(self) -> list[Job]:
        """Return the jobs that wait or work."""
        return list(self._jobs.values())

    def cancel(self, run: str) -> None:
        """End a job at once; what it finished before stays as it is."""
        job = self._jobs.get(run)
        if job is None:
            return
        job.is_cancelled = True
        if job.process is not None:
            _kill(job.process)
        elif job.task is not None:
            job.task.cancel()

    async def close(self) -> None:
        """End all jobs."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for run in list(self._jobs):
            self.cancel(run)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def watch(self, run: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the state of a run whenever it changes, and from time to time; the last one is how it ended."""
        while (job := self._jobs.get(run)) is not None:
            changed = job.changed
            state = RUNNING if job.process else "waiting"
            yield {"state": state, "step": job.step, "notes": job.notes, "finished": job.finished}
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), BEAT)
        entry = self._project.index.run(run)
        if entry is not None:
            yield {"state": entry.state, "message": entry.message}

    async def _work(self, job: Job) -> None:
        index = self._project.index
        try:
            async with self._slots:
                if not job.is_cancelled:
                    index.set_state(job.run, RUNNING)
                    await self._in_process(job)
                index.set_state(job.run, *self._outcome(job))
        except asyncio.CancelledError:
            index.set_state(job.run, CANCELLED, "cancelled before it began")
        except OSError as error:
            index.set_state(job.run, FAILED, f"the process could not be started: {error.strerror or error}")
        except Exception as error:  # noqa: BLE001 (a run that nobody works on must not be called running)
            index.set_state(job.run, FAILED, f"a fault of crake's own, {type(error).__name__}; run it again")
        finally:
            del self._jobs[job.run]
            job.tell()

    async def _in_process(self, job: Job) -> None:
        folder = self._project.run_folder(job.run)
        job.process = await asyncio.create_subprocess_exec(
            *self._command, str(folder), str(self._megabytes),
            stdin=asyncio.subprocess.PIPE,  # its end is the worker's end
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=self._project.start,
            env={**os.environ, **SETTINGS},
            start_new_session=True,
            limit=LONGEST_LINE,
        )  # fmt: skip
        job.tell()
        try:
            assert job.process.stdout is not None  # noqa: S101 (asked for)
            async for line in job.process.stdout:
                self._heard(job, line)
            await job.process.wait()
        finally:
            _kill(job.process)
            await job.process.wait()

    def _heard(self, job: Job, line: bytes) -> None:
        try:
            document = json.loads(line)
        except ValueError:
            return
        if "note" in document:
            job.notes.append(document["note"])
        elif "finished" in document:
            job.finished.append(document["finished"])
        elif "error" in document:
            job.error = document["error"]
        else:
            job.step = document
        job.tell()

    def _outcome(self, job: Job) -> tuple[str, str]:
        if job.is_cancelled:
            return CANCELLED, "cancelled"
        code = None if job.process is None else job.process.returncode
        if self._project.has_result(job.run):
            return DONE, ""
        if job.error:
            return FAILED, job.error
        if code is not None and code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return FAILED, f"its process was ended by {name}; the machine may have run out of memory"
        return FAILED, f"its process ended with code {code} and left no result"


def _kill(process: asyncio.subprocess.Process) -> None:
    """End a worker and whatever it started."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
