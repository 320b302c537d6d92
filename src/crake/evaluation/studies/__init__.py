"""Studies of a learner over rows, parameters or folds."""
