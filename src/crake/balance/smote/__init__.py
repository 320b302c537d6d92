"""SMOTE: new rows of a class on the lines between its rows and their neighbours."""

from crake.balance.smote.sampler import SMOTE

__all__ = ["SMOTE"]
