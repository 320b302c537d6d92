"""Models as PMML 4.4, the standard of the Data Mining Group for models in XML."""

from crake.export.pmml.document import to_pmml

__all__ = ["to_pmml"]
