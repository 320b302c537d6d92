"""Calibration: probabilities that say how often they are right."""

from crake.learners.meta.calibrate.learner import Calibrated

__all__ = ["Calibrated"]
