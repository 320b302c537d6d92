"""Rule learners: lists of rules of which the first that holds decides."""
