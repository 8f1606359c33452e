"""Posterior laws on the unit interval, their quadrature, and differences of two."""
