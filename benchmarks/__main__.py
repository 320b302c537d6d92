"""All benchmarks, one after the other: python -m benchmarks [name …]."""

from __future__ import annotations

import sys
from importlib import import_module

MODULES = {
    "naive_bayes": "learners.naive_bayes",
    "mdl": "learners.mdl",
    "startup": "programs.startup",
    "read_csv": "tables.read_csv",
    "workbook": "tables.workbook",
    "model_file": "models.model_file",
    "predict": "models.predict",
    "scan": "tables.scan",
    "postgres": "tables.postgres",
    "spark": "tables.spark",
    "spark_accuracy": "tables.spark_accuracy",
    "trees": "learners.trees",
    "logistic": "learners.logistic",
    "measures": "evaluation.measures",
    "evaluation": "evaluation.evaluation",
    "tuning": "evaluation.tuning",
    "neighbors": "learners.neighbors",
    "svm": "learners.svm",
    "explain": "models.explain",
    "levels": "evaluation.levels",
    "winners": "evaluation.winners",
    "noise": "evaluation.noise",
    "commands": "programs.commands",
    "balance": "rare_classes.balance",
    "smote": "rare_classes.smote",
    "gan": "rare_classes.gan",
    "ensembles": "learners.ensembles",
    "ensemble_memory": "learners.ensemble_memory",
    "bayes": "bayes",
    "boosting": "learners.boosting",
    "networks": "bayes.networks",
    "scanned_trees": "learners.scanned_trees",
    "scanned_boosting": "learners.scanned_boosting",
    "serve": "programs.serve",
    "kills": "programs.kills",
    "app": "programs.app",
    "export": "models.export",
}
"""The module of each benchmark, in the order in which `make bench` runs them."""


def main() -> None:
    names = sys.argv[1:] or list(MODULES)
    if unknown := set(names).difference(MODULES):
        sys.exit(f"expected names of benchmarks, got {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
    sys.argv = sys.argv[:1]
    for name in names:
        print(f"\n{name}")
        import_module(f"benchmarks.{MODULES[name]}").main()


main()
