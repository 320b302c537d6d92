"""The learners that a request names: set, compared, imported, or chosen by a comparison."""
