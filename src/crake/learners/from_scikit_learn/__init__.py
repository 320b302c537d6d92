"""Models of scikit-learn turned into crake's: the same predictions, with workings, drawings, safe files and exports."""

from crake.learners.from_scikit_learn.convert import from_sklearn

__all__ = ["from_sklearn"]
