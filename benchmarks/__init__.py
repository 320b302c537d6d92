"""crake beside its peers in one run, as ratios. `make bench` runs all; docs/benchmarks.md records them."""
