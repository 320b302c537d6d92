"""Reports built from results: leaderboards, cutoff panels, worked rows."""
