"""Days since 1970 as points in time of Arrow, and as the texts that files hold."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.table.dates import are_calendar_days

_DAY = 86_400_000_000
"""Microseconds of a day."""
_PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}


def moments(days: NDArray[np.float64]) -> pa.Array:
    """Return days since 1970 as points in time, to the microsecond; as numbers if the calendar does not have them.

    >>> moments(np.array([19783.4375, np.nan])).to_pylist()
    [datetime.datetime(2024, 3, 1, 10, 30), None]
    """
    if not are_calendar_days(days):
        return pa.array(days, from_pandas=True)
    is_missing = np.isnan(days)
    microseconds = np.rint(np.where(is_missing, 0, days) * _DAY).astype(np.int64)
    return pa.array(microseconds, pa.int64(), mask=is_missing).cast(pa.timestamp("us"))


def moment_texts(times: pa.Array) -> pa.Array:
    """Return points in time as ISO texts. The time of day, or its fraction, is left out if all of them lack it.

    >>> moment_texts(moments(np.array([19783.0, 19784.0]))).to_pylist()
    ['2024-03-01', '2024-03-02']
    >>> moment_texts(moments(np.array([0.5, 1.0]))).to_pylist()
    ['1970-01-01 12:00:00', '1970-01-02 00:00:00']
    """
    kind = times.type
    if pa.types.is_timestamp(kind) and kind.tz is None:
        second = _PER_SECOND[kind.unit]
        ticks = pc.fill_null(pc.cast(times, pa.int64()), 0).to_numpy(zero_copy_only=False)
        if not (ticks % second).any():
            is_whole = not (ticks % (86_400 * second)).any()
            times = pc.cast(times, pa.date32() if is_whole else pa.timestamp("s"))
    return pc.cast(times, pa.string())
