"""Estimators: scikit-learn classifiers that read tables as they are."""
