"""``releases``: the final releases of a package, as the user's own index has them, to be put into a timeline's data.

A study reads the list from its data and never asks the index: what is released tomorrow changes nothing
until somebody asks again. Releases that were withdrawn are listed too; their locks will say so.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable

from mateprobe.errors import InvalidValue, StageError

_FOUND = re.compile(r"^ *Found link .*, version: ([0-9.]+)$", re.MULTILINE)
_WITHDRAWN = re.compile(
    r"^ *Skipping link: yanked .*/[^/ ]*?-([0-9.]*[0-9])(?:-[^/ ]*\.whl|\.tar\.gz|\.zip) ", re.MULTILINE
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("package", help="its name on the index")
    parser.add_argument("--since", default="0", help="the oldest release wanted (default: the first)")
    parser.add_argument("--until", help="the newest release wanted (default: the last)")


def run(args: argparse.Namespace) -> int:
    """Print the releases as a JSON list, the oldest first; return 0.

    Raises:
        InvalidValue: ``--since`` or ``--until`` is no final release. StageError: the index has none in the range.
    """
    since, until = _bound("--since", args.since), _bound("--until", args.until)
    releases = [release for release in in_order(_listed(args.package)) if since <= release_key(release)]
    releases = [release for release in releases if args.until is None or release_key(release) <= until]
    if not releases:
        raise StageError(f"{args.package}: the index has no release from {args.since} to {args.until or 'the last'}")
    sys.stdout.write(json.dumps(releases) + "\n")
    return 0


def _bound(option: str, release: str | None) -> tuple[int, ...]:
    if release is not None and not re.fullmatch(r"\d+(\.\d+)*", release):
        raise InvalidValue(f"{option}={release!r}: expected a final release such as 4.17.3")
    return release_key(release or "0")


def release_key(release: str) -> tuple[int, ...]:
    """Return what a final release such as ``4.17.3`` is sorted by; 2.0 and 2.0.0 are one release."""
    numbers = [*map(int, release.split("."))]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def in_order(releases: Iterable[str]) -> list[str]:
    """Return the releases in the order of their versions, each once."""
    return sorted(set(releases), key=release_key)


def _listed(package: str) -> list[str]:
    """Return the final releases that pip sees in its index, also those for another Python and those withdrawn."""
    command = [sys.executable, "-P", "-m", "pip", "-vv", "index", "versions", "--ignore-requires-python", package]
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    )
    return from_pip(done.stdout)


def from_pip(said: str) -> list[str]:
    """Return the final releases of which ``pip -vv index versions`` says that it found or passed over a file."""
    return _FOUND.findall(said) + _WITHDRAWN.findall(said)
