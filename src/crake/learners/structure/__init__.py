"""Structure learning: which columns are parents of which, by scores of counted families."""
