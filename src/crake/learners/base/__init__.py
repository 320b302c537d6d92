"""Base classes of all learners, and the parts they share."""
