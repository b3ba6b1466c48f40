"""Settings of all tests."""

import os

from hypothesis import settings

# How long an example takes says something about the machine, not about the code; and CI tries
# the same examples every time, so that a red run is about the change.
settings.register_profile("town", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("town")
