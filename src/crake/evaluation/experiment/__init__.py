"""Experiments: tables × learners × repeats, in one file that a killed run goes on from."""

from __future__ import annotations

from crake.evaluation.experiment.experiment import Experiment
from crake.evaluation.experiment.result import ExperimentResult

__all__ = ["Experiment", "ExperimentResult"]
