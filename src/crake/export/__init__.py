"""Models written for other programs: one form per family of models, one file per target."""
