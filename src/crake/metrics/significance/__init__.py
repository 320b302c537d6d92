"""Is the difference between two classifiers more than chance?"""
