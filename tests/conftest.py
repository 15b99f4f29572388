"""Settings all tests share: the same examples on every machine; ``--hypothesis-profile=explore`` draws others."""

from __future__ import annotations

from hypothesis import settings

# No deadline: a slow machine is no defect.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("repeatable")
