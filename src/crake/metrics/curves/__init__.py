"""Curves of a ranking: ROC, recall and precision, lift, cost; averaged over folds; thinned for drawing."""
