"""Run an experiment in child processes that are killed with SIGKILL at chance moments, until one gets through.

python killed.py FILE SEED: prints how many were killed, and then the CSV of the result.
The children are forked from here, so that what is heavy is imported once.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time

from crake.evaluation.experiment import Experiment
from crake.evaluation.protocol.timing import warm

MOST = 40


def experiment() -> Experiment:
    return Experiment(["golf", "iris"], ["majority", "1r", "naive-bayes"], repeats=4)


def child(path: str, told: int) -> int:
    pid = os.fork()
    if pid == 0:
        experiment().run(path, progress=lambda _, done, total: os.write(told, b"."))
        os._exit(0)
    return pid


def main(path: str, seed: int) -> None:
    warm()
    chance = random.Random(seed)
    killed = 0
    for attempt in range(MOST):
        read, write = os.pipe()
        pid = child(path, write)
        os.close(write)
        # The first ones die while the file is made, the others a little after a cell was written.
        if attempt < 4:
            time.sleep(chance.uniform(0, 0.08))
        else:
            for _ in range(chance.randint(1, 5)):
                os.read(read, 1)
            time.sleep(chance.uniform(0, 0.02))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(read)
        if not os.WIFSIGNALED(status):
            break
        killed += 1
    result = experiment().run(path)
    sys.stdout.write(f"{killed}\n{result.to_csv()}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
