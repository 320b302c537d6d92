"""Protocols: how each row gets a prediction from a model that did not learn it."""
