"""Columns as terms of a linear model, shared by the learners that add terms up or measure distances."""

from crake.learners.encoding.design import Design
from crake.learners.encoding.fitting import design_of, term_deviations
from crake.learners.encoding.missing import MISSING_POLICIES, CompleteRows, complete_rows
from crake.learners.encoding.narrow_rows import NarrowRows
from crake.learners.encoding.terms import Term

__all__ = [
    "MISSING_POLICIES", "CompleteRows", "Design", "NarrowRows", "Term", "complete_rows", "design_of", "term_deviations",
]  # fmt: skip
