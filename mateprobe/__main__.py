"""The ``mateprobe`` command, also as ``python -m mateprobe``; its help is shown without loading anything else."""

import sys

from ._help import HELP


def main() -> int:
    """Run the command on the arguments and streams of the process; return its exit status."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        sys.stdout.write(HELP)
        return 0
    from .cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
