"""crake beside its peers, side by side in one run, as ratios. `make bench` runs all; docs/benchmarks.md records them."""
