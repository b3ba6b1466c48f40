"""Settings of all tests."""

from hypothesis import settings

# How long an example takes says something about the machine, not about the code.
settings.register_profile("town", deadline=None)
settings.load_profile("town")
