"""Balancing rare classes and making rows up."""
