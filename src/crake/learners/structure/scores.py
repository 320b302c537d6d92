"""Scores of a family, a column with its parents: how well the parents tell the column, less what they cost."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from crake.arrays import Floats

CRITERIA = ("bdeu", "bic", "mdl", "aic", "k2", "bayes", "entropy")
SMALLEST = 1e-300
"""The least pseudo-count of a prior: the gamma function of less is infinite."""
LEAST = float(np.finfo(np.float64).smallest_subnormal)


def node_scores(counts: Floats, criterion: str, rows: float, sample_size: float = 1.0) -> Floats:
    """Return the scores of columns with counts (columns, parent configurations j, values k). Larger is better.

    For q configurations, r values and N rows, with n_j = Σ_k n_jk:

    entropy : Σ n_jk · ln(n_jk/n_j), the log likelihood; conditional mutual information is a difference of two;
    mdl, bic : less ½·q·(r − 1)·ln N; aic : less q·(r − 1); N is at least 1, also where all weights together are less;
    k2, bayes, bdeu : Σ_j [Σ_k lnΓ(a + n_jk) − lnΓ(b + n_j) − r·lnΓ(a) + lnΓ(b)], the log probability of the column
        under a Dirichlet prior of a for each value, b = r·a: k2 has a = 1 (Cooper and Herskovits), bayes a = ½ (as
        WEKA), and bdeu a = s/(r·q) for a sample size s that all families share.

    >>> node_scores(np.array([[[2.0, 2.0], [0.0, 3.0]]]), "entropy", 7) / np.log(2)
    array([-4.])
    >>> np.exp(node_scores(np.array([[[2.0, 1.0]]]), "k2", 3))  # 1!·2!·1!/4!
    array([0.08333333])

    Terms are added one by one, configuration by configuration: equal scores up to rounding are common, and the order
    of the sum then decides. So it is WEKA's.
    """
    size, configurations, values = (int(n) for n in counts.shape)
    known = counts.sum(axis=2, keepdims=True)
    if (prior := dirichlet(criterion, configurations, values, sample_size)) is not None:
        own, all_ = prior
        constants = np.tile([-values * gammaln(own), gammaln(all_)], (size, configurations, 1))
        return _running_sums(np.concatenate([gammaln(own + counts), -gammaln(all_ + known), constants], axis=2))
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        shares = np.maximum(counts / known, LEAST)  # of weights that lie far apart the share may be 0
        entropy = _running_sums(np.where(counts > 0, counts * np.log(shares), 0.0))
    return entropy - penalty(criterion, configurations, values, rows)


def sparse_score(
    cells: Floats, known: Floats, shape: tuple[int, int], criterion: str, rows: float, sample_size: float = 1.0
) -> float:
    """Return the score of one column of `shape` (q, r) from the counts that are not 0.

    `cells` are the n_jk, and `known` the n_j that each of them is a part of.

    >>> float(sparse_score(np.array([2.0, 2.0, 3.0]), np.array([4.0, 4.0, 3.0]), (2, 2), "entropy", 7) / np.log(2))
    -4.0
    """
    configurations, values = shape
    if (prior := dirichlet(criterion, configurations, values, sample_size)) is None:
        entropy = float(np.sum(cells * np.log(np.maximum(cells / known, LEAST))))
        return entropy - penalty(criterion, configurations, values, rows)
    own, all_ = prior
    # The cells of a configuration add up to its count, so each has its share of the configuration's term.
    of_configuration = (gammaln(all_) - gammaln(all_ + known)) * (cells / known)
    return float(np.sum(gammaln(own + cells) - gammaln(own)) + np.sum(of_configuration))


def dirichlet(criterion: str, configurations: int, values: int, sample_size: float) -> tuple[float, float] | None:
    """Return what a prior adds to each count and to the count of a configuration; None if the score has no prior.

    >>> dirichlet("k2", 4, 3, 1.0), dirichlet("bdeu", 2, 5, 10.0), dirichlet("aic", 4, 3, 1.0)
    ((1.0, 3.0), (1.0, 5.0), None)
    """
    if criterion == "bdeu":
        return max(SMALLEST, sample_size / (values * configurations)), max(SMALLEST, sample_size / configurations)
    if criterion in {"k2", "bayes"}:
        own = 1.0 if criterion == "k2" else 0.5
        return own, values * own
    return None


def penalty(criterion: str, configurations: int, values: int, rows: float) -> float:
    """Return what the free probabilities of a family cost.

    >>> penalty("aic", 4, 3, 100), round(penalty("bic", 4, 3, 100), 4), penalty("entropy", 4, 3, 100)
    (8.0, 18.4207, 0.0)
    """
    free = configurations * (values - 1)
    if criterion in {"mdl", "bic"}:
        return 0.5 * free * math.log(max(rows, 1.0))
    return float(free) if criterion == "aic" else 0.0


def _running_sums(terms: Floats) -> Floats:
    """Return the sum of each entry of the first axis, its terms added one by one."""
    flat = terms.reshape(len(terms), -1)
    sums: Floats = np.add.accumulate(flat, axis=1)[:, -1] if flat.shape[1] else np.zeros(len(flat))
    return sums
