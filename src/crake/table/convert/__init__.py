"""Conversion between tables and data frames, arrays and known schemas."""
