"""The process of one run: it reads a request, works, tells its progress, and leaves result, report and model.

`python -m crake.app.worker FOLDER MEGABYTES`; FOLDER holds `request.json`. Standard output has one JSON object a line.
The process ends when its standard input does: the app that started it has ended.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from crake.errors import CrakeError
from crake.files import replace_file
from crake.workbench.progress import Progress

INTERVAL = 0.05
"""Seconds between two lines about the progress."""
REFUSED, FAULT = 2, 3


class Lines(Progress):
    """Progress as lines of JSON."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._last = 0.0
        self.steps = _Steps(self)

    def send(self, document: dict[str, Any]) -> None:
        """Write one line."""
        os.write(self._file, json.dumps(document).encode() + b"\n")

    def note(self, text: str) -> None:
        """Write a note."""
        self.send({"note": text})

    def step(self, text: str, done: int, total: int, learner: tuple[int, int]) -> None:
        """Write how much is done, but not more often than a person can read; the end is always told."""
        if done < total and time.monotonic() - self._last < INTERVAL:
            return
        self._last = time.monotonic()
        self.send({"step": text, "done": done, "total": total, "learner": learner[0], "of": learner[1]})


class _Steps:
    """The steps of a run; a comparison tells which learner begins."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._learner = (1, 1)

    def learner(self, number: int, of: int) -> None:
        """Hear which learner of a comparison begins."""
        self._learner = (number, of)

    def finished(self, outcome: Any) -> None:
        """Tell the measure of a learner that was tested, by which the comparison will rank it."""
        self._lines.send({"finished": measured(outcome)})

    def __call__(self, text: str, done: int, total: int) -> None:
        """Tell how much is done."""
        self._lines.step(text, done, total, self._learner)


def measured(outcome: Any) -> dict[str, Any]:
    """Return the name of a learner and its measure, with the interval."""
    from crake.evaluation.comparison.choice import measured_by  # noqa: PLC0415 (after the limit is set)
    from crake.evaluation.comparison.criterion import BY_RMSE  # noqa: PLC0415
    from crake.evaluation.protocol.outcome import evaluation_of  # noqa: PLC0415
    from crake.evaluation.result.regression import NumberEvaluation  # noqa: PLC0415

    evaluation: Any = evaluation_of(outcome)
    is_number = isinstance(evaluation, NumberEvaluation)
    criterion = BY_RMSE if is_number else measured_by(evaluation, None)[1]
    estimate = criterion.measure(evaluation)
    return {"learner": evaluation.name, "measure": criterion.name, "text": str(estimate), **estimate.to_dict()}


def main(folder: Path, megabytes: int) -> int:
    """Work on the request of a folder; return the exit code."""
    lines = Lines(os.dup(1))
    os.dup2(2, 1)  # what a library prints is not a line of ours
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _limit(megabytes)
        _work(folder, lines)
    except CrakeError as error:
        lines.send({"error": str(error)})
        return REFUSED
    except MemoryError:
        lines.send({"error": f"the run needs more than {megabytes:,} MB; allow more with crake app --memory"})
        return REFUSED
    except Exception as error:  # noqa: BLE001 (the app shows the reason, and goes on)
        lines.send({"error": f"a fault of crake's own, {type(error).__name__}: {error}"})
        return FAULT
    return 0


def _work(folder: Path, lines: Lines) -> None:
    from crake.app.predictions import keep_predictions  # noqa: PLC0415 (after the limit is set)
    from crake.render.report.html import report_body  # noqa: PLC0415
    from crake.workbench.compare import CompareRequest  # noqa: PLC0415

    request = CompareRequest.from_dict(json.loads((folder / "request.json").read_text("utf-8")))
    result = request.run(lines)
    _save_models(folder, result.comparison)
    if result.comparison.table.in_memory:
        keep_predictions(folder, [standing.evaluation for standing in result.comparison.standings])
    lines.send({"step": "writing the report", "done": 1, "total": 1, "learner": 1, "of": 1})
    report = result.report()
    replace_file(folder / "report.html", report.to_html().encode("utf-8", "backslashreplace"))
    # Why the report holds no rows is of no use on the page of the run, which opens them.
    shown = replace(report, sections=tuple(part for part in report.sections if not part.data.get("without_rows")))
    replace_file(folder / "body.html", report_body(shown).encode("utf-8", "backslashreplace"))
    # The result comes last: a run that has it is done.
    document = json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)
    replace_file(folder / "result.json", document.encode("utf-8", "backslashreplace"))


def _save_models(folder: Path, comparison: Any) -> None:
    """Write every learner, fitted to all rows, to a file; those of a scan are left to the best one alone."""
    from crake.modelfile import save  # noqa: PLC0415 (after the limit is set)

    listed = []
    if comparison.table.in_memory:
        (folder / "models").mkdir(exist_ok=True)
        for place, standing in enumerate(comparison.standings):
            name = standing.evaluation.name
            file = folder / "models" / f"{place}.crake"
            save(comparison.model if place == 0 else comparison.fit(name), file)
            listed.append({"learner": name, "file": file.name})
    replace_file(folder / "models.json", json.dumps(listed).encode())


def _limit(megabytes: int) -> None:
    from crake.table.untrusted.limits import limit  # noqa: PLC0415

    limit(megabytes * 2**20, None)


def _end_with_parent() -> None:
    while os.read(0, 1):  # not sys.stdin, whose lock would be held when Python ends
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
