"""Drawings as SVG, from small dataclasses: trees, nomograms, coefficients, rules, curves, matrices, histograms."""
