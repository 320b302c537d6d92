"""The majority class, the baseline of every comparison."""
