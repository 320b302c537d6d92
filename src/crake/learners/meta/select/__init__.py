"""Attribute selection: which columns are worth learning from."""

from crake.learners.meta.select.learner import Selected
from crake.learners.meta.select.regressor import SelectedRegressor
from crake.learners.meta.select.transformer import Select

__all__ = ["Select", "Selected", "SelectedRegressor"]
