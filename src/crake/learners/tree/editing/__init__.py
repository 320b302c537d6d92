"""Trees changed by hand: a node made a leaf, or given another split below which the learner grows anew."""
