"""``python -m benchmarks [PART …]``: measure and show; all of them renew the README.

Run from the checkout, in its environment: ``make bench``.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Part, table
from mateprobe.errors import one_of

PARTS = {
    "audit": "Audit against the published engine",
    "loop": "Plain pairs against a bare loop",
    "scale": "Studies as stages, from a thousand pairs up",
    "startup": "Start-up",
    "workflow": "The workflow",
    "studies": "Many studies",
}
README = Path(__file__).with_name("README.md")


def main() -> None:
    """Measure the parts asked for and print them; write the README if that is all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--pairs", type=int, help="largest study of `scale`; 1000000 takes many minutes")
    args = parser.parse_args()
    if args.pairs is not None and args.pairs < 100_000:
        parser.error(f"--pairs={args.pairs}: expected 100000 or more, for a growth has three points")
    names = args.parts or list(PARTS)
    if unknown := set(names) - PARTS.keys():
        parser.error(f"PART={min(unknown)!r}: {one_of(min(unknown), PARTS)}")
    found: dict[str, Part] = {}
    load = [os.getloadavg()[0]]
    for name in names:
        sys.stderr.write(f"benchmarks: {name} …\n")
        given = (args.pairs,) if name == "scale" and args.pairs else ()
        found[name] = import_module(f"benchmarks.{name}").measure(*given)
        load.append(os.getloadavg()[0])
    text = page(found, load)
    print(text)
    if found.keys() == PARTS.keys():
        README.write_text(text, "utf-8")


def page(found: Mapping[str, Part], load: Sequence[float]) -> str:
    """Return the README: figures first, then what each of them was measured on.

    Args:
        found: what each part found.
        load: how many processes wanted a core, before and after each part.
    """
    headlines = [row for part in found.values() for row in part.headlines]
    sections = "\n".join(f"## {PARTS[name]}\n\n{part.details}" for name, part in found.items())
    machine = f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python {platform.python_version()}"
    return f"""\
# Benchmarks

Written by `make bench` (`python -m benchmarks`); last run on {machine}.
Ratios are within one run. Times are processor time in user code unless said otherwise: cores may be shared,
and the clock then says more of the neighbours: {min(load):.0f} to {max(load):.0f} processes wanted a core meanwhile.
Nothing here writes into `results/`; no test depends on a time.

{table(("what", "found", "goal"), headlines)}

{sections}"""


if __name__ == "__main__":
    main()
