"""Maximum likelihood by Newton's method with 50 decimal digits: slow, obvious, and right."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, getcontext, localcontext

DIGITS = 50
Matrix = list[list[Decimal]]


def maximum_likelihood(
    X: Sequence[Sequence[float]], role: Sequence[int], outputs: int, ridge: Sequence[float] | None = None
) -> tuple[list[list[float]], list[list[float]], float]:
    """Coefficients and standard errors (outputs, terms) and the log-likelihood; role 0 is the base class.

    Σ log P − Σ ridge·β² is maximised, P_k ∝ exp(x·β_k), β_0 = 0. The numbers of X count as the floats they are.
    """
    with localcontext() as context:
        context.prec = DIGITS + 20
        rows = [[Decimal(v) for v in row] for row in X]
        P = len(rows[0])
        pull = [Decimal(v) for v in (ridge or [0.0] * P)] * outputs
        beta = [Decimal(0)] * (P * outputs)
        for _ in range(200):
            gradient, information, value = _derivatives(rows, role, outputs, beta)
            for i in range(P * outputs):
                gradient[i] -= 2 * pull[i] * beta[i]
                information[i][i] += 2 * pull[i]
            step = _solved(information, [[g] for g in gradient])
            size = Decimal(1)
            # Far from the maximum a whole step may do harm.
            while size > Decimal("1e-9"):
                moved = [b + size * s[0] for b, s in zip(beta, step, strict=True)]
                if _value(rows, role, outputs, moved, pull) >= value - sum(
                    (q * b * b for q, b in zip(pull, beta, strict=True)), Decimal(0)
                ):
                    break
                size /= 2
            beta = moved
            if max(abs(s[0]) for s in step) < Decimal(10) ** -DIGITS:
                break
        else:
            raise AssertionError("no maximum was found")
        _, information, value = _derivatives(rows, role, outputs, beta)
        identity = [[Decimal(int(i == j)) for j in range(P * outputs)] for i in range(P * outputs)]
        covariance = _solved(information, identity)
        errors = [covariance[i][i].sqrt() for i in range(P * outputs)]
        return (
            [[float(beta[k * P + j]) for j in range(P)] for k in range(outputs)],
            [[float(errors[k * P + j]) for j in range(P)] for k in range(outputs)],
            float(value),
        )


def _shares(row: list[Decimal], outputs: int, beta: list[Decimal]) -> list[Decimal]:
    P = len(row)
    e = [Decimal(1)]
    e += [sum((x * beta[k * P + j] for j, x in enumerate(row)), Decimal(0)).exp() for k in range(outputs)]
    return [each / sum(e) for each in e]


def _value(rows: Matrix, role: Sequence[int], outputs: int, beta: list[Decimal], pull: list[Decimal]) -> Decimal:
    logs = (_shares(row, outputs, beta)[own].ln() for row, own in zip(rows, role, strict=True))
    return sum(logs, Decimal(0)) - sum((q * b * b for q, b in zip(pull, beta, strict=True)), Decimal(0))


def _derivatives(
    rows: Matrix, role: Sequence[int], outputs: int, beta: list[Decimal]
) -> tuple[list[Decimal], Matrix, Decimal]:
    P, size = len(rows[0]), len(beta)
    gradient, information = [Decimal(0)] * size, [[Decimal(0)] * size for _ in range(size)]
    value = Decimal(0)
    for row, own in zip(rows, role, strict=True):
        p = _shares(row, outputs, beta)
        value += p[own].ln()
        for a in range(outputs):
            for i in range(P):
                gradient[a * P + i] += row[i] * (int(own == a + 1) - p[a + 1])
                for b in range(outputs):
                    v = p[a + 1] * (int(a == b) - p[b + 1])
                    for j in range(P):
                        information[a * P + i][b * P + j] += v * row[i] * row[j]
    return gradient, information, value


def _solved(matrix: Matrix, right: Matrix) -> Matrix:
    """Gauss's elimination with exchanges."""
    n = len(matrix)
    rows = [[*line, *extra] for line, extra in zip(matrix, right, strict=True)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    assert getcontext().prec > DIGITS
    return [[cell / rows[i][i] for cell in rows[i][n:]] for i in range(n)]
