"""Comparisons of several learners: the criterion, the standings, the paired tests."""
