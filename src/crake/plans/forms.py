"""The short names of plans, for help texts and errors. This module imports nothing, so that help stays fast."""

from __future__ import annotations

FORMS = (
    "cv10 (or another number of folds), 10xcv10 (repeated), loo, holdout, subsampling10, bootstrap632+, bootstrap632, "
    "bootstrap632-lecture, bootstrap, grouped10 (equal rows stay together), grouped10:COLUMN, time5:COLUMN, "
    "resubstitution"
)
