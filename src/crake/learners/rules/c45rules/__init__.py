"""C4.5rules: the paths of a C4.5 tree, generalised, chosen and ordered."""
