"""The bootstrap: learn from n rows drawn with replacement, test those that were not drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError
from crake.kernels.statistics.bootstrap_draws import sample_copies
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment
from crake.table.schema import Label

ESTIMATES = ("632+", "632", "632-lecture", "out-of-bag")


@dataclass(frozen=True)
class Bootstrap:
    """`replicates` samples of as many rows as there are, with replacement.

    A row is left out of a sample with probability (1 − 1/n)^n → 0.368, so a model has seen about 63.2 % of the
    rows and errs more than one of all rows would. `estimate` says how the accuracy makes up for that:

    - "out-of-bag": not at all: of each row the share of right predictions by the replicates that left it out, then
      the mean over the rows;
    - "632": 0.632 · out of bag + 0.368 · the accuracy of the model of all rows on those rows (Efron 1983);
    - "632-lecture": the mean over the replicates of 0.632 · out of bag + 0.368 · the accuracy of that replicate's
      model on all rows;
    - "632+": as "632", with a weight that grows to 1 the more the model overfits (Efron and Tibshirani 1997).

    >>> (sample,) = Bootstrap(1).rounds([0, 0, 0, 1, 1, 1], ["no", "yes"])
    >>> sample.copies.tolist(), sample.fold.tolist()
    ([1, 1, 1, 1, 0, 2], [-1, -1, -1, -1, 0, -1])
    """

    replicates: int = 200
    _: KW_ONLY
    estimate: Literal["632+", "632", "632-lecture", "out-of-bag"] = "632+"
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.replicates, "replicates", 1)
        rows.whole_number(self.random_state, "random_state", 0)
        if self.estimate not in ESTIMATES:
            raise CrakeError(f"estimate = {self.estimate!r}; expected one of {', '.join(ESTIMATES)}")

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield the samples. A sample that holds every row leaves none to test and is drawn again."""
        codes = rows.target(target_codes, classes)
        known = np.flatnonzero(codes >= 0)
        draws = np.random.PCG64(self.random_state)
        for _ in range(self.replicates):
            yield self._sample(codes, known, draws)

    def describe(self) -> str:
        """Return the plan in words."""
        name = {"out-of-bag": "bootstrap, out of bag", "632-lecture": ".632 bootstrap (the lecture's training term)"}
        kind = name.get(self.estimate, f".{self.estimate} bootstrap")
        return f"{kind}, {self.replicates} replicates, seed {self.random_state}"

    def _sample(self, codes: NDArray[np.intp], known: NDArray[np.intp], draws: np.random.PCG64) -> Assignment:
        is_known = codes >= 0
        while True:
            # The raw output of PCG64 is what NumPy promises to keep.
            copies = sample_copies(np.asarray(draws.random_raw(len(known))), known, len(codes))
            left_out = copies == 0 if len(known) == len(codes) else (copies == 0) & is_known
            if left_out.any():
                break
        # 0 where it is left out, NEVER = −1 where not.
        return Assignment(left_out.astype(np.int32) + np.int32(NEVER), 1, is_known, copies=copies, of=self.replicates)
