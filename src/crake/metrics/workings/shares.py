"""Measures that are a share of rows: counts over counts, with Wilson's interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.confusion.table import printable
from crake.metrics.workings.interval import wilson_section
from crake.metrics.workings.page import matrix_section, page, terms
from crake.render.workings import Section, Step, Workings, fraction, number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crake.metrics.confusion.matrix import ConfusionMatrix
    from crake.table.schema import Label


class Share(NamedTuple):
    """A share of one class: what it says, its formula, and the outcomes (TP, FN, FP, TN) above and beside them."""

    about: str
    formula: str
    above: tuple[int, ...]
    beside: tuple[int, ...]


OUTCOMES = ("TP", "FN", "FP", "TN")
SHARES = {
    "precision": Share("of the rows called {}, those that are", "TP / (TP + FP)", (0,), (2,)),
    "recall": Share("of the rows of {}, those called so", "TP / (TP + FN)", (0,), (1,)),
    "specificity": Share("of the rows that are not {}, those not called so", "TN / (TN + FP)", (3,), (2,)),
    "prevalence": Share("of all rows, those of {}", "(TP + FN) / n", (0, 1), (2, 3)),
}


def of_all(matrix: ConfusionMatrix, name: str) -> Workings:
    """Accuracy, the diagonal over all; error, the rest over all."""
    right, wrong = (float(part) for part in matrix_measures.right_and_wrong(matrix.counts))
    part, about = (right, "rows called what they are") if name == "accuracy" else (wrong, "rows called otherwise")
    estimate = matrix.accuracy if name == "accuracy" else matrix.error
    if estimate.value is None:
        return page(name, about, [matrix_section(matrix)], estimate)
    n = right + wrong
    step = Step(
        name, f"{about} / all rows", fraction(part, n), number(estimate.value), f"{number(part)} of {number(n)}"
    )
    sections = [matrix_section(matrix), Section("Share", (*_summed(matrix, name), step))]
    return page(name, about, [*sections, wilson_section(part, n, estimate)], estimate)


def of_class(matrix: ConfusionMatrix, name: str, label: Label) -> Workings:
    """Precision, recall, specificity or prevalence of one class."""
    share, title = SHARES[name], printable(label)
    estimate = getattr(matrix, name)(label)
    outcomes = matrix.outcomes(label)
    sections = [matrix_section(matrix), outcomes_section(matrix, label)]
    about = share.about.format(title)
    if estimate.value is not None:
        above, beside = sum(outcomes[i] for i in share.above), sum(outcomes[i] for i in share.beside)
        step = Step(
            f"{name}({title})",
            share.formula,
            _written(outcomes, share),
            number(estimate.value),
            f"{number(above)} of {number(above + beside)}",
        )
        sections += [Section("Share", (step,)), wilson_section(above, above + beside, estimate)]
    return page(f"{name} of {title}", about, sections, estimate)


def outcomes_section(matrix: ConfusionMatrix, label: Label) -> Section:
    """TP, FN, FP and TN of a class against all others."""
    title = printable(label)
    sources = (
        f"{title}, called {title}",
        f"{title}, called otherwise",
        f"others, called {title}",
        "others, called otherwise",
    )
    counts = matrix.outcomes(label)
    return Section(
        f"Outcomes of {title}",
        tuple(Step(name, "", "", number(n), s) for name, n, s in zip(OUTCOMES, counts, sources, strict=True)),
    )


def _written(outcomes: tuple[float, ...], share: Share) -> str:
    above = " + ".join(number(outcomes[i]) for i in share.above)
    below = " + ".join(number(outcomes[i]) for i in (*share.above, *share.beside))
    return f"{above if len(share.above) == 1 else f'({above})'}/({below})"


def _summed(matrix: ConfusionMatrix, name: str) -> tuple[Step, ...]:
    """The diagonal added up; the rest of the matrix is all less the diagonal."""
    diagonal: NDArray[np.float64] = matrix.counts.diagonal()
    right, total = float(diagonal.sum()), matrix.total
    rows = Step("right", "the diagonal", terms([number(float(n)) for n in diagonal]), number(right))
    if name == "accuracy":
        return (rows,)
    wrong = float(matrix_measures.right_and_wrong(matrix.counts)[1])
    return (rows, Step("wrong", "all − right", f"{number(total)} − {number(right)}", number(wrong)))
