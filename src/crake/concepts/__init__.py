"""Learning as a choice among hypotheses, worked step by step: version spaces, MAP, Bayes-optimal, Gibbs, MDL."""

from crake.concepts.description_length import minimum_description_length
from crake.concepts.hypotheses import bayes_optimal, brute_force_map, gibbs
from crake.concepts.version_space import VersionSpace, candidate_elimination

__all__ = [
    "VersionSpace",
    "bayes_optimal",
    "brute_force_map",
    "candidate_elimination",
    "gibbs",
    "minimum_description_length",
]
