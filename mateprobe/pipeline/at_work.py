"""Who is at work below ``results/``: one run, or any number of commands that read what it made.

The lock is the kernel's, on an open file: it goes with the last process that has the file open, so a killed run
leaves nothing to clear, and what is left of one still holds it. A run has the file as its standard input, which
is all that Snakemake hands on to its jobs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from mateprobe.errors import InvalidValue
from mateprobe.pipeline.section import RESULTS

LOCK = RESULTS / ".running"


@contextmanager
def alone() -> Iterator[IO[str]]:
    """Keep everybody else away; yields the lock, for a process that is to hold it too.

    Raises:
        InvalidValue: a run is at work here, or what it made is being read.
    """
    RESULTS.mkdir(exist_ok=True)
    with LOCK.open("a+", encoding="utf-8") as lock:
        if not _locked(lock, fcntl.LOCK_EX):
            raise InvalidValue(_who(lock))
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield lock


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep runs away while what they made is read; within a run, its own lock does.

    Raises:
        InvalidValue: a run is at work here.
    """
    if not LOCK.is_file() or is_held_by_us():
        yield
        return
    with LOCK.open(encoding="utf-8") as lock:
        if not _locked(lock, fcntl.LOCK_SH):
            raise InvalidValue(_who(lock))
        yield


def stay_alone() -> None:
    """Keep everybody else away for as long as this process and those it starts live, unless that is so already.

    Raises:
        InvalidValue: as ``alone``.
    """
    if not is_held_by_us():
        with alone() as lock:
            os.dup2(lock.fileno(), 0)


def is_held_by_us() -> bool:
    """Tell whether this process is part of the run that holds the lock: its standard input is the lock then."""
    try:
        return os.path.samestat(os.fstat(0), LOCK.stat())
    except OSError:
        return False


def _locked(lock: IO[str], how: int) -> bool:
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _who(lock: IO[str]) -> str:
    """Return the message for whoever comes second."""
    if _locked(lock, fcntl.LOCK_SH):
        return f"{RESULTS}: being read by verify, freeze or pack; wait for it, or use another clone"
    lock.seek(0)
    began = lock.read(20) or "unknown"
    return (
        f"{RESULTS}: another run is at work here, or what is left of one; process {began} began it; "
        "wait for it, or use another clone"
    )
