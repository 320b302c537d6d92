"""The prediction server: model files behind an address that programs can call."""
