"""Calibration: probabilities that say how often they are right."""

from crake.learners.calibrate.learner import Calibrated

__all__ = ["Calibrated"]
