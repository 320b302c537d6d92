"""Model files: one safetensors file a model, safe to share; the only place that knows the format."""

from crake.modelfile.description import ModelDescription, describe
from crake.modelfile.store import load, save

__all__ = ["ModelDescription", "describe", "load", "save"]
