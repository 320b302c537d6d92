"""From rows to coefficients: which terms are free, which way to the maximum, and whether there is one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.foreseen import refuse_too_large, warn_of_long
from crake.learners.encoding import Design, term_deviations
from crake.learners.encoding.normal_equations import cholesky_solve, estimable
from crake.learners.logistic.bounds import Bounds
from crake.learners.logistic.conjugate_gradients import LargeObjective
from crake.learners.logistic.firth import firth
from crake.learners.logistic.fisher import Fit, Objective, fisher_scoring
from crake.learners.logistic.gradient_ascent import gradient_ascent
from crake.learners.logistic.likelihood import Likelihood, Point
from crake.learners.logistic.partitions import likelihood_of
from crake.learners.logistic.sample import start_from_sample
from crake.learners.logistic.separation import Separation, by_linear_program, described, empty_cells, separates
from crake.statistics import ClassCounts, ClassMoments, Statistics
from crake.statistics.gather import Batches
from crake.table.schema import Schema

MOST_COEFFICIENTS = 3000
"""Coefficients up to which their information matrix is made, for standard errors: 72 MB."""
MOST_DIRECT = 1000
"""Coefficients up to which Newton's equations are solved directly, at a cost of their number cubed."""
MANY = 2_000_000
"""Coefficients from which a fit is announced to take long; of two classes 1.2 million take 20 s."""
BYTES = 220
"""Memory that a fit takes per coefficient of many: the vectors of conjugate gradients, the terms, the levels."""
PATIENCE = 7
"""Iterations after which it is asked whether there is a maximum at all; a fit that has one seldom takes more."""
MORE_PATIENCE = 15
"""Iterations after which a linear program is asked. By then the steps themselves mostly point where the classes are
separated: what else they hold vanishes quadratically."""
SEPARATED_STRENGTH = 1e-4
"""The ridge under which separated classes are fitted, for the likelihood alone has no maximum.

Of very heavy rows it is a 10^12th of their weight: less would be lost in rounding.
"""
EMPTY_BASE = 1e-10
"""The ridge on intercepts, per row, against a base class without rows: its probability ends below 1e-8."""

FLAT = ("singular", "no step helps")
"""Ends of Fisher scoring where rounding is larger than what is left to gain."""


@dataclass(frozen=True)
class Settings:
    """The settings of the learner."""

    penalty: str | None
    strength: float
    solver: str
    learning_rate: float | None
    tol: float
    max_iter: int


@dataclass(frozen=True)
class Model:
    """Coefficients of standardised terms (terms, outputs) and covariances (outputs, terms, terms), or why none."""

    fit: Fit
    free: NDArray[np.bool_]
    separation: Separation | None
    covariance: Floats | None
    refusal: str
    extent: Floats | None = None


def fitted(rows: Batches, statistics: Statistics, design: Design, role: NDArray[np.int32], settings: Settings) -> Model:
    """Return the model that was asked for, or, where the likelihood has no maximum, the one with a slight ridge."""
    _refuse_too_many(len(design), int(role.max()), design.schema)
    extent = _extent(statistics[ClassMoments])
    bounds = Bounds(design, float(statistics[ClassCounts].counts.sum()), _reach(design, extent))
    model = _fitted(likelihood_of(rows, design, role, bounds), statistics, settings)
    return replace(model, extent=extent)


def _extent(moments: ClassMoments) -> Floats:
    """Return the least and the largest value (2, columns) of each number; 0 of a column without values."""
    low, high = moments.extent[0].min(axis=(0, 1)), moments.extent[1].max(axis=(0, 1))
    extent: Floats = np.where(low <= high, np.stack([low, high]), 0.0)
    return extent


def _reach(design: Design, extent: Floats) -> float:
    """Return the largest |standardised number|."""
    use = design.arrays
    with np.errstate(all="ignore"):
        ends = ((extent * use.unit - use.centre) - use.rest) * use.scale
    return float(np.nan_to_num(np.abs(ends)).max(initial=0.0))


def _refuse_too_many(terms: int, outputs: int, schema: Schema) -> None:
    """Raise if the coefficients do not fit into memory; warn if their number makes a fit long."""
    size = terms * outputs
    of = f"logistic regression of {terms:,} terms × {outputs:,} classes ({size:,} coefficients)"
    refuse_too_large(BYTES * size, of, schema)
    if size > MANY:
        warn_of_long(of, schema)


def _varying(design: Design, deviation: Floats, settings: Settings) -> NDArray[np.bool_]:
    """Return True for the terms whose coefficients may be free, before collinear ones are taken out.

    A level that every row has is the intercept once more, and the ridge on it, in units of its deviation, is 0.
    """
    if settings.penalty != "ridge":
        return ~design.is_constant
    varies: NDArray[np.bool_] = (deviation > 0) | np.array([term.is_intercept for term in design.terms])
    return varies & ~design.is_constant


def _fitted(likelihood: Likelihood, statistics: Statistics, settings: Settings) -> Model:
    rows, design, role = likelihood.rows, likelihood.design, likelihood.role
    deviation = term_deviations(design, statistics)
    start = _start(statistics, design, role)
    size = len(design) * likelihood.outputs
    is_large = size > MOST_DIRECT
    ridge = _ridge(statistics, design, role, deviation, settings)
    free, first = _varying(design, deviation, settings), None
    if not is_large:
        start = start_from_sample(likelihood, start, deviation)
        first = likelihood.at(start, information=True)
        if settings.penalty != "ridge":
            # The weights P·(1 − P) are positive, so X'WX has the rank of X.
            free &= estimable(first.information[: len(design), : len(design)], design.order)
            start = np.where(free[:, None], start, 0.0)
            first = first if free[~design.is_constant].all() else None
    elif settings.penalty != "ridge" and len(design) <= MOST_COEFFICIENTS:
        free &= estimable(_of_two_classes(likelihood), design.order)
        start = np.where(free[:, None], start, 0.0)
    objective = (LargeObjective if is_large else Objective)(likelihood, free, ridge)
    if settings.penalty == "firth" and size > MOST_COEFFICIENTS:
        raise CrakeError(
            f"{len(design)} terms × {likelihood.outputs} outputs are too many for penalty='firth', which needs the "
            f"information matrix: at most {MOST_COEFFICIENTS} coefficients; take penalty='ridge'"
        )
    if settings.penalty == "firth":
        fit = firth(Objective(likelihood, free, ridge), start, settings.tol, settings.max_iter)
        return Model(fit, free, None, None, "the penalty moves the coefficients: Firth's estimates have no Wald errors")
    separation = empty_cells(statistics, design, role) if settings.penalty is None else None
    if separation is None:
        fit, separation = _unhindered(objective, design, start, first, deviation, settings)
    if separation is not None:
        slight = _slightly_penalised(objective, statistics, start, deviation, settings)
        if not separation.complete and separates(likelihood, slight.coefficient):
            complete = True
            whole = described(complete, slight.coefficient, design, rows, role, deviation)
            separation = replace(whole, how=(*separation.how, *whole.how))
        return Model(slight, free, separation, None, str(separation))
    if settings.penalty is None and fit.stopped in FLAT:
        slight = _slightly_penalised(objective, statistics, start, deviation, settings)
        return Model(slight, free, None, None, "the likelihood is too flat for a maximum; a slight ridge was added")
    return _with_errors(Objective(likelihood, free, ridge), fit, settings, is_large=size > MOST_COEFFICIENTS)


def _of_two_classes(likelihood: Likelihood) -> Floats:
    """Return the information of the base class against all others, which has the rank of the rows' terms."""
    rows, design, bounds = likelihood.rows, likelihood.design, likelihood.bounds
    two = likelihood_of(rows, design, np.minimum(likelihood.role, 1), bounds)
    return two.at(np.zeros((len(design), 1)), information=True).information


def _ridge(
    statistics: Statistics, design: Design, role: NDArray[np.int32], deviation: Floats, settings: Settings
) -> Floats:
    """Return the ridge of each term; of intercepts only where all of them would go to infinity together."""
    if settings.penalty != "ridge":
        return np.zeros(len(design))
    ridge: Floats = settings.strength * deviation**2
    counts = statistics[ClassCounts].counts.sum(axis=0)
    if counts[role == 0][0] <= 0:
        ridge[design.numbers] = EMPTY_BASE * counts.sum()
    return ridge


def _start(statistics: Statistics, design: Design, role: NDArray[np.int32]) -> Floats:
    """Return the maximum without columns: the intercepts are log(n_k / n_base)."""
    counts = statistics[ClassCounts].counts.sum(axis=0)
    start = np.zeros((len(design), int(role.max())))
    # A base class without rows starts like one with a row, or like the lightest class.
    base = float(counts[role == 0][0]) or min(1.0, float(counts[counts > 0].min(initial=1.0)))
    for k in np.flatnonzero(role > 0):
        start[design.numbers, role[k] - 1] = np.log(counts[k]) - np.log(base)
    return start


def _unhindered(
    objective: Objective, design: Design, start: Floats, first: Point | None, deviation: Floats, settings: Settings
) -> tuple[Fit, Separation | None]:
    """Return the fit, and what was found to separate the classes while it was sought."""
    likelihood = objective.likelihood
    if settings.solver == "gradient":
        return gradient_ascent(objective, design, settings.learning_rate, settings.tol, settings.max_iter), None
    if settings.penalty == "ridge":
        return fisher_scoring(objective, start, settings.tol, settings.max_iter, first=first), None
    watch = _Watch(objective)
    fit = fisher_scoring(objective, start, settings.tol, settings.max_iter, watch, first)
    if not fit.converged and watch.found is None:
        watch.found = by_linear_program(objective)
    if watch.found is None:
        return fit, None
    return fit, described(*watch.found, design, likelihood.rows, likelihood.role, deviation)


class _Watch:
    """Looks out for separation while Fisher scoring is under way."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.found: tuple[bool, Floats] | None = None
        self.asked = False

    def __call__(self, iteration: int, point: Point, coefficient: Floats, step: Floats) -> str:
        low, high = point.margins
        if low > 1e-6 * high > 0:
            self.found = (True, coefficient)
        elif iteration >= PATIENCE:
            apart = separates(self.objective.likelihood, step)
            if apart is not None:
                self.found = (apart, step)
            elif iteration >= MORE_PATIENCE and not self.asked:
                self.found, self.asked = by_linear_program(self.objective), True
        return "separated" if self.found is not None else ""


def _slightly_penalised(
    objective: Objective, statistics: Statistics, start: Floats, deviation: Floats, settings: Settings
) -> Fit:
    """Return the fit under a ridge so slight that it only matters where the likelihood alone would go on for ever."""
    heavy = float(statistics[ClassCounts].counts.sum()) * 1e-12
    slight = replace(objective, penalty=max(SEPARATED_STRENGTH, heavy) * deviation**2)
    return fisher_scoring(slight, start, settings.tol, max(100, settings.max_iter))


def _with_errors(objective: Objective, fit: Fit, settings: Settings, *, is_large: bool) -> Model:
    refusal = ""
    if settings.penalty == "ridge":
        refusal = "the penalty moves the coefficients towards 0, and standard errors would not say how far"
    elif not fit.converged:
        refusal = f"not converged: {fit.stopped}"
    elif is_large:
        refusal = f"more than {MOST_COEFFICIENTS} coefficients: their information matrix is not made"
    if refusal:
        return Model(fit, objective.free, None, None, refusal)
    information = fit.information
    if not information.size:
        information = objective.information(objective.likelihood.at(fit.coefficient, information=True))
    inverse = cholesky_solve(information, np.eye(len(information)))
    if inverse is None:
        return Model(fit, objective.free, None, None, "the information matrix is singular")
    return Model(fit, objective.free, None, _by_output(inverse, objective), "")


def _by_output(inverse: Floats, objective: Objective) -> Floats:
    """Return the covariances of each output's coefficients, 0 for those that are not free."""
    M, free = objective.likelihood.outputs, np.flatnonzero(objective.free)
    blocks = inverse.reshape(M, len(free), M, len(free))
    covariance = np.zeros((M, len(objective.free), len(objective.free)))
    for k in range(M):
        covariance[k][np.ix_(free, free)] = blocks[k, :, k]
    return covariance
