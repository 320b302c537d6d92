"""Pictures of any learner: decision boundaries and nomograms."""
