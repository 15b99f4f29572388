"""What a terminal is given beside text: colours, and how far an audit is, with what it found so far."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import IO

from .outcome import FAILURES, WELL, Outcome

_COLOURS = {"red": "31", "green": "32", "yellow": "33"}
_OFTEN = 0.1
"""Seconds between two pictures of the progress."""
_BAR = 20
"""Width of the bar."""
_REST = 12
"""Width of the time left, and of what stands between it, the bar and the counts."""


def painter(stream: IO[str]) -> Callable[[str, str], str]:
    """Return what puts a text into a colour, if the stream is a terminal and nobody set ``NO_COLOR``."""
    if not _is_terminal(stream) or os.environ.get("NO_COLOR"):
        return lambda text, _: text
    return lambda text, colour: f"\x1b[1;{_COLOURS[colour]}m{text}\x1b[0m"


def _is_terminal(stream: IO[str]) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(total: int, stream: IO[str]) -> Iterator[Callable[[Outcome], None] | None]:
    """Show on a terminal how many of ``total`` cases have ended, and how, until the block is left.

    Yields:
        What is to be told of every case that ends; None where nothing is shown: on what is no terminal,
        and without rich, the extra ``terminal``.
    """
    try:
        shown = _is_terminal(stream)
        if shown:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ModuleNotFoundError:
        shown = False
    if not shown:
        yield None
        return
    console = Console(file=stream)
    columns = (BarColumn(_BAR), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    room = console.width - _BAR - 2 * len(str(total)) - _REST
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        counts: Counter[Outcome] = Counter()
        due = monotonic()

        def ended(outcome: Outcome) -> None:
            nonlocal due
            counts[outcome] += 1
            if monotonic() >= due or counts.total() == total:
                due = monotonic() + _OFTEN
                bar.update(task, completed=counts.total(), description=_told(counts, room))

        yield ended


def _told(counts: Counter[Outcome], room: int) -> str:
    """Return what was found so far, what is wrong first, as much of it as there is room for."""
    order = sorted(counts, key=lambda outcome: (outcome not in FAILURES, outcome not in WELL, outcome))
    text = ""
    for outcome in order:
        more = f"{', ' * bool(text)}{outcome.replace('_', ' ')} {counts[outcome]}"
        if len(text) + len(more) > room:
            break
        text += more
    return text
