"""RIPPER: rules grown, pruned and optimised by their description length."""
