"""Model files: one safetensors file per model, safe to share. No other room knows the format."""

from crake.modelfile.description import ModelDescription, describe
from crake.modelfile.store import load, save

__all__ = ["ModelDescription", "describe", "load", "save"]
