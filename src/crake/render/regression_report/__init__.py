"""The report on a regressor: as data, and its renderings."""
