"""The feasibility corpus with the group written into every sample, so that no two groups share one.

The study's own generator draws the credits, all that tells one variation's samples from another's,
from 181 numbers: beyond those it repeats samples, which are then judged once. A measurement of growth
must not grow cheaper. Loaded as the code of a study, from a copy in its ``studies/_code``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from mateprobe.pipeline.corpora import Row, edit_state, feasibility


def cases(*, seed: int, variations: int) -> Iterator[Row]:
    """Yield the rows of the feasibility generator; the fact ``group`` of state ``current`` is new."""
    for group, rows in groupby(feasibility.cases(seed=seed, variations=variations), key=itemgetter("group")):
        mark = edit_state("current", group=group)
        for row in rows:
            yield {**row, "baseline": mark(row["baseline"]), "variant": mark(row["variant"])}
