"""Naive Bayes of chosen columns: one after the other, as long as leaving one row out says that it helps."""
