"""Models as ONNX: a graph of operators of double precision, written without a library."""

from crake.export.onnx.model import to_onnx

__all__ = ["to_onnx"]
