"""Quality of made-up rows: how far they are from the real ones, and what follows from that."""

from crake.balance.quality.quality import Quality, quality_of

__all__ = ["Quality", "quality_of"]
