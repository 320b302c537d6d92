"""Pictures of evaluations and comparisons: curves, calibration, confusion matrices, learning curves."""

from crake.evaluation.drawing.draw import draw_comparison, draw_evaluation
from crake.evaluation.drawing.learning_curve import draw_learning

__all__ = ["draw_comparison", "draw_evaluation", "draw_learning"]
