"""Gradient boosting: trees of few leaves, each grown on the gradients of the loss of those before it."""
