"""Dependence of two columns: mutual information, the correlation ratio, rank correlation."""
