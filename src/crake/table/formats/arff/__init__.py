"""ARFF, the format of WEKA."""
