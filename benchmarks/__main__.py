"""All benchmarks, one after the other: python -m benchmarks [name …]."""

from __future__ import annotations

import sys
from importlib import import_module

JOURNEYS = (
    "naive_bayes", "mdl", "startup", "read_csv", "workbook", "model_file", "predict", "scan", "trees", "logistic",
    "measures", "evaluation", "tuning", "neighbors", "svm", "explain", "levels", "winners", "noise", "commands",
    "balance", "smote", "gan", "ensembles", "bayes", "boosting", "networks", "scanned_trees", "serve", "kills",
    "export",
)  # fmt: skip


def main() -> None:
    names = sys.argv[1:] or JOURNEYS
    if unknown := set(names).difference(JOURNEYS):
        sys.exit(f"expected names of benchmarks, got {', '.join(sorted(unknown))}; there are {', '.join(JOURNEYS)}")
    sys.argv = sys.argv[:1]
    for name in names:
        print(f"\n{name}")
        import_module(f"benchmarks.{name}").main()


main()
