"""Rows that a tree gets wrong."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.predicting.routing import Cases, leaves_of_training, mixed_predictions
from crake.learners.tree.tree import Tree


def wrong_rows(tree: Tree, rows: Training) -> Floats:
    """Return 1 where a row's class is not the most probable one, else 0."""
    answers = leaf_probabilities(tree, laplace=False)
    if len(tree.surrogates):
        mixed = answers[leaves_of_training(tree, rows)]
    else:
        mixed = mixed_predictions(tree, Cases.of_training(rows), answers)
    wrong: Floats = (np.argmax(mixed, axis=1) != rows.target).astype(np.float64)
    return wrong
