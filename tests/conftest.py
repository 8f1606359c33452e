"""Hypothesis looks at the same examples in every run; ``--hypothesis-profile=random`` asks it for others."""

from hypothesis import HealthCheck, settings

# A busy computer is no reason to fail.
patient = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", patient, derandomize=True)
settings.register_profile("random", patient, max_examples=300, print_blob=True)
settings.load_profile("same")
