"""Dates and points in time in texts: one rule for a whole column, numbers of days since 1970.

- `ymd`: the year first, 2024-03-01, 2024/03/01, 2024.03.01.
- `dmy`: the day first, 01.03.2024, 1/3/2024, 01-03-2024; with points the day always comes first.
- `mdy`: the month first, 3/1/2024, 03-01-2024.
- English names of months fit both: 1 Mar 2024, 1-Mar-24, March 1, 2024.
- A time may follow: 2024-03-01T10:30:00, 1.3.2024 10:30, 3/1/2024 10:30 PM; also an offset (Z, +01:00), which is
  reckoned to UTC. A column has offsets in all cells or in none.
- Years have four digits, or two after points, slashes and names of months: 69 to 99 are of 1900, 00 to 68 of 2000.

A column is of dates if one rule fits every cell. Where day first and month first both fit and give other days, crake
does not guess: the column stays text.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.table.schema import DATES

TYPED = DATES[-1]
RULES = DATES[:-1]
TITLES = {"ymd": "yyyy-mm-dd", "dmy": "dd.mm.yyyy (day first)", "mdy": "mm/dd/yyyy (month first)", TYPED: "yyyy-mm-dd"}
DAY = 86_400_000
"""Milliseconds of a day."""

_MONTHS = {
    name: month
    for month, whole in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        1,
    )
    for name in (whole, whole[:3], *(("sept",) if month == 9 else ()))
}
_NAME = r"[A-Za-z]{3,9}"
_TIME = (
    r"(?:(?:[T ]|, ?)\s?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s?(?P<half>[AaPp])\.?[Mm]\.?)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_FORMS = {
    "year": re.compile(rf"(?P<y>\d{{4}})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){_TIME}", re.ASCII),
    "number": re.compile(rf"(?P<a>\d{{1,2}})(?P<s>[-/.])(?P<b>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d\d){_TIME}", re.ASCII),
    "day": re.compile(rf"(?P<d>\d{{1,2}})(?:[ -]|\. ?)(?P<n>{_NAME})\.?[ -](?P<y>\d{{4}}|\d\d){_TIME}", re.ASCII),
    "month": re.compile(rf"(?P<n>{_NAME})\.? (?P<d>\d{{1,2}}),? (?P<y>\d{{4}}){_TIME}", re.ASCII),
}
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?", re.ASCII)
_NUMBERED = re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d{4}(?: \d\d:\d\d(?::\d\d)?)?", re.ASCII)
_ONE_DIGIT = re.compile(r"(?m)(?<![\d:])(\d)(?=[-/.])")
_NUMBERED_DAY = re.compile(r"(?m)^(\d\d)[-/.](\d\d)[-/.](\d{4})")
_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST_DAY, _LAST_DAY = -354_285, 2_932_896
"""1000-01-01 and 9999-12-31."""
_PIVOT = 69
_FIRST_YEAR = 1000
_FIRST_LOOK, _MOST_TEXTS = 200, 100_000
"""Texts that tell whether a column may hold dates with a few other cells, and those that are then looked at."""


@dataclass(frozen=True)
class Dates:
    """A column of dates: the rule and the days of each text, or two rules that both fit (`other`)."""

    rule: str
    days: NDArray[np.float64]
    other: str = ""


def find_dates(texts: Sequence[str]) -> Dates | None:
    """Return the rule that fits every text, and the days; None if there is none.

    >>> find_dates(["31.12.1970", "1.1.1971"])
    Dates(rule='dmy', days=array([364., 365.]), other='')
    >>> find_dates(["3/4/2024", "4/5/2024"]).other, find_dates(["a"])
    ('mdy', None)
    """
    if not texts or _parsed(texts[0]) is None:
        return None
    fits = {rule: days for rule in RULES if (days := days_of(texts, rule)) is not None}
    if "dmy" in fits and "mdy" in fits:
        same = np.array_equal(fits["dmy"], fits["mdy"])
        return Dates("dmy", fits["dmy"], "" if same else "mdy")
    return next((Dates(rule, days) for rule, days in fits.items()), None)


def days_of(texts: Sequence[str], rule: str) -> NDArray[np.float64] | None:
    """Return the days since 1970 of each text by this rule; None if one of them does not fit.

    >>> days_of(["1970-01-02 12:00"], "ymd").tolist(), days_of(["1970-01-02"], "dmy")
    ([1.5], None)
    """
    rule = "ymd" if rule == TYPED else rule
    quick = _iso_days(texts) if rule == "ymd" else _numbered_days(texts, rule)
    if quick is not None:
        return quick
    days, zones = np.empty(len(texts)), set()
    for place, text in enumerate(texts):
        fields = _parsed(text)
        moment = None if fields is None else _days(fields, rule)
        if moment is None or fields is None:
            return None
        days[place] = moment
        zones.add(fields.get("zone") is not None)
    return days if len(zones) < 2 else None


def has_month_name(text: str) -> bool:
    """Return True if a date is written with the name of its month, so that no number comes first.

    >>> has_month_name("March 1, 2024"), has_month_name("1-Mar-24"), has_month_name("2024-03-01T10:30Z")
    (True, True, False)
    """
    fields = _parsed(text)
    return fields is not None and "n" in fields


def most_dates(texts: Sequence[str], counts: NDArray[np.int64]) -> tuple[str, NDArray[np.bool_]] | None:
    """Return the rule that fits most cells and which texts it fits, if that is half of the cells; else None.

    A look at the first texts settles that most columns hold no dates.

    >>> most_dates(["2024-02-30", "2024-02-28", "x"], np.array([1, 8, 1]))
    ('ymd', array([False,  True, False]))
    """
    first = texts[:_FIRST_LOOK]
    if 2 * sum(_parsed(text) is not None for text in first) < len(first) or len(texts) > _MOST_TEXTS:
        return None
    fits = {rule: np.array([days_of([text], rule) is not None for text in texts], bool) for rule in RULES}
    rule = max(RULES, key=lambda each: int(counts[fits[each]].sum()))
    return (rule, fits[rule]) if 2 * int(counts[fits[rule]].sum()) >= int(counts.sum()) else None


def are_calendar_days(days: NDArray[np.float64]) -> bool:
    """Return True if every known day lies in the years 1000 to 9999, those that `find_dates` reads.

    >>> are_calendar_days(np.array([0.0, np.nan])), are_calendar_days(np.array([1e9]))
    (True, False)
    """
    known = days[~np.isnan(days)]
    return len(known) == 0 or bool(known.min() >= _FIRST_DAY and known.max() < _LAST_DAY + 1)


def _iso_days(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the days of texts that are all plain ISO dates, many at once; None if one needs a closer look."""
    if not all(map(_ISO.fullmatch, texts)):
        return None
    try:
        moments = np.array(texts, dtype="datetime64[us]")
    except ValueError:
        return None
    days: NDArray[np.float64] = moments.astype(np.int64) / (1000 * DAY)
    return days if (np.array([text[:4] for text in texts]) >= str(_FIRST_YEAR)).all() else None


def _numbered_days(texts: Sequence[str], rule: str) -> NDArray[np.float64] | None:
    """Return the days of texts of three numbers, many at once; None if one does not fit or needs a closer look."""
    if not all(map(_NUMBERED.fullmatch, texts)) or (rule == "mdy" and any("." in text for text in texts)):
        return None
    order = r"\3-\2-\1" if rule == "dmy" else r"\3-\1-\2"
    return _iso_days(_NUMBERED_DAY.sub(order, _ONE_DIGIT.sub(r"0\1", "\n".join(texts))).split("\n"))


def _parsed(text: str) -> dict[str, str | None] | None:
    for form, expression in _FORMS.items():
        match = expression.fullmatch(text)
        if match is not None:
            return {**match.groupdict(), "form": form}
    return None


def _days(fields: dict[str, str | None], rule: str) -> float | None:
    """Return the days since 1970 of the fields of a text by a rule; None if it does not fit."""
    calendar = _calendar(fields, rule)
    if calendar is None:
        return None
    try:
        day = dt.date(*calendar).toordinal() - _EPOCH
    except ValueError:
        return None
    seconds = _seconds(fields)
    return None if seconds is None else day + seconds / 86_400


def _calendar(fields: dict[str, str | None], rule: str) -> tuple[int, int, int] | None:
    form, year = fields["form"], _year(fields["y"] or "")
    if (form == "year") != (rule == "ymd"):
        return None
    if form == "number" and len(fields["y"] or "") == 2 and not _is_short(fields):
        return None
    if form == "year":
        return year, int(fields["m"] or 0), int(fields["d"] or 0)
    if form == "number":
        if fields["s"] == "." and rule == "mdy":
            return None
        first, second = int(fields["a"] or 0), int(fields["b"] or 0)
        return (year, second, first) if rule == "dmy" else (year, first, second)
    month = _MONTHS.get((fields["n"] or "").lower())
    return None if month is None else (year, month, int(fields["d"] or 0))


def _is_short(fields: dict[str, str | None]) -> bool:
    """Return True for 1/3/24 and 01.03.24; 1.3.24 may be a version, and 01-03-24 has its year at either end."""
    digits = len(fields["a"] or "") + len(fields["b"] or "")
    return fields["s"] == "/" or (fields["s"] == "." and digits == 4)


def _year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits) if int(digits) >= _FIRST_YEAR else 0
    return int(digits) + (1900 if int(digits) >= _PIVOT else 2000)


def _seconds(fields: dict[str, str | None]) -> float | None:
    """Return the seconds since midnight, in UTC where an offset is given; None for times that do not exist."""
    if fields["hour"] is None:
        return 0.0
    hour, minute, second = int(fields["hour"]), int(fields["minute"] or 0), int(fields["second"] or 0)
    half = fields["half"]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = float(f"0.{fields['fraction']}") if fields["fraction"] else 0.0
    zone, offset = fields["zone"], 0
    if zone is not None and zone != "Z":
        offset = (int(zone[1:3]) * 60 + int(zone[-2:])) * (-60 if zone[0] == "-" else 60)
    return hour * 3600 + minute * 60 + second + fraction - offset
