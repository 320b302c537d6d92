"""crake: a classification workbench for tables.

Public names are loaded when they are first used, so that `import crake` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from crake import bayes, criteria
    from crake.errors import CrakeError, CrakeWarning
    from crake.evaluation.compare import Comparison, compare
    from crake.evaluation.evaluate import evaluate
    from crake.evaluation.experiment import Experiment, ExperimentResult
    from crake.evaluation.result.classification import Evaluation
    from crake.evaluation.result.regression import NumberEvaluation
    from crake.evaluation.studies.learning_curve import complexity_curve, learning_curve
    from crake.evaluation.studies.tree_stability import tree_stability
    from crake.learners.discretize import Discretizer
    from crake.learners.linear import LinearRegressor
    from crake.learners.logistic import LogisticClassifier
    from crake.learners.majority.learner import MajorityClassifier
    from crake.learners.meta.calibrate import Calibrated
    from crake.learners.meta.cutoff import WithCutoff
    from crake.learners.meta.tune import Tuned
    from crake.learners.naive_bayes import NaiveBayesClassifier
    from crake.learners.naive_bayes.drift import drift
    from crake.learners.neighbors import NeighborsClassifier, NeighborsRegressor
    from crake.learners.one_rule import OneRuleClassifier
    from crake.learners.pictures.boundaries import decision_boundaries
    from crake.learners.svm import SVMClassifier
    from crake.learners.tree.algorithms.c45 import C45Classifier
    from crake.learners.tree.algorithms.cart import CARTClassifier
    from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
    from crake.learners.tree.algorithms.id3 import ID3Classifier
    from crake.learners.tree.algorithms.stump import DecisionStump
    from crake.learners.tree.chaid.learner import CHAIDClassifier
    from crake.metrics.cost.matrix import CostMatrix
    from crake.modelfile import load, save
    from crake.plans import (
        Bootstrap,
        CrossValidation,
        GivenFolds,
        GroupedCrossValidation,
        HashedFolds,
        Holdout,
        LeaveOneOut,
        RandomSubsampling,
        Resubstitution,
        TimeOrdered,
    )
    from crake.table.formats.arff.writer import write_arff
    from crake.table.formats.csv.writer import write_csv
    from crake.table.read import read
    from crake.table.table import Table

_HOME = {
    "Bootstrap": "crake.plans",
    "C45Classifier": "crake.learners.tree.algorithms.c45",
    "CARTClassifier": "crake.learners.tree.algorithms.cart",
    "CARTRegressor": "crake.learners.tree.algorithms.cart_regressor",
    "CHAIDClassifier": "crake.learners.tree.chaid.learner",
    "Calibrated": "crake.learners.meta.calibrate",
    "Comparison": "crake.evaluation.compare",
    "CostMatrix": "crake.metrics.cost.matrix",
    "CrakeError": "crake.errors",
    "CrakeWarning": "crake.errors",
    "CrossValidation": "crake.plans",
    "DecisionStump": "crake.learners.tree.algorithms.stump",
    "Discretizer": "crake.learners.discretize",
    "Evaluation": "crake.evaluation.result.classification",
    "Experiment": "crake.evaluation.experiment",
    "ExperimentResult": "crake.evaluation.experiment",
    "GivenFolds": "crake.plans",
    "GroupedCrossValidation": "crake.plans",
    "HashedFolds": "crake.plans",
    "Holdout": "crake.plans",
    "ID3Classifier": "crake.learners.tree.algorithms.id3",
    "LeaveOneOut": "crake.plans",
    "LinearRegressor": "crake.learners.linear",
    "LogisticClassifier": "crake.learners.logistic",
    "MajorityClassifier": "crake.learners.majority.learner",
    "NaiveBayesClassifier": "crake.learners.naive_bayes",
    "NeighborsClassifier": "crake.learners.neighbors",
    "NeighborsRegressor": "crake.learners.neighbors",
    "NumberEvaluation": "crake.evaluation.result.regression",
    "OneRuleClassifier": "crake.learners.one_rule",
    "RandomSubsampling": "crake.plans",
    "Resubstitution": "crake.plans",
    "SVMClassifier": "crake.learners.svm",
    "Table": "crake.table.table",
    "TimeOrdered": "crake.plans",
    "Tuned": "crake.learners.meta.tune",
    "WithCutoff": "crake.learners.meta.cutoff",
    "bayes": "crake",
    "compare": "crake.evaluation.compare",
    "complexity_curve": "crake.evaluation.studies.learning_curve",
    "criteria": "crake",
    "decision_boundaries": "crake.learners.pictures.boundaries",
    "drift": "crake.learners.naive_bayes.drift",
    "evaluate": "crake.evaluation.evaluate",
    "learning_curve": "crake.evaluation.studies.learning_curve",
    "load": "crake.modelfile",
    "read": "crake.table.read",
    "save": "crake.modelfile",
    "tree_stability": "crake.evaluation.studies.tree_stability",
    "write_arff": "crake.table.formats.arff.writer",
    "write_csv": "crake.table.formats.csv.writer",
}

__all__ = [
    "Bootstrap",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "Calibrated",
    "Comparison",
    "CostMatrix",
    "CrakeError",
    "CrakeWarning",
    "CrossValidation",
    "DecisionStump",
    "Discretizer",
    "Evaluation",
    "Experiment",
    "ExperimentResult",
    "GivenFolds",
    "GroupedCrossValidation",
    "HashedFolds",
    "Holdout",
    "ID3Classifier",
    "LeaveOneOut",
    "LinearRegressor",
    "LogisticClassifier",
    "MajorityClassifier",
    "NaiveBayesClassifier",
    "NeighborsClassifier",
    "NeighborsRegressor",
    "NumberEvaluation",
    "OneRuleClassifier",
    "RandomSubsampling",
    "Resubstitution",
    "SVMClassifier",
    "Table",
    "TimeOrdered",
    "Tuned",
    "WithCutoff",
    "__version__",
    "bayes",
    "compare",
    "complexity_curve",
    "criteria",
    "decision_boundaries",
    "drift",
    "evaluate",
    "learning_curve",
    "load",
    "read",
    "save",
    "tree_stability",
    "write_arff",
    "write_csv",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'crake' has no attribute {name!r}")
    home = import_module(_HOME[name] if _HOME[name] != "crake" else f"crake.{name}")
    value = home if _HOME[name] == "crake" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
