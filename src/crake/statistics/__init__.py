"""Arrays that add: counts, moments and distinct values, gathered in one scan and merged.

`MEMBERS` lists the family. A new statistic is one file, one class derived from `Statistic`, and one line here.
"""

from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.collection import Statistics, merge_all
from crake.statistics.cross_products import CrossProducts
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.distinct_rows import DistinctRows, WholeRows
from crake.statistics.family_counts import FamilyCounts
from crake.statistics.gather import gather
from crake.statistics.pair_counts import PairCounts
from crake.statistics.statistic import Statistic
from crake.statistics.value_counts import ValueCounts
from crake.statistics.word_counts import WordCounts

MEMBERS: tuple[type[Statistic], ...] = (
    ClassCounts,
    ValueCounts,
    ClassMoments,
    DistinctCounts,
    DistinctRows,
    WholeRows,
    PairCounts,
    FamilyCounts,
    WordCounts,
    CrossProducts,
)
"""Every statistic that `gather` can fill."""

__all__ = [
    "MEMBERS",
    "ClassCounts",
    "ClassMoments",
    "CrossProducts",
    "DistinctCounts",
    "DistinctRows",
    "FamilyCounts",
    "PairCounts",
    "Statistic",
    "Statistics",
    "ValueCounts",
    "WholeRows",
    "WordCounts",
    "gather",
    "merge_all",
]
