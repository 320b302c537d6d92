"""The hand calculation behind a number: steps a student would write on paper, and the answer.

`structure` holds it as data; `text`, `markdown`, `html`, `latex` and `document` (for JSON) show it.
"""

from crake.render.workings.numbers import added_up, bracketed, exact, fraction, number, scientific
from crake.render.workings.structure import Section, Step, Workings

__all__ = ["Section", "Step", "Workings", "added_up", "bracketed", "exact", "fraction", "number", "scientific"]
